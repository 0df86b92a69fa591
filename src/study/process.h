// SPDX-License-Identifier: BSD-3-Clause
// Child processes: this program with other arguments, with standard output and standard error redirected to files. The
// system ends them when their parent ends.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

// Start this program with `argument` (NULL-terminated, program name first). Returns the process id, -1 on failure
// (errno).
pid_t cd_process_start(const char* const* argument, const char* out, const char* err);
// Fork this process; the system ends the child when its parent ends. Returns 0 in the child, its id in the parent, -1
// on failure.
pid_t cd_process_fork(void);
// Wait up to `seconds` for a child process to end. Returns its id, with the status of waitpid; 0 if none has ended or a
// signal interrupted the wait.
pid_t cd_process_wait(double seconds, int* wait_status);
// Block SIGCHLD, so that the signal of an ended child stays pending until cd_process_wait. Call before the first start.
void cd_process_prepare(void);
// Number of cores that this process may use.
int cd_available_cores(void);
// Kill the process and its process group with SIGKILL.
void cd_process_kill(pid_t id);

// Remove the files in a folder and the folder itself, without sub-folders. Symbolic links are not followed.
void cd_remove_folder(const char* path);
