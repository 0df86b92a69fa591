// SPDX-License-Identifier: BSD-3-Clause
// Processes: fork and exec of this same program. Each leads a group of its own, so that Ctrl-C reaches the parent
// alone, and is ended by the system when the parent is gone, however it went.
#include "study/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

extern char** environ;

static void only_child_signal(sigset_t* set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
}

void cd_process_prepare(void)
{
    sigset_t set;
    only_child_signal(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

static bool redirect(const char* path, int flags, int descriptor)
{
    const int file = open(path, flags | O_CLOEXEC, 0666);
    return file >= 0 && dup2(file, descriptor) >= 0;
}

// In the child; does not return.
static void become(const char* const* argument, const char* out, const char* err, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) _exit(127);    // gone already
    setenv("OPENBLAS_NUM_THREADS", "1", 0); // cores are for cases
    setenv("OMP_NUM_THREADS", "1", 0);
    if (redirect("/dev/null", O_RDONLY, STDIN_FILENO) && redirect(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO) &&
        redirect(err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO)) {
        execve("/proc/self/exe", (char* const*)argument, environ);
        execvp(argument[0], (char* const*)argument); // where there is no /proc
    }
    _exit(127);
}

pid_t cd_process_start(const char* const* argument, const char* out, const char* err)
{
    const pid_t parent = getpid(), id = fork();
    if (id == 0) become(argument, out, err, parent);
    return id;
}

pid_t cd_process_fork(void)
{
    const pid_t parent = getpid(), id = fork();
    if (id != 0) return id;
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) _exit(127); // gone already
    return 0;
}

int cd_cores(void)
{
    cpu_set_t set;
    const int all = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return all > 0 ? all : 1;
}

pid_t cd_process_wait(double seconds, int* how)
{
    sigset_t set;
    only_child_signal(&set);
    pid_t id = waitpid(-1, how, WNOHANG);
    if (id != 0 || seconds <= 0) return id > 0 ? id : 0;
    const struct timespec time = {.tv_sec  = (time_t)seconds,
                                  .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    sigtimedwait(&set, NULL, &time);
    id = waitpid(-1, how, WNOHANG);
    return id > 0 ? id : 0;
}

void cd_process_end(pid_t id)
{
    if (id <= 0) return;
    kill(-id, SIGKILL); // its group, which it may not lead yet
    kill(id, SIGKILL);
}

void cd_folder_remove(const char* path)
{
    DIR* folder = opendir(path);
    if (!folder) return;
    for (const struct dirent* e; (e = readdir(folder));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) (void)unlinkat(dirfd(folder), e->d_name, 0);
    closedir(folder);
    (void)rmdir(path);
}
