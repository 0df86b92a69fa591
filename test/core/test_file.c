// SPDX-License-Identifier: BSD-3-Clause
// Writing of files: complete or not at all, existing files only if overwriting is requested; locks, links, permissions,
// failing disks; SHA-256 against published digests.
#include "core/file.h"

#include "sentences.h"
#include "test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char          folder[256];
static char          name[512];
static cardan_report report;

// Record of the system calls in their order: f sync of a file, d sync of a folder, r rename, l link. Some of them can
// be made to fail.
static char calls[64];
static int  sync_fails, open_fails; // errno; 0: the call succeeds

static void note_call(char c)
{
    const size_t n = strlen(calls);
    if (n + 1 < sizeof calls) calls[n] = c, calls[n + 1] = 0;
}

int fsync(int descriptor)
{
    struct stat about;
    note_call(fstat(descriptor, &about) == 0 && S_ISDIR(about.st_mode) ? 'd' : 'f');
    if (sync_fails) return errno = sync_fails, -1;
    return (int)syscall(SYS_fsync, descriptor);
}

int rename(const char* from, const char* to)
{
    note_call('r');
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int link(const char* from, const char* to)
{
    note_call('l');
    return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

FILE* fdopen(int descriptor, const char* mode)
{
    FILE* (*next)(int, const char*);
    void* const address = dlsym(RTLD_NEXT, "fdopen");
    memcpy(&next, &address, sizeof next);
    if (open_fails) return errno = open_fails, NULL;
    return next(descriptor, mode);
}

static const char* path_of(const char* file)
{
    snprintf(name, sizeof name, "%s/%s", folder, file);
    return name;
}

static int files_in_folder(void)
{
    int  count = 0;
    DIR* list  = opendir(folder);
    for (struct dirent* entry; list && (entry = readdir(list));) count += entry->d_name[0] != '.';
    if (list) closedir(list);
    return count;
}

static void check_content(const char* file, const char* expected)
{
    char*  data   = NULL;
    size_t length = 0;
    CHECK(cd_file_read(path_of(file), &data, &length, &report) == CARDAN_OK);
    CHECK_TEXT(data, expected);
    CHECK(length == strlen(expected));
    free(data);
}

static void test_write_and_read(void)
{
    cardan_report_clear(&report);
    CHECK(cd_file_write(path_of("a.txt"), "one", 3, false, &report) == CARDAN_OK);
    check_content("a.txt", "one");
    CHECK(cd_file_write(path_of("a.txt"), "two", 3, false, &report) == CARDAN_FILE_ERROR);
    check_content("a.txt", "one");
    CHECK_CASE(&report, "", "a.txt: error");
    CHECK(!strstr(report.message[0].text, "--")); // options belong to the tool
    CHECK(cd_file_write(path_of("a.txt"), "", 0, true, &report) == CARDAN_OK);
    check_content("a.txt", "");
    CHECK(files_in_folder() == 1);
    unlink(path_of("a.txt"));
}

static void test_file_created_by_another_process(void)
{
    cd_file file;
    cardan_report_clear(&report);
    CHECK(cd_file_open(&file, path_of("b.txt"), false, &report) == CARDAN_OK);
    fputs("late", file.stream);
    CHECK(cd_file_write(path_of("b.txt"), "early", 5, false, &report) == CARDAN_OK);
    CHECK(cd_file_commit(&file, &report) == CARDAN_FILE_ERROR);
    CHECK_CASE(&report, "", "b.txt: error");
    check_content("b.txt", "early");
    CHECK(files_in_folder() == 1);
    unlink(path_of("b.txt"));
}

static void test_discard(void)
{
    cd_file file;
    CHECK(cd_file_open(&file, path_of("c.txt"), false, &report) == CARDAN_OK);
    CHECK(files_in_folder() == 1);
    cd_file_discard(&file);
    cd_file_discard(&file);
    CHECK(files_in_folder() == 0);
}

static void test_folders_and_links(void)
{
    CHECK(cd_file_write(path_of("x/y/d.txt"), "deep", 4, false, &report) == CARDAN_OK);
    check_content("x/y/d.txt", "deep");
    char link[600];
    snprintf(link, sizeof link, "%s/link.txt", folder);
    CHECK(symlink("x/y/d.txt", link) == 0);
    CHECK(cd_file_write(link, "through", 7, true, &report) == CARDAN_OK);
    check_content("x/y/d.txt", "through");
    struct stat about;
    CHECK(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
    unlink(link);
    unlink(path_of("x/y/d.txt"));
    rmdir(path_of("x/y"));
    rmdir(path_of("x"));
}

static void test_errors(void)
{
    char*  data;
    size_t length;
    cardan_report_clear(&report);
    CHECK(cd_file_read(path_of("none.txt"), &data, &length, &report) == CARDAN_FILE_ERROR);
    CHECK(cd_file_read(folder, &data, &length, &report) == CARDAN_FILE_ERROR);
    CHECK(cd_file_write(folder, "x", 1, true, &report) == CARDAN_FILE_ERROR);
    CHECK_CASE(&report, "", "none.txt: error");
    CHECK_CASE(&report, "", "");
    CHECK_CASE(&report, "", "");
    CHECK(cd_file_write("/dev/full", "x", 1, true, &report) == CARDAN_FILE_ERROR);
    CHECK_CASE(&report, "", "/dev/full: error");
    CHECK(files_in_folder() == 0);
}

// A file redirected to standard output is continued at its position: it is neither truncated nor replaced.
static void test_standard_output(void)
{
    CHECK(cd_file_write(path_of("log.txt"), "first\n", 6, false, &report) == CARDAN_OK);
    fflush(stdout);
    const int before = dup(STDOUT_FILENO);
    const int log    = open(path_of("log.txt"), O_WRONLY | O_APPEND);
    CHECK(before >= 0 && log >= 0 && dup2(log, STDOUT_FILENO) == STDOUT_FILENO);
    const cardan_status status = cd_file_write("/dev/stdout", "second\n", 7, true, &report);
    CHECK(dup2(before, STDOUT_FILENO) == STDOUT_FILENO);
    close(before);
    close(log);
    CHECK(status == CARDAN_OK);
    check_content("log.txt", "first\nsecond\n");
    unlink(path_of("log.txt"));
}

// The content is synchronized before the file gets its name, the folder after that.
static void test_order_of_syncs(void)
{
    calls[0] = 0;
    CHECK(cd_file_write(path_of("s.txt"), "one", 3, false, &report) == CARDAN_OK);
    CHECK_TEXT(calls, "fld");
    calls[0] = 0;
    CHECK(cd_file_write(path_of("s.txt"), "two", 3, true, &report) == CARDAN_OK);
    CHECK_TEXT(calls, "frd");
    cardan_report_clear(&report);
    sync_fails = ENOSPC; // disks that report errors late
    CHECK(cd_file_write(path_of("s.txt"), "three", 5, true, &report) == CARDAN_FILE_ERROR);
    sync_fails = EINVAL; // file systems without sync
    CHECK(cd_file_write(path_of("t.txt"), "four", 4, true, &report) == CARDAN_OK);
    sync_fails = 0;
    CHECK_CASE(&report, "", "s.txt: error");
    check_content("s.txt", "two");
    CHECK(files_in_folder() == 2);
    unlink(path_of("t.txt"));
    unlink(path_of("s.txt"));
}

static int lowest_descriptor(void)
{
    const int descriptor = dup(0);
    close(descriptor);
    return descriptor;
}

static void test_no_stream(void)
{
    cardan_report_clear(&report);
    const int before = lowest_descriptor();
    open_fails       = ENOMEM;
    CHECK(cd_file_write(path_of("n.txt"), "x", 1, false, &report) == CARDAN_NO_MEMORY);
    CHECK(cd_file_write("/dev/stdout", "x", 1, false, &report) == CARDAN_NO_MEMORY);
    open_fails = 0;
    CHECK(lowest_descriptor() == before);
    CHECK_CASE(&report, "", "n.txt: error");
    CHECK(files_in_folder() == 0);
}

// A disk becomes full while rows are written: the error is that of the first failed row until the file is closed.
static void test_full_disk(void)
{
    struct rlimit before, small = {4096, 4096};
    cd_file       file;
    char          piece[1024] = {0};
    cardan_report_clear(&report);
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    CHECK(cd_file_open(&file, path_of("f.txt"), false, &report) == CARDAN_OK);
    bool good = true;
    for (int i = 0; i < 100 && good; ++i) {
        fwrite(piece, 1, sizeof piece, file.stream);
        good = cd_file_is_good(&file);
    }
    CHECK(!good);
    errno = EDOM;
    CHECK(cd_file_commit(&file, &report) == CARDAN_FILE_ERROR);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK_CASE(&report, "", "f.txt: error");
    CHECK(files_in_folder() == 0);
}

// Process that writes part of a file and is killed or waits.
static pid_t start_writer(const char* path)
{
    int ready[2];
    CHECK(pipe(ready) == 0);
    const pid_t id = fork();
    if (id == 0) {
        cd_file file;
        close(ready[0]);
        if (cd_file_open(&file, path, false, NULL) != CARDAN_OK) _exit(1);
        fputs("half", file.stream);
        fflush(file.stream);
        if (write(ready[1], "x", 1) != 1) _exit(1);
        for (;;) pause();
    }
    char c;
    close(ready[1]);
    CHECK(read(ready[0], &c, 1) == 1);
    close(ready[0]);
    return id;
}

static void end_writer(pid_t id)
{
    kill(id, SIGKILL);
    waitpid(id, NULL, 0);
}

static void test_killed_writer(void)
{
    char path[300];
    snprintf(path, sizeof path, "%s/k.txt", folder);
    const pid_t id = start_writer(path);
    CHECK(files_in_folder() == 1);
    CHECK(cd_file_write(path_of("other.txt"), "x", 1, false, &report) == CARDAN_OK);
    CHECK(files_in_folder() == 2); // the process runs
    CHECK(cd_file_write(path, "x", 1, false, &report) == CARDAN_OK);
    CHECK(files_in_folder() == 3); // two processes write the same file
    end_writer(id);
    CHECK(files_in_folder() == 3);
    CHECK(cd_file_write(path_of("other.txt"), "x", 1, true, &report) == CARDAN_OK); // another file of the folder
    CHECK(files_in_folder() == 2);
    check_content("k.txt", "x");
    unlink(path_of("k.txt"));
    unlink(path_of("other.txt"));
}

// Other names, links and folders that resemble partial files.
static void test_not_partial(void)
{
    static const char* const mine[] = {"a.csv.part",
                                       "a.csv.part1",
                                       "a.csv.12-0.part",
                                       "a.cardan-0123abcd-12.part",
                                       ".cardan-0123abcd-12-0.part",
                                       "a.cardan-0123abcd-12-0.part.txt",
                                       "a.cardan-0123ABCD-12-0.part",
                                       "a.cardan-0123abcd-12-0.part2"};
    enum { COUNT = sizeof mine / sizeof *mine };
    for (int i = 0; i < COUNT; ++i) {
        const int file = open(path_of(mine[i]), O_WRONLY | O_CREAT | O_EXCL, 0600);
        CHECK(file >= 0 && close(file) == 0);
    }
    char target[300], linked[300], deep[300];
    snprintf(target, sizeof target, "%s/target", folder);
    snprintf(linked, sizeof linked, "%s/l.cardan-0123abcd-12-0.part", folder);
    snprintf(deep, sizeof deep, "%s/d.cardan-0123abcd-12-0.part", folder);
    const int file = open(target, O_WRONLY | O_CREAT | O_EXCL, 0600);
    CHECK(file >= 0 && close(file) == 0 && symlink(target, linked) == 0 && mkdir(deep, 0700) == 0);
    CHECK(cd_file_write(path_of("w.txt"), "x", 1, false, &report) == CARDAN_OK);
    for (int i = 0; i < COUNT; ++i) CHECK(unlink(path_of(mine[i])) == 0);
    CHECK(unlink(linked) == 0 && unlink(target) == 0 && rmdir(deep) == 0);
    unlink(path_of("w.txt"));
}

// A name of maximal length, and permissions that are kept.
static void test_names_and_permissions(void)
{
    char        file[256];
    struct stat about;
    memset(file, 'n', 251);
    memcpy(file + 251, ".txt", 5);
    CHECK(cd_file_write(path_of(file), "long", 4, false, &report) == CARDAN_OK);
    check_content(file, "long");
    CHECK(chmod(path_of(file), 0440) == 0);
    CHECK(cd_file_write(path_of(file), "again", 5, true, &report) == CARDAN_OK);
    check_content(file, "again");
    CHECK(stat(path_of(file), &about) == 0 && (about.st_mode & 07777) == 0440);
    unlink(path_of(file));
}

static void check_digest(size_t length, const char* expected)
{
    char digest[65], data[256];
    memset(data, 'a', sizeof data);
    cd_sha256(data, length, digest);
    CHECK_TEXT(digest, expected);
}

// Published digests; lengths around the block size cover all cases of padding.
static void test_sha256(void)
{
    char digest[65];
    cd_sha256("abc", 3, digest);
    CHECK_TEXT(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_digest(0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_digest(55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    check_digest(56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    check_digest(64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    check_digest(200, "c2a908d98f5df987ade41b5fce213067efbcc21ef2240212a41e54b5e7c28ae5");
}

int main(void)
{
    snprintf(folder, sizeof folder, "%s/cardan-XXXXXX", P_tmpdir);
    if (!mkdtemp(folder)) return 1;
    RUN(test_write_and_read());
    RUN(test_file_created_by_another_process());
    RUN(test_discard());
    RUN(test_folders_and_links());
    RUN(test_errors());
    RUN(test_standard_output());
    RUN(test_order_of_syncs());
    RUN(test_no_stream());
    RUN(test_full_disk());
    RUN(test_killed_writer());
    RUN(test_not_partial());
    RUN(test_names_and_permissions());
    RUN(test_sha256());
    RUN(CHECK(rmdir(folder) == 0)); // no file remains
    RUN(test_sentences("test_file"));
    return test_end();
}
