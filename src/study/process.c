// SPDX-License-Identifier: BSD-3-Clause
// Child processes: fork and exec of this program. Each child leads a process group, so that Ctrl-C reaches the parent
// only; the system kills it when the parent ends for any reason.
#include "study/process.h"

#include "core/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
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

static bool is_in_environment(const char* setting)
{
    const size_t n = strcspn(setting, "=") + 1;
    for (char** e = environ; e && *e; ++e)
        if (strncmp(*e, setting, n) == 0) return true;
    return false;
}

// Environment of the child: that of this process, with one thread for linear algebra unless set, because the cores run
// cases. It is built before the fork: between fork and exec only async-signal-safe functions may be called, and setenv
// is not one of them. The caller frees the array.
static char** child_environment(void)
{
    static const char* const more[] = {"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1"};
    size_t                   n      = 0;
    while (environ && environ[n]) ++n;
    char** all = cd_allocate(n + 3, sizeof *all);
    if (!all) return errno = ENOMEM, NULL;
    if (n > 0) memcpy(all, environ, n * sizeof *all);
    for (size_t i = 0; i < 2; ++i)
        if (!is_in_environment(more[i])) all[n++] = (char*)(uintptr_t)more[i];
    return all;
}

// Redirect the output and execute the program in the child; does not return. Calls only functions that are safe in a
// forked child of a process with threads.
static void exec_child(const char* const* argument, char* const* environment, const char* out, const char* err,
                       pid_t parent)
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
    if (getppid() != parent) _exit(127); // parent has ended
    if (redirect("/dev/null", O_RDONLY, STDIN_FILENO) && redirect(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO) &&
        redirect(err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO)) {
        execve("/proc/self/exe", (char* const*)argument, environment);
        execvpe(argument[0], (char* const*)argument, environment); // without /proc
    }
    _exit(127);
}

pid_t cd_process_start(const char* const* argument, const char* out, const char* err)
{
    char** const environment = child_environment();
    if (!environment) return -1;
    const pid_t parent = getpid(), id = fork();
    if (id == 0) exec_child(argument, environment, out, err, parent);
    const int reason = errno;
    free(environment);
    errno = reason;
    return id;
}

pid_t cd_process_fork(void)
{
    const pid_t parent = getpid(), id = fork();
    if (id != 0) return id;
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) _exit(127); // parent has ended
    return 0;
}

int cd_available_cores(void)
{
    cpu_set_t set;
    const int all = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return all > 0 ? all : 1;
}

pid_t cd_process_wait(double seconds, int* wait_status)
{
    sigset_t set;
    only_child_signal(&set);
    pid_t id = waitpid(-1, wait_status, WNOHANG);
    if (id != 0 || seconds <= 0) return id > 0 ? id : 0;
    const struct timespec time = {.tv_sec  = (time_t)seconds,
                                  .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    sigtimedwait(&set, NULL, &time);
    id = waitpid(-1, wait_status, WNOHANG);
    return id > 0 ? id : 0;
}

void cd_process_kill(pid_t id)
{
    if (id <= 0) return;
    kill(-id, SIGKILL); // its group, which it may not lead yet
    kill(id, SIGKILL);
}

void cd_remove_folder(const char* path)
{
    const int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR*      folder     = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    if (!folder && descriptor >= 0) close(descriptor);
    if (!folder) return;
    for (const struct dirent* e; (e = readdir(folder));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) (void)unlinkat(dirfd(folder), e->d_name, 0);
    closedir(folder);
    (void)rmdir(path);
}
