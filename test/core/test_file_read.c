// SPDX-License-Identifier: BSD-3-Clause
// Reading of files: regular files of bounded size; pipes, sockets, folders and endless devices are rejected; standard
// input to its end.
#include "core/file.h"
#include "sentences.h"
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char          folder[] = P_tmpdir "/cardan-read-XXXXXX";
static cardan_report report;

static const char* path_of(const char* name)
{
    static char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name); // short, as required for addresses of sockets
    return path;
}

static void make(const char* name, const char* bytes, size_t count, off_t size)
{
    const int file = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0 && write(file, bytes, count) == (ssize_t)count && ftruncate(file, size) == 0);
    close(file);
}

static void check_refused(const char* path, const char* parts)
{
    char*  data   = NULL;
    size_t length = 1;
    cardan_report_clear(&report);
    CHECK(cd_file_read(path, &data, &length, &report) == CARDAN_FILE_ERROR && !data && length == 0);
    CHECK(report.count == 1);
    CHECK_CASE(&report, path, parts);
}

static void test_regular(void)
{
    char*  data;
    size_t length;
    make("a", "one\0two\n", 8, 8);
    CHECK(cd_file_read(path_of("a"), &data, &length, &report) == CARDAN_OK);
    CHECK(length == 8 && memcmp(data, "one\0two\n", 9) == 0);
    free(data);
    make("a", "", 0, 0);
    CHECK(cd_file_read(path_of("a"), &data, &length, &report) == CARDAN_OK && length == 0 && data[0] == '\0');
    free(data);
    // the file system reports size 0
    CHECK(cd_file_read("/proc/self/status", &data, &length, &report) == CARDAN_OK && length > 100);
    free(data);
}

static void test_size(void)
{
    char*  data;
    size_t length;
    make("a", "x", 1, CD_FILE_SIZE_MAX);
    CHECK(cd_file_read(path_of("a"), &data, &length, &report) == CARDAN_OK && length == CD_FILE_SIZE_MAX &&
          data[0] == 'x');
    free(data);
    make("a", "x", 1, CD_FILE_SIZE_MAX + 1);
    check_refused(path_of("a"), "64 MB");
    make("a", "x", 1, (off_t)1 << 40);
    check_refused(path_of("a"), "64 MB");
    unlink(path_of("a"));
}

static void test_file_types(void)
{
    struct sockaddr_un address  = {.sun_family = AF_UNIX};
    const int          endpoint = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(mkfifo(path_of("pipe"), 0600) == 0);
    check_refused(path_of("pipe"), "pipe: error"); // no process writes to it
    unlink(path_of("pipe"));
    check_refused("/dev/zero", "/dev/zero: error");
    check_refused(folder, "");
    check_refused(path_of("none"), "none: error");
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path_of("s"));
    CHECK(bind(endpoint, (struct sockaddr*)&address, sizeof address) == 0);
    check_refused(path_of("s"), "");
    unlink(path_of("s"));
    close(endpoint);
}

// Standard input from a pipe to which another process writes `count` times 64 kB.
static cardan_status read_input(int count, char** data, size_t* length)
{
    static char block[65536];
    int         ends[2];
    memset(block, 'x', sizeof block);
    if (pipe(ends) != 0) return CARDAN_FILE_ERROR;
    const pid_t writer = fork();
    if (writer == 0) {
        close(ends[0]);
        for (int i = 0; i < count; ++i)
            if (write(ends[1], block, sizeof block) < 0) break;
        _exit(0);
    }
    close(ends[1]);
    if (ends[0] != STDIN_FILENO) { // equal where standard input is closed
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
    }
    const cardan_status status = cd_stdin_read(data, length, &report);
    close(STDIN_FILENO);
    waitpid(writer, NULL, 0);
    return status;
}

static void test_input(void)
{
    char*  data;
    size_t length;
    CHECK(read_input(3, &data, &length) == CARDAN_OK && length == 3 * 65536 && strlen(data) == length);
    free(data);
    cardan_report_clear(&report);
    CHECK(read_input(1025, &data, &length) == CARDAN_FILE_ERROR && !data && length == 0);
    CHECK_CASE(&report, "standard input", "standard input: error|64 MB");
    cardan_report_clear(&report);
    CHECK(cd_stdin_read(&data, &length, &report) == CARDAN_FILE_ERROR); // closed
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    sentence_folder = folder;
    RUN(test_regular());
    RUN(test_size());
    RUN(test_file_types());
    RUN(test_input());
    rmdir(folder);
    RUN(test_sentences("test_file_read"));
    return test_end();
}
