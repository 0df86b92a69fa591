// SPDX-License-Identifier: BSD-3-Clause
// Cache of compiled code. Only code of the user is loaded: folders and files that another user owns or can write, and
// symbolic links, are rejected with a message. The loaded bytes are those whose digest was checked.
#include "generate/compiled/build.h"

#include "sentences.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OTHER_USER = 65534 };

static char          folder[200];
static char          name[8][400];
static cardan_report report;

static bool no_memory_files;

// Systems without memory files.
int memfd_create(const char* file, unsigned flags)
{
    if (no_memory_files) return errno = ENOSYS, -1;
    return (int)syscall(SYS_memfd_create, file, flags);
}

// Path in the scratch folder, in one of eight buffers.
static const char* path_of(int i, const char* file)
{
    snprintf(name[i], sizeof name[i], "%s/%s", folder, file);
    return name[i];
}

static void use_cache(const char* path) { setenv("CARDAN_CACHE", path, 1); }

static bool exists(const char* path)
{
    struct stat s;
    return lstat(path, &s) == 0;
}

static unsigned mode_of(const char* path)
{
    struct stat s;
    return lstat(path, &s) == 0 ? (unsigned)s.st_mode & 07777 : 0;
}

static void write_file(const char* path, const char* text)
{
    FILE* f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void remove_all(const char* path)
{
    DIR* d = opendir(path);
    for (struct dirent* e; d && (e = readdir(d));) {
        char inside[800];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        snprintf(inside, sizeof inside, "%s/%s", path, e->d_name);
        if (unlink(inside) != 0) remove_all(inside);
    }
    if (d) closedir(d);
    rmdir(path);
}

// ---- folders

static void check_folder_rejected(const char* parts)
{
    cd_code_cache cache;
    cardan_report_clear(&report);
    CHECK(cd_code_cache_open(&cache, &report) == CARDAN_UNSUPPORTED);
    CHECK(cache.folder < 0 && !cache.is_writable);
    CHECK_HAS(report.count ? report.message[0].text : "", "CARDAN_CACHE");
    CHECK_CASE(&report, "folder", parts);
    cd_code_cache_close(&cache);
}

static void check_accepted(bool is_writable)
{
    cd_code_cache cache;
    cardan_report_clear(&report);
    CHECK(cd_code_cache_open(&cache, &report) == CARDAN_OK);
    CHECK(cache.folder >= 0 && cache.is_writable == is_writable && report.count == 0);
    cd_code_cache_close(&cache);
}

static void test_folder_is_created(void)
{
    const mode_t before = umask(0);
    use_cache(path_of(0, "made/inside/cache"));
    check_accepted(true);
    umask(before);
    CHECK(mode_of(path_of(1, "made")) == 0700 && mode_of(path_of(1, "made/inside")) == 0700);
    CHECK(mode_of(name[0]) == 0700);
    setenv("CARDAN_CACHE", "", 1);
    setenv("XDG_CACHE_HOME", path_of(1, "shared"), 1);
    check_accepted(true);
    CHECK(mode_of(path_of(1, "shared/cardan")) == 0700);
    remove_all(path_of(1, "shared"));
    remove_all(path_of(1, "made"));
}

static void test_rejected_folders(void)
{
    const char* real = path_of(0, "real");
    CHECK(mkdir(real, 0700) == 0);
    use_cache(real);
    check_accepted(true);
    for (unsigned other = 020; other >= 02; other /= 8) {
        CHECK(chmod(real, 0755 | other) == 0);
        check_folder_rejected("(mode ");
    }
    CHECK(chmod(real, 0777 | S_ISVTX) == 0);
    check_folder_rejected("(mode 1777)");
    CHECK(chmod(real, 0755) == 0); // read permission of others is allowed
    check_accepted(true);
    CHECK(symlink("real", path_of(1, "link")) == 0);
    use_cache(name[1]);
    check_folder_rejected("");
    use_cache(path_of(2, "link//"));
    check_folder_rejected("");
    CHECK(mkdir(path_of(3, "real/cache"), 0700) == 0);
    use_cache(path_of(4, "link/cache")); // link in the parent path: only the folder itself is checked
    check_accepted(true);
    if (geteuid() == 0) {
        CHECK(chown(real, OTHER_USER, OTHER_USER) == 0);
        use_cache(real);
        check_folder_rejected("65534| 0");
    }
    remove_all(name[3]);
    unlink(name[1]);
    remove_all(real);
}

static void test_no_folder(void)
{
    cd_code_cache cache;
    cardan_report_clear(&report);
    write_file(path_of(0, "text"), "x");
    use_cache(path_of(1, "text/cache"));
    CHECK(cd_code_cache_open(&cache, &report) == CARDAN_OK && cache.folder < 0 && report.count == 0);
    use_cache(name[0]); // a file, not a folder
    CHECK(cd_code_cache_open(&cache, &report) == CARDAN_OK && cache.folder < 0 && report.count == 0);
    unlink(name[0]);
}

// ---- code

static cardan_status accept(void* user, void* handle, cardan_report* messages)
{
    (void)messages;
    return cd_build_symbol(handle, "answer", user, sizeof(int (*)(void))) ? CARDAN_OK : CARDAN_UNSUPPORTED;
}

typedef struct program {
    cd_c_compiler compiler;
    cd_code_cache cache;
    cd_build      build;
    const char *  file, *text;
    int (*answer)(void);
} program;

static bool begin(program* p, const char* file, const char* text)
{
    static const char* const source[] = {"answer.c"};
    *p                                = (program){.file = file, .text = text};
    cardan_report_clear(&report);
    if (cd_c_compiler_find(&p->compiler, &report) != CARDAN_OK) return false;
    CHECK(cd_code_cache_open(&p->cache, &report) == CARDAN_OK);
    p->build = (cd_build){.compiler     = &p->compiler,
                          .cache        = &p->cache,
                          .library_name = file,
                          .nfile        = 1,
                          .file_name    = source,
                          .file_text    = &p->text,
                          .user         = &p->answer,
                          .check        = accept};
    return true;
}

static void end(program* p)
{
    cd_loaded_library_close(&p->build.loaded);
    cd_code_cache_close(&p->cache);
}

static void make(const char* file, const char* text, int answer)
{
    program p;
    if (!begin(&p, file, text)) return;
    CHECK(cd_build_find(&p.build, &report) == CD_CACHE_ABSENT);
    CHECK(cd_build_compile(&p.build, &report) == CARDAN_OK && report.count == 0);
    CHECK(p.answer && p.answer() == answer);
    end(&p);
}

static cd_cache_result find(const char* file, int answer)
{
    program p;
    if (!begin(&p, file, "")) return CD_CACHE_ABSENT;
    const cd_cache_result found = cd_build_find(&p.build, &report);
    CHECK(found != CD_CACHE_VALID || (p.answer && p.answer() == answer));
    end(&p);
    return found;
}

static const char one[] = "int answer(void) { return 1; }\n", two[] = "int answer(void) { return 2; }\n";

static int files_in(const char* path)
{
    int  n = 0;
    DIR* d = opendir(path);
    for (struct dirent* e; d && (e = readdir(d));) n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (d) closedir(d);
    return n;
}

static void test_compile_and_find(void)
{
    const mode_t before = umask(0); // compilers create files that every user can write
    use_cache(path_of(0, "cache"));
    make("one.so", one, 1);
    make("two.so", two, 2);
    umask(before);
    CHECK(mode_of(path_of(1, "cache/one.so")) == 0600);
    CHECK(files_in(name[0]) == 2); // no build folder remains
    CHECK(find("one.so", 1) == CD_CACHE_VALID && find("two.so", 2) == CD_CACHE_VALID);
}

// Two libraries loaded at the same time are different, for any descriptor numbers.
static void test_two_at_once(void)
{
    program p, q;
    if (!begin(&p, "one.so", one) || !begin(&q, "two.so", two)) return;
    CHECK(cd_build_find(&p.build, &report) == CD_CACHE_VALID && cd_build_find(&q.build, &report) == CD_CACHE_VALID);
    CHECK(p.answer() == 1 && q.answer() == 2);
    end(&p);
    CHECK(q.answer() == 2);
    end(&q);
}

static void test_no_memory_files(void)
{
    no_memory_files = true;
    CHECK(find("one.so", 1) == CD_CACHE_VALID && find("two.so", 2) == CD_CACHE_VALID);
    test_two_at_once();
    no_memory_files = false;
}

// Closing the libraries closes all descriptors.
static void test_descriptors(void)
{
    const int before = dup(0);
    close(before);
    for (int i = 0; i < 3; ++i) CHECK(find("one.so", 1) == CD_CACHE_VALID);
    const int after = dup(0);
    close(after);
    CHECK(before == after);
}

static void check_file_rejected(const char* parts)
{
    CHECK(find("one.so", 1) == CD_CACHE_REFUSED);
    CHECK_HAS(report.count ? report.message[0].text : "", "cache/one.so");
    CHECK_CASE(&report, "file", parts);
    CHECK(exists(name[1])); // the file is not removed
}

static void test_rejected_files(void)
{
    path_of(1, "cache/one.so");
    for (unsigned other = 020; other >= 02; other /= 8) {
        CHECK(chmod(name[1], 0644 | other) == 0);
        check_file_rejected("(mode 06");
    }
    CHECK(chmod(name[1], 0600) == 0);
    CHECK(link(name[1], path_of(2, "second name")) == 0);
    check_file_rejected(" 2 ");
    unlink(name[2]);
    CHECK(rename(name[1], name[2]) == 0 && symlink(name[2], name[1]) == 0);
    check_file_rejected("");
    CHECK(unlink(name[1]) == 0 && mkfifo(name[1], 0600) == 0);
    check_file_rejected("");
    CHECK(unlink(name[1]) == 0 && rename(name[2], name[1]) == 0);
    if (geteuid() == 0) {
        CHECK(chown(name[1], OTHER_USER, OTHER_USER) == 0);
        check_file_rejected("65534| 0");
        CHECK(chown(name[1], 0, 0) == 0);
    }
    CHECK(find("one.so", 1) == CD_CACHE_VALID);
}

// A file that is replaced or changed after its check: the checked bytes are loaded.
static void test_replaced_file(void)
{
    cd_code_cache     cache;
    cd_library_image  image;
    cd_build_info     about;
    cd_loaded_library loaded;
    int (*answer)(void) = NULL;
    CHECK(cd_code_cache_open(&cache, &report) == CARDAN_OK);
    for (int round = 0; round < 2; ++round) {
        CHECK(cd_code_cache_find(&cache, "one.so", &image, &about, &report) == CD_CACHE_VALID);
        if (round == 0) { // another file
            CHECK(rename(path_of(1, "cache/one.so"), path_of(2, "kept")) == 0);
            CHECK(rename(path_of(3, "cache/two.so"), name[1]) == 0);
        } else { // the same file with other bytes
            FILE* f = fopen(name[1], "r+");
            CHECK(f && ftruncate(fileno(f), 100) == 0 && fclose(f) == 0);
        }
        CHECK(cd_library_image_load(&image, &loaded, &report) == CARDAN_OK);
        CHECK(loaded.handle && cd_build_symbol(loaded.handle, "answer", &answer, sizeof answer) && answer() == 1);
        cd_loaded_library_close(&loaded);
        cd_library_image_free(&image);
        if (round == 0) CHECK(rename(name[1], name[3]) == 0 && rename(name[2], name[1]) == 0);
    }
    cd_code_cache_close(&cache);
    CHECK(find("one.so", 1) == CD_CACHE_DAMAGED && !exists(name[1]));
}

// ---- removal of old files

static void test_removal(void)
{
    cd_code_cache cache;
    CHECK(cd_code_cache_open(&cache, &report) == CARDAN_OK);
    CHECK(mkdir(path_of(1, "elsewhere"), 0700) == 0);
    write_file(path_of(2, "elsewhere/file"), "mine");
    CHECK(symlink(name[1], path_of(3, "cache/work-link")) == 0);      // a link to a folder
    CHECK(mkdir(path_of(4, "cache/work-dead"), 0700) == 0);           // of a process that has ended
    CHECK(symlink(name[2], path_of(5, "cache/work-dead/link")) == 0); // with a link in it
    CHECK(mkdir(path_of(6, "cache/work-alive"), 0700) == 0);
    const int lock = open(name[6], O_RDONLY | O_DIRECTORY);
    CHECK(lock >= 0 && flock(lock, LOCK_EX) == 0);
    cd_build_folder_remove_stale(cache.folder);
    CHECK(exists(name[2]) && exists(name[3]) && exists(name[6]) && !exists(name[4]));
    close(lock);
    cd_build_folder_remove_stale(cache.folder);
    CHECK(!exists(name[6]));
    unlink(name[3]);
    // limit of the size: a link is not a file of the cache, and its target remains
    CHECK(symlink(name[2], path_of(3, "cache/link.so")) == 0);
    cd_code_cache_limit_size(&cache, 0);
    CHECK(exists(name[2]) && exists(name[3]) && !exists(path_of(5, "cache/two.so")));
    unlink(name[3]);
    remove_all(name[1]);
    cd_code_cache_close(&cache);
}

// Folders for temporary files in which other users can replace files.
static void test_temporary(void)
{
    cd_build_folder work;
    CHECK(mkdir(path_of(1, "temporary"), 0700) == 0 && chmod(name[1], 0777) == 0);
    setenv("TMPDIR", name[1], 1);
    cardan_report_clear(&report);
    CHECK(cd_build_folder_create(-1, NULL, &work, &report) == CARDAN_UNSUPPORTED);
    CHECK_CASE(&report, "temporary folder", "TMPDIR");
    CHECK(files_in(name[1]) == 0);
    CHECK(chmod(name[1], 0777 | S_ISVTX) == 0);
    const mode_t before = umask(0);
    CHECK(cd_build_folder_create(-1, NULL, &work, &report) == CARDAN_OK);
    umask(before);
    snprintf(name[2], sizeof name[2], "%.300s/%s", name[1], work.name);
    CHECK(mode_of(name[2]) == 0700);
    CHECK(symlink(name[2], path_of(3, "temporary/link")) == 0);
    close(cd_build_folder_write_file(&work, "file", "text", 4));
    CHECK(cd_build_folder_write_file(&work, "file", "text", 4) < 0);
    cd_build_folder_remove(&work);
    CHECK(!exists(name[2]));
    unlink(name[3]);
    remove_all(name[1]);
    unsetenv("TMPDIR");
}

int main(void)
{
    snprintf(folder, sizeof folder, "%s/cardan-XXXXXX", P_tmpdir);
    if (!mkdtemp(folder)) return 1;
    sentence_folder = folder;
    RUN(test_folder_is_created());
    RUN(test_rejected_folders());
    RUN(test_no_folder());
    RUN(test_compile_and_find());
    RUN(test_two_at_once());
    RUN(test_no_memory_files());
    RUN(test_descriptors());
    RUN(test_rejected_files());
    RUN(test_replaced_file());
    RUN(test_removal());
    RUN(test_temporary());
    remove_all(path_of(0, "cache"));
    RUN(CHECK(rmdir(folder) == 0)); // no file remains
    RUN(test_sentences("test_code_cache"));
    return test_end();
}
