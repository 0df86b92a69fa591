// SPDX-License-Identifier: BSD-3-Clause
// cardan-sweep-mpi: a study of `cardan sweep` over the ranks of MPI.
//
//     mpirun -n 64 cardan-sweep-mpi STUDY [options of cardan sweep]
//
// It knows nothing about studies. Rank 0 asks `cardan sweep STUDY --pending` which cases are left, hands their numbers
// to the ranks, itself among them, and appends to the journal the lines that `cardan sweep STUDY --case N` prints
// there; at the end `cardan sweep STUDY` makes the table. So a case is the same process as without MPI, this program
// links nothing of the library, and after any end the same command goes on. Ranks need the study at the same path, and
// cardan beside this program or in PATH.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { TAG_CASE = 1, TAG_LINE = 2, END = 0 };

// A command whose output is being read.
typedef struct call {
    pid_t  id; // 0: none
    int    pipe;
    char*  text;
    size_t length, capacity;
} call;

static volatile sig_atomic_t interrupted; // a signal handler can reach nothing else

static void note_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static void tell(const char* sentence, const char* what)
{
    fprintf(stderr, "cardan-sweep-mpi: %s%s\n", sentence, what);
}

// cardan beside this program, else that of PATH.
static const char* tool(void)
{
    static char   path[PATH_MAX];
    const ssize_t n     = readlink("/proc/self/exe", path, sizeof path - 16);
    char*         slash = n > 0 ? (path[n] = 0, strrchr(path, '/')) : NULL;
    if (slash) strcpy(slash + 1, "cardan");
    return slash && access(path, X_OK) == 0 ? path : "cardan";
}

// cardan sweep ARGUMENTS [more [value]]; its standard output comes through the pipe, or goes where ours goes.
static bool start(call* c, int argc, char** argv, const char* more, const char* value, bool listen)
{
    int          ends[2] = {-1, -1};
    const char** a       = calloc((size_t)argc + 8, sizeof *a);
    int          n       = 0;
    if (!a || (listen && pipe(ends) != 0)) return free(a), false;
    a[n++] = "cardan";
    a[n++] = "sweep";
    for (int i = 1; i < argc; ++i)
        if ((more && !value) || (strcmp(argv[i], "--force") != 0 && strcmp(argv[i], "--retry") != 0))
            a[n++] = argv[i]; // once, with --pending
    if (more) a[n++] = more;
    if (value) a[n++] = value;
    *c    = (call){.pipe = ends[0]};
    c->id = fork();
    if (c->id == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGTERM); // ends with this program, however that ends
#endif
        if (listen) dup2(ends[1], STDOUT_FILENO), close(ends[0]), close(ends[1]);
        execvp(tool(), (char* const*)a);
        _exit(127);
    }
    if (listen) close(ends[1]), fcntl(ends[0], F_SETFL, O_NONBLOCK), fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    free(a);
    return c->id > 0;
}

// Reads what there is; true when it has ended, *how then.
static bool poll_call(call* c, int* how)
{
    for (;;) {
        if (c->capacity - c->length < 4096) {
            char* more = realloc(c->text, c->capacity = 2 * c->capacity + 8192);
            if (!more) break;
            c->text = more;
        }
        const ssize_t n = c->pipe >= 0 ? read(c->pipe, c->text + c->length, c->capacity - c->length - 1) : 0;
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
        if (n <= 0) break;
        c->length += (size_t)n;
    }
    if (c->pipe >= 0) close(c->pipe);
    while (waitpid(c->id, how, 0) < 0 && errno == EINTR) {
    }
    if (c->text) c->text[c->length] = 0;
    c->id = 0;
    return true;
}

static void rest(void)
{
    const struct timespec time = {.tv_nsec = 500000};
    nanosleep(&time, NULL);
}

static int finish_call(call* c)
{
    int how = 0;
    while (!poll_call(c, &how)) rest();
    return WIFEXITED(how) ? WEXITSTATUS(how) : 1;
}

static void free_call(call* c)
{
    free(c->text);
    *c = (call){0};
}

// MPI is waited for with rests between, so that cores are left to the cases.
static void await_message(int* source, int* tag)
{
    MPI_Status status;
    int        there = 0;
    for (;;) {
        MPI_Iprobe(*source, *tag, MPI_COMM_WORLD, &there, &status);
        if (there) break;
        rest();
    }
    *source = status.MPI_SOURCE;
    *tag    = status.MPI_TAG;
}

static bool start_case(call* c, int argc, char** argv, long number)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", number);
    return start(c, argc, argv, "--case", text, true);
}

static void work(int argc, char** argv)
{
    for (;;) {
        long number;
        int  source = 0, tag = TAG_CASE;
        await_message(&source, &tag);
        MPI_Recv(&number, 1, MPI_LONG, 0, TAG_CASE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (number == END) return;
        call c = {0};
        if (!start_case(&c, argc, argv, number) || finish_call(&c) != 0)
            c.length = 0; // rank 0 learns that there is no line
        MPI_Send(c.text, c.text ? (int)c.length : 0, MPI_CHAR, 0, TAG_LINE, MPI_COMM_WORLD);
        free_call(&c);
    }
}

// ---- rank 0

typedef struct study {
    int    argc;
    char** argv;
    char*  list; // numbers that are left, behind the journal's name
    char*  next;
    int    journal;
} study;

// The next case; END where there is none, or no more are wanted.
static long next_case(study* s)
{
    char*      end    = s->next;
    const long number = interrupted ? END : strtol(s->next, &end, 10);
    s->next           = end;
    return number;
}

static void keep_line(const study* s, const char* line, size_t length)
{
    if (length > 0 && line[length - 1] == '\n' && write(s->journal, line, length) != (ssize_t)length)
        tell("the journal cannot be written: ", strerror(errno));
}

static bool send_case(study* s, int rank)
{
    const long number = next_case(s);
    MPI_Send(&number, 1, MPI_LONG, rank, TAG_CASE, MPI_COMM_WORLD);
    return number != END;
}

// A line from another rank, if there is one; the rank gets its next case.
static void serve(study* s, int* busy)
{
    MPI_Status status;
    int        there = 0, length = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_LINE, MPI_COMM_WORLD, &there, &status);
    if (!there) return;
    MPI_Get_count(&status, MPI_CHAR, &length);
    char* line = malloc((size_t)length + 1);
    if (!line) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Recv(line, length, MPI_CHAR, status.MPI_SOURCE, TAG_LINE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    keep_line(s, line, (size_t)length);
    free(line);
    *busy -= !send_case(s, status.MPI_SOURCE);
}

// Gives cases to all ranks until there are none left; computes some itself.
static void manage(study* s, int ranks)
{
    int  busy = 0, how = 0;
    call own = {0};
    for (int i = 1; i < ranks; ++i) busy += send_case(s, i);
    while (busy > 0 || own.id || (s->next && !interrupted)) {
        if (busy > 0) serve(s, &busy);
        if (!own.id) {
            const long number = next_case(s);
            if (number == END && busy == 0) break;
            if (number != END && !start_case(&own, s->argc, s->argv, number)) own.id = 0;
        } else if (poll_call(&own, &how)) {
            if (WIFEXITED(how) && WEXITSTATUS(how) == 0) keep_line(s, own.text, own.length);
            free_call(&own);
            continue;
        }
        rest();
    }
}

static int lead(int argc, char** argv, int ranks)
{
    call  pending = {0}, table = {0};
    study s    = {.argc = argc, .argv = argv, .journal = -1};
    int   code = start(&pending, argc, argv, "--pending", NULL, true) ? finish_call(&pending) : 1;
    char* line = code == 0 && pending.text ? strchr(pending.text, '\n') : NULL;
    if (line) {
        *line     = 0;
        s.next    = line + 1;
        s.journal = open(pending.text, O_WRONLY | O_APPEND | O_CLOEXEC);
        if (s.journal < 0)
            tell("the journal cannot be written: ", strerror(errno)), code = 1;
        else if (flock(s.journal, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            tell("another sweep is writing this study now", ""), code = 1;
    } else if (code == 0 || code == 127) {
        tell("cardan does not answer; it must stand beside this program or in PATH", "");
        code = 1;
    }
    if (code != 0) s.next = (char*)""; // all ranks are sent home
    manage(&s, ranks);
    if (s.journal >= 0) close(s.journal); // and is unlocked
    free_call(&pending);
    if (code != 0) return code;
    if (interrupted) return tell("interrupted; the same command goes on", ""), 130;
    return start(&table, argc, argv, NULL, NULL, false) ? finish_call(&table) : 1;
}

int main(int argc, char** argv)
{
    int rank, ranks, code = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        if (rank == 0) printf("usage: mpirun -n N cardan-sweep-mpi STUDY [options of cardan sweep]\n");
        MPI_Finalize();
        return argc < 2 ? 2 : 0;
    }
    if (rank == 0) {
        signal(SIGINT, note_signal);
        signal(SIGTERM, note_signal);
        code = lead(argc, argv, ranks);
    } else {
        work(argc, argv);
    }
    MPI_Finalize();
    return code;
}
