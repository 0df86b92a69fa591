// SPDX-License-Identifier: BSD-3-Clause
// Processes of this same program: started with other arguments, their outputs going to files. They end with whoever
// started them.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

// Starts this program with `argument` (NULL-terminated, the program's name first). Returns its id, -1 where the system
// gives none (errno says why).
pid_t cd_process_start(const char* const* argument, const char* out, const char* err);
// A copy of this process, which is ended by the system when its parent is gone: 0 in the copy, its id in the parent, -1
// where the system gives none.
pid_t cd_process_fork(void);
// One process that has ended, within `seconds`: its id and how it ended as waitpid tells; 0 where none did, or a signal
// came.
pid_t cd_process_wait(double seconds, int* wait_status);
// Processes whose end is to be waited for: signals of ended children are kept until they are asked for. Call before the
// first start.
void cd_process_prepare(void);
// Cores that this process may use.
int cd_available_cores(void);
// Ends it and everything it started, at once.
void cd_process_kill(pid_t id);

// Removes the files in a folder and the folder, one level deep. A symbolic link is not followed.
void cd_remove_folder(const char* path);
