// SPDX-License-Identifier: BSD-3-Clause
// Failed memory allocations in the command-line tool. Each command runs many times in a child process in which
// allocation number k fails, alone or with all later ones. A run in which an allocation fails must end with "out of
// memory" and exit code 1, or give the output of the reference run without failures. A different report, a different
// diagnosis or an incomplete file is an error.
//
// The program contains the tool: main of src/cli/main.c is compiled as tool_main (test/CMakeLists.txt). The allocation
// functions are wrapped, so that allocations of Cardan are distinguished from those of other libraries.
//
//     test_out_of_memory                 a sample of k per command (see `choose_step`)
//     test_out_of_memory all [NAME]      every k, for commands whose names contain NAME
//     test_out_of_memory NAME K [MODE]   one run with its complete output; MODE as in `mode` below
// CARDAN_TEST_ALL=1 in the environment has the effect of `all`.
#include "test.h"

#include <cardan/status.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int  tool_main(int argc, char** argv);
bool cd_allocation_failed(void);

// The tool also records failed allocations itself (src/cli/support/allocation_check.c). Disabled here: the statuses
// that functions return must be sufficient.
bool cd_allocation_failed(void) { return false; }

// ---- failing allocations

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* p, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
void* __real_mmap(void* at, size_t size, int protection, int flags, int file, off_t offset);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* p, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);
void* __wrap_mmap(void* at, size_t size, int protection, int flags, int file, off_t offset);

enum { CHAIN = 24 };

static atomic_long allocations;  // allocations so far, from 1
static long        failing = -1; // number of the allocation that fails; -1: none
static bool        all_later;    // all later allocations fail too
static bool        everywhere;   // allocations of other libraries count too
static int         chain_file = -1;
static long*       counted; // number of allocations of the child, in memory shared with the parent

static bool fails(void)
{
    const long n = atomic_fetch_add(&allocations, 1) + 1;
    if (counted && n > *counted) *counted = n; // multistart searches run in child processes
    if (failing < 0 || n < failing || (n > failing && !all_later)) return false;
    if (n == failing && chain_file >= 0) {
        void*     at[CHAIN];
        const int depth = backtrace(at, CHAIN);
        (void)!write(chain_file, at, sizeof *at * (size_t)depth);
    }
    errno = ENOMEM;
    return true;
}

// Calls of other libraries are resolved to the functions of these names before those of the C library. With sanitizers,
// which replace them themselves, only allocations of Cardan fail.
#if defined(__has_feature) // clang; gcc defines macros
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(SANITIZED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
enum { FOREIGN = false };
#define own_malloc __real_malloc
#define own_calloc __real_calloc
#define own_realloc __real_realloc
#define own_aligned_alloc __real_aligned_alloc
#else
enum { FOREIGN = true };
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* p, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void* memalign(size_t alignment, size_t size);
#define own_malloc __libc_malloc
#define own_calloc __libc_calloc
#define own_realloc __libc_realloc
#define own_aligned_alloc __libc_memalign

void* malloc(size_t size) { return everywhere && fails() ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return everywhere && fails() ? NULL : __libc_calloc(count, size); }
void* realloc(void* p, size_t size) { return everywhere && fails() ? NULL : __libc_realloc(p, size); }
void* memalign(size_t alignment, size_t size)
{
    return everywhere && fails() ? NULL : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int   posix_memalign(void** p, size_t alignment, size_t size) { return (*p = memalign(alignment, size)) ? 0 : ENOMEM; }
#endif

void* __wrap_malloc(size_t size) { return fails() ? NULL : own_malloc(size); }
void* __wrap_calloc(size_t count, size_t size) { return fails() ? NULL : own_calloc(count, size); }
void* __wrap_realloc(void* p, size_t size) { return fails() ? NULL : own_realloc(p, size); }
void* __wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : own_aligned_alloc(alignment, size);
}
void* __wrap_mmap(void* at, size_t size, int protection, int flags, int file, off_t offset)
{
    return fails() ? MAP_FAILED : __real_mmap(at, size, protection, flags, file, offset);
}

// ---- clocks that advance by a constant per call, so that two runs print the same times

int    __wrap_clock_gettime(clockid_t clock, struct timespec* t);
time_t __wrap_time(time_t* t);
int    __real_clock_gettime(clockid_t clock, struct timespec* t);

static atomic_long ticks;
static long        tick = 1000; // [ns]

int __wrap_clock_gettime(clockid_t clock, struct timespec* t)
{
    (void)clock;
    const long n = tick * atomic_fetch_add(&ticks, 1);
    *t           = (struct timespec){.tv_sec = 1 + n / 1000000000, .tv_nsec = n % 1000000000};
    return 0;
}

time_t __wrap_time(time_t* t)
{
    if (t) *t = 1000000000;
    return 1000000000;
}

// ---- one run of the tool in a child process

enum { MOST_FILES = 16, MOST_WORDS = 24 };

typedef enum mode { ONCE, ALL_LATER, FOREIGN_ONCE, FOREIGN_ALL_LATER } mode; // counted and failing allocations

static const char* const mode_word[] = {"once", "all later", "foreign", "foreign, all later"};

typedef struct file_text {
    char   name[200];
    char*  text;
    size_t length;
} file_text;

typedef struct outcome {
    int       code; // exit code, or 1000 + signal
    long      allocations;
    file_text out, err;
    int       nfile;
    file_text file[MOST_FILES]; // files that the run wrote to its folder
} outcome;

static char     scratch[200];
static outcome* collecting;

static file_text read_file(const char* path)
{
    file_text   f    = {0};
    const int   file = open(path, O_RDONLY);
    struct stat about;
    snprintf(f.name, sizeof f.name, "%s", path);
    if (file < 0 || fstat(file, &about) != 0) return f;
    f.text = own_calloc((size_t)about.st_size + 1, 1);
    for (ssize_t n; f.text && (n = read(file, f.text + f.length, (size_t)about.st_size - f.length)) > 0;)
        f.length += (size_t)n;
    close(file);
    return f;
}

static int collect_file(const char* path, const struct stat* about, int type, struct FTW* walk)
{
    (void)about, (void)walk;
    if (type == FTW_F && collecting && collecting->nfile < MOST_FILES)
        collecting->file[collecting->nfile++] = read_file(path);
    if (strcmp(path, "work") != 0) (void)remove(path);
    return 0;
}

// Read the files that the run wrote to its folder and empty the folder. Paths are relative to `scratch`, the current
// folder.
static void collect_files(outcome* o)
{
    collecting = o;
    nftw("work", collect_file, 8, FTW_DEPTH | FTW_PHYS);
    collecting = NULL;
}

static void free_outcome(outcome* o)
{
    free(o->out.text), free(o->err.text);
    for (int i = 0; i < o->nfile; ++i) free(o->file[i].text);
    *o = (outcome){0};
}

static int split(char* words, char** argv)
{
    int n = 0;
    for (char* w = strtok(words, " "); w && n < MOST_WORDS - 1; w = strtok(NULL, " ")) argv[n++] = w;
    argv[n] = NULL;
    return n;
}

static void redirect(const char* path, int to)
{
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || dup2(file, to) < 0) _exit(250);
    close(file);
}

static void run_child(const char* command, long k, mode how)
{
    char  words[2000];
    char* argv[MOST_WORDS];
    redirect("out", STDOUT_FILENO);
    redirect("err", STDERR_FILENO);
    if (chdir("work") != 0) _exit(250);
    if (*command == '!') setenv("CARDAN_CACHE", "cache", 1), ++command;
    snprintf(words, sizeof words, "cardan %s", command);
    const int argc = split(words, argv);
    alarm(60);
    ticks       = 0;
    tick        = strncmp(command, "compare", 7) == 0 ? 5000000 : 1000; // for repetitions of 'compare'
    allocations = 0;
    failing     = k;
    all_later   = how == ALL_LATER || how == FOREIGN_ALL_LATER;
    everywhere  = how >= FOREIGN_ONCE;
    exit(tool_main(argc, argv));
}

static outcome run_tool(const char* command, long k, mode how)
{
    outcome o = {0};
    int     status;
    fflush(stdout);
    *counted        = 0;
    const pid_t one = fork();
    if (one == 0) run_child(command, k, how);
    if (one < 0 || waitpid(one, &status, 0) != one) return (outcome){.code = 2000};
    o.code        = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    o.allocations = *counted;
    o.out         = read_file("out");
    o.err         = read_file("err");
    collect_files(&o);
    return o;
}

// ---- comparison of a run with the reference run

static bool same_text(const file_text* a, const file_text* b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->text, b->text, a->length) == 0);
}

static size_t line_length(const char* s) { return strcspn(s, "\n"); }

// True if the words of `line` are words of `other` in the same order; unknown values may be missing.
static bool is_subsequence(const char* line, size_t n, const char* other, size_t m)
{
    const char *const end = line + n, *const stop = other + m;
    for (line += strspn(line, " "); line < end; line += strspn(line, " ")) {
        const size_t word = strcspn(line, " \n");
        for (;; other += strcspn(other, " \n")) {
            other += strspn(other, " ");
            if (other >= stop) return false;
            if (strcspn(other, " \n") >= word && memcmp(other, line, word) == 0) break;
        }
        other += word;
        line += word;
        if (line >= end) break;
    }
    return true;
}

static bool has_line(const char* text, const char* line, size_t n)
{
    for (const char* s = text; s && *s;) {
        const size_t m = line_length(s);
        if (is_subsequence(line, n, s, m)) return true;
        s += m + (s[m] == '\n');
    }
    return false;
}

static bool contains_word(const char* line, size_t n, const char* word)
{
    const char* at = line ? strstr(line, word) : NULL;
    return at && at + strlen(word) <= line + n;
}

// First line that is not a line of the reference run and contains neither of two words; NULL: none.
static const char* find_other_line(const file_text* text, const file_text* good, const char* word, const char* other)
{
    for (const char* s = text->text; s && *s;) {
        const size_t m = line_length(s);
        if (m > 0 && !has_line(good->text, s, m) && !contains_word(s, m, word) && !contains_word(s, m, other)) return s;
        s += m + (s[m] == '\n');
    }
    return NULL;
}

static bool files_are_correct(const outcome* o, const outcome* good)
{
    for (int i = 0; i < o->nfile; ++i) {
        bool found = strstr(o->file[i].name, ".journal") ||
                     strstr(o->file[i].name, ".cases/") || // input of a resumed study
                     strstr(o->file[i].name, "work/cache/");
        for (int j = 0; j < good->nfile; ++j)
            found =
                found || (strcmp(o->file[i].name, good->file[j].name) == 0 && same_text(&o->file[i], &good->file[j]));
        if (!found) return false;
    }
    return true;
}

// True if a command calls IPOPT or SUNDIALS, which end the process or fail if one of their own allocations fails
// (docs/limitations.md).
static bool calls_solver(const char* command)
{
    static const char* const word[] = {"optimize ", "equilibrium", "-i cvode", "-i ida"};
    for (size_t i = 0; i < sizeof word / sizeof *word; ++i)
        if (strstr(command, word[i])) return true;
    return false;
}

static const char* last_line(const file_text* text)
{
    const char* last = "";
    for (const char* s = text->text; s && *s; s += line_length(s) + (s[line_length(s)] == '\n')) last = s;
    return last;
}

// First number after "cost" in a report; NAN: none.
static double cost_of(const outcome* o)
{
    const char* at = o->out.text ? strstr(o->out.text, "cost") : NULL;
    if (at) at = strpbrk(at, "-0123456789");
    return at ? strtod(at, NULL) : (double)NAN;
}

// True if an optimization with exit code 0 has a complete report with the cost and all files of the reference run:
// IPOPT may continue with other iterations after a failed allocation of its linear solver (docs/limitations.md).
static bool continues_correctly(const outcome* o, const outcome* good)
{
    bool same = o->code == 0 && good->code == 0 && o->nfile == good->nfile &&
                fabs(cost_of(o) - cost_of(good)) <= 1e-6 * fabs(cost_of(good)) &&
                strcmp(last_line(&o->out), last_line(&good->out)) == 0;
    for (int i = 0; same && i < o->nfile; ++i) same = strcmp(o->file[i].name, good->file[i].name) == 0;
    return same;
}

// NULL if the run is correct, otherwise the defect. solver: allocations of a solver fail too.
static const char* find_defect(const outcome* o, const outcome* good, bool solver)
{
    const char* const sentence = cardan_status_text(CARDAN_NO_MEMORY);
    const char* const errors = o->err.text ? o->err.text : "";
    if (solver && o->code == 1 && (strstr(errors, "[command_failed]") || strstr(errors, "[search_failed]"))) return NULL;
    if (solver && (o->code == 3 || o->code == 1000 + SIGABRT || o->code == 1000 + SIGSEGV)) return NULL;
    if (solver && continues_correctly(o, good)) return NULL;
    if (o->code >= 1000) return "ended by a signal";
    if (o->code == 99) return "stopped by a sanitizer";
    if (o->code == good->code && same_text(&o->out, &good->out) && same_text(&o->err, &good->err) &&
        o->nfile == good->nfile && files_are_correct(o, good))
        return NULL;
    if (o->code == 0) return "exit code 0 and other output than the reference run";
    if (o->code != 1) return "exit code is not 1";
    if (!o->err.text || !strstr(o->err.text, sentence)) return "no message about missing memory";
    // an exception that ends a process of a search is reported by the C++ library in two lines
    if (find_other_line(&o->err, &good->err, sentence, solver ? "bad_alloc" : sentence))
        return "other messages besides missing memory";
    const char* const odd = strstr(o->out.text ? o->out.text : "", "\"no_memory\"")
                                ? NULL
                                : find_other_line(&o->out, &good->out, sentence, sentence);
    static char       defect[200];
    if (odd) return snprintf(defect, sizeof defect, "prints: %.*s", (int)line_length(odd), odd), defect;
    if (!files_are_correct(o, good)) return "incomplete file";
    return NULL;
}

#include "out_of_memory_cases.h"

static void expand(char* to, size_t size, const char* from)
{
    size_t n = 0;
    for (; *from && n + 1 < size; ++from)
        if (*from == '@' || *from == '%')
            n += (size_t)snprintf(to + n, size - n, *from == '@' ? "%s" : "%s/files",
                                  *from == '@' ? CARDAN_SOURCE : scratch);
        else
            to[n++] = *from;
    to[n < size ? n : size - 1] = 0;
}

static void write_file(const char* name, const char* text, size_t length)
{
    char  path[400];
    FILE* file = (snprintf(path, sizeof path, "files/%s", name), fopen(path, "w"));
    CHECK(file && fwrite(text, 1, length, file) == length);
    if (file) fclose(file);
}

// Write the standard output of a command to a file.
static void make_input(const char* name, const char* command)
{
    char expanded[1000];
    expand(expanded, sizeof expanded, command);
    outcome o = run_tool(expanded, -1, ONCE);
    CHECK(o.code == 0 && o.out.length > 0);
    if (o.out.text) write_file(name, o.out.text, o.out.length);
    free_outcome(&o);
}

static void make_inputs(void)
{
    char text[2000];
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; ++i) {
        expand(text, sizeof text, inputs[i].text);
        write_file(inputs[i].name, text, strlen(text));
    }
    make_input("motion.csv", "run @/models/four_bar -d 0.05 -q -c default,accelerations -o -");
    make_input("state.json", "accel @/models/four_bar --json");
    make_input("compiled.csv", "run @/models/pendulum -d 0.02 --generated always -o -"); // fills the cache
}

// ---- sweeps over k

static bool every; // test every k
static int  which; // 1: allocations of Cardan, 2: those of all code, 0: both
static int  chains_to = -1;

static void print_chain(const char* name, long k, mode how, const char* why)
{
    void*         at[CHAIN];
    char          line[1200];
    const ssize_t bytes = pread(chain_file, at, sizeof at, 0);
    int           n     = snprintf(line, sizeof line, "%s|%ld|%s|%s", name, k, mode_word[how], why);
    for (int i = 0; i < (int)(bytes / (ssize_t)sizeof *at) && n < (int)sizeof line - 40; ++i)
        n += snprintf(line + n, sizeof line - (size_t)n, "|%p", at[i]);
    n += snprintf(line + n, sizeof line - (size_t)n, "\n");
    (void)!write(chains_to, line, (size_t)n);
}

// Run with one k. The first wrong runs of a command are printed.
static bool run_with_failure(const char* name, const char* command, const outcome* good, long k, mode how, int* wrong)
{
    if (chain_file >= 0) (void)!ftruncate(chain_file, 0), (void)lseek(chain_file, 0, SEEK_SET);
    outcome           o   = run_tool(command, k, how);
    const char* const why = find_defect(&o, good, how >= FOREIGN_ONCE && calls_solver(command));
    if (why && chains_to >= 0) print_chain(name, k, how, why);
    if (why && ++*wrong <= 3)
        printf("%s: allocation %ld of %ld fails (%s): %s (exit code %d)\n%.600s%.600s", name, k, good->allocations,
               mode_word[how], why, o.code, o.err.text ? o.err.text : "", o.out.text ? o.out.text : "");
    free_outcome(&o);
    return !why;
}

enum { FIRST = 20, SAMPLES = 40 };

// Every k up to FIRST, then about SAMPLES of the remaining ones at an odd distance, so that k is even and odd.
static long choose_step(long k, long count)
{
    const long distance = (count - FIRST) / SAMPLES;
    return every || k < FIRST || distance < 2 ? 1 : distance | 1;
}

static double wall_time(void)
{
    struct timespec t;
    __real_clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// All k or a sample of them. In a sample, the allocation fails alone and with all later ones alternately.
static void sweep(const char* name, const char* command, mode how)
{
    int               wrong = 0;
    long              tried = 0;
    const double      start = wall_time();
    outcome           good  = run_tool(command, -1, how);
    outcome           again = run_tool(command, -1, how);
    const char* const other = find_defect(&again, &good, false);
    if (good.code > 3 || other || again.allocations != good.allocations) {
        printf("%s: exit code %d; a second run %s\n%s", name, good.code,
               other ? other : "has another number of allocations", good.err.text ? good.err.text : "");
        CHECK(false);
    }
    bool is_odd = false;
    for (long k = 1; k <= good.allocations; k += choose_step(k, good.allocations), is_odd = !is_odd) {
        tried += 1 + every;
        if (every || !is_odd) run_with_failure(name, command, &good, k, how, &wrong);
        if (every || is_odd) run_with_failure(name, command, &good, k, how + 1, &wrong);
    }
    if (every || chains_to >= 0)
        printf("%s: %s, %ld allocations, %ld runs, %d wrong, %.1f s\n", name, mode_word[how], good.allocations, tried,
               wrong, wall_time() - start);
    if (wrong > 0) printf("%s: %d of %ld runs are wrong: cardan %s\n", name, wrong, tried, command);
    CHECK(wrong == 0);
    free_outcome(&good), free_outcome(&again);
}

static void test_command(const char* name, const char* command)
{
    if (which != 2) sweep(name, command, ONCE);
    if (FOREIGN && which != 1) sweep(name, command, FOREIGN_ONCE);
}

static void print_run(const char* command, long k, mode how)
{
    outcome o = run_tool(command, k, how);
    printf("exit code %d, %ld allocations\n---- standard error\n%s---- standard output\n%s", o.code, o.allocations,
           o.err.text ? o.err.text : "", o.out.text ? o.out.text : "");
    for (int i = 0; i < o.nfile; ++i) printf("---- %s (%zu bytes)\n", o.file[i].name, o.file[i].length);
    free_outcome(&o);
}

static void begin(void)
{
    void* at[2];
    (void)backtrace(at, 2); // loads the library that backtrace needs
    snprintf(scratch, sizeof scratch, "/tmp/cardan-memory-XXXXXX");
    counted = mmap(NULL, sizeof *counted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(counted != MAP_FAILED && mkdtemp(scratch) && chdir(scratch) == 0 && mkdir("work", 0777) == 0 &&
          mkdir("files", 0777) == 0);
    char cache[300];
    snprintf(cache, sizeof cache, "%s/cache", scratch);
    setenv("CARDAN_CACHE", cache, 1);
    if (getenv("CARDAN_TEST_CHAINS")) {
        chains_to  = open(getenv("CARDAN_TEST_CHAINS"), O_WRONLY | O_CREAT | O_APPEND, 0666);
        chain_file = open("chain", O_RDWR | O_CREAT, 0666);
    }
    make_inputs();
}

static int remove_one(const char* path, const struct stat* about, int type, struct FTW* walk)
{
    (void)about, (void)type, (void)walk;
    return remove(path);
}

int main(int argc, char** argv)
{
    if (strcmp(argv[0], "cardan") == 0) return tool_main(argc, argv); // case of a study
    char        command[1000];
    const bool  all  = argc > 1 && strcmp(argv[1], "all") == 0;
    const bool  one  = argc > 2 && !all;
    const char* name = argc > 2 && all ? argv[2] : argc > 1 && !all ? argv[1] : "";
    every            = all || getenv("CARDAN_TEST_ALL");
    if (getenv("CARDAN_TEST_WHICH")) which = atoi(getenv("CARDAN_TEST_WHICH"));
    begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        if (one ? strcmp(cases[i].name, name) != 0 : !strstr(cases[i].name, name)) continue;
        expand(command, sizeof command, cases[i].text);
        if (one)
            print_run(command, atol(argv[2]), argc > 3 ? (mode)atoi(argv[3]) : ONCE);
        else
            RUN(test_command(cases[i].name, command));
    }
    if (chdir("/") == 0) nftw(scratch, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return test_end();
}
