// SPDX-License-Identifier: BSD-3-Clause
// Names of output files and protection of existing files.
#include "cli/support/output_files.h"
#include "cli/support/terminal_print.h"

#include "cli/support/messages.h"
#include "core/file.h"
#include "io/results/results.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_BYTES = 120 }; // of a file name; most file systems allow 255 with the ending

// Length of `name` cut to NAME_BYTES, not inside a character of UTF-8.
static size_t file_name_length(const char* name)
{
    size_t n = strlen(name);
    if (n <= NAME_BYTES) return n;
    for (n = NAME_BYTES; n > 0 && ((unsigned char)name[n] & 0xC0) == 0x80; --n) {
    }
    return n;
}

char* cd_result_path(const char* name, const char* ending)
{
    cd_text     text = {0};
    const char* end  = name + file_name_length(name);
    cd_text_add(&text, "results/");
    for (const char* p = name; p < end; ++p) {
        const bool plain =
            isalnum((unsigned char)*p) || (unsigned char)*p >= 128 || strchr("-_+", *p) || (*p == '.' && p != name);
        cd_text_add_bytes(&text, plain ? p : "-", 1);
    }
    if (!*name) cd_text_add(&text, "mechanism");
    cd_text_add(&text, ending);
    return cd_text_detach(&text);
}

bool cd_is_standard_output(const char* path)
{
    return path && (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/fd/1") == 0);
}

bool cd_is_device(const char* path)
{
    struct stat s;
    return path && stat(path, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

bool cd_is_same_file(const char* a, const char* b)
{
    struct stat s, t;
    return stat(a, &s) == 0 && stat(b, &t) == 0 && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

bool cd_can_write(const char* path, bool force)
{
    struct stat s;
    if (stat(path, &s) != 0) {
        if (lstat(path, &s) != 0) return true;
        return cd_report_error(CARDAN_CODE_FILE_EXISTS, "'%s' is a symbolic link to a file that does not exist", path),
               false;
    }
    if (S_ISDIR(s.st_mode)) return cd_report_error(CARDAN_CODE_FILE_NOT_WRITABLE, "'%s' is a folder", path), false;
    if (force || !S_ISREG(s.st_mode)) return true;
    cd_report_error(CARDAN_CODE_FILE_EXISTS, "'%s' exists; --force overwrites it, --output names another", path);
    return false;
}

int cd_report_write_failure(cardan_report* report, cardan_status status, const char* path, bool force)
{
    struct stat s;
    const int   code   = cd_report_failure(report, status);
    const bool  exists = !force && stat(path, &s) == 0 && S_ISREG(s.st_mode);
    if (status == CARDAN_FILE_ERROR && exists)
        cd_print_error("note: '%s' exists; --force overwrites it, --output names another\n", path);
    return code;
}

void cd_remove_sibling(const char* path, const char* ending)
{
    char* name = cd_results_sibling_path(path, ending);
    if (name) unlink(name);
    free(name);
}

int cd_write_text(const char* path, cd_text* text, bool force)
{
    if (text->failed || cd_is_standard_output(path)) return cd_print_and_free_text(text);
    int code = CD_EXIT_INPUT;
    if (cd_can_write(path, force)) {
        cardan_report       report = {0};
        const cardan_status status = cd_file_write(path, text->data ? text->data : "", text->length, force, &report);
        code                       = cd_report_write_failure(&report, status, path, force);
    }
    cd_text_free(text);
    return code;
}
