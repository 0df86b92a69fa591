// SPDX-License-Identifier: BSD-3-Clause
// Files: whole or not at all, never over an existing one unasked.
#include "core/file.h"

#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char          folder[256];
static char          name[512];
static cardan_report report;

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
    CHECK(cd_file_write(path_of("a.txt"), "two", 3, false, &report) == CARDAN_NO_FILE);
    check_content("a.txt", "one");
    CHECK_HAS(report.message[0].text,
              "a.txt: error: is already there and is not overwritten; use --force, or another name with --output");
    CHECK(cd_file_write(path_of("a.txt"), "", 0, true, &report) == CARDAN_OK);
    check_content("a.txt", "");
    CHECK(files_in_folder() == 1);
    unlink(path_of("a.txt"));
}

static void test_file_that_appears_meanwhile(void)
{
    cd_file file;
    cardan_report_clear(&report);
    CHECK(cd_file_open(&file, path_of("b.txt"), false, &report) == CARDAN_OK);
    fputs("late", file.stream);
    CHECK(cd_file_write(path_of("b.txt"), "early", 5, false, &report) == CARDAN_OK);
    CHECK(cd_file_keep(&file, &report) == CARDAN_NO_FILE);
    CHECK_HAS(report.message[0].text, "b.txt: error: is already there");
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
    CHECK(cd_file_read(path_of("none.txt"), &data, &length, &report) == CARDAN_NO_FILE);
    CHECK(cd_file_read(folder, &data, &length, &report) == CARDAN_NO_FILE);
    CHECK(cd_file_write(folder, "x", 1, true, &report) == CARDAN_NO_FILE);
    CHECK_HAS(report.message[0].text, "none.txt: error: cannot be read: No such file");
    CHECK_HAS(report.message[1].text, "error: is a folder, not a file");
    CHECK_HAS(report.message[2].text, "error: is a folder, not a file");
    CHECK(cd_file_write("/dev/full", "x", 1, true, &report) == CARDAN_NO_FILE);
    CHECK_HAS(report.message[3].text, "/dev/full: error: cannot be written: No space left on device");
    CHECK(files_in_folder() == 0);
}

// A file behind standard output goes on where it stands: it is neither cut nor replaced.
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

static void check_digest(size_t length, const char* expected)
{
    char digest[65], data[256];
    memset(data, 'a', sizeof data);
    cd_sha256(data, length, digest);
    CHECK_TEXT(digest, expected);
}

// Published digests; lengths around the block size take every way of padding.
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
    RUN(test_file_that_appears_meanwhile());
    RUN(test_discard());
    RUN(test_folders_and_links());
    RUN(test_errors());
    RUN(test_standard_output());
    RUN(test_sha256());
    RUN(CHECK(rmdir(folder) == 0)); // nothing was left behind
    return test_end();
}
