// SPDX-License-Identifier: BSD-3-Clause
// cardan-sweep-mpi: parameter study of `cardan sweep` on the ranks of MPI.
//
//     mpirun -n 64 cardan-sweep-mpi STUDY [options of cardan sweep]
//
// The program does not read study files. Rank 0 gets the pending cases from `cardan sweep STUDY --pending`, distributes
// their numbers to all ranks including itself, and appends the lines that `cardan sweep STUDY --case N` prints there to
// the journal; at the end `cardan sweep STUDY` writes the table. So a case is the same process as without MPI, this
// program links nothing of the library, and after an interruption the same command resumes the study. All ranks need
// the study at the same path, and cardan next to this program or in PATH.
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

enum { TAG_CASE = 1, TAG_LINE = 2, NO_CASE = 0 };

// Process of a command, with its captured output.
typedef struct child_process {
    pid_t  id; // 0: none
    int    pipe;
    char*  text;
    size_t length, capacity;
} child_process;

static volatile sig_atomic_t interrupted; // type that a signal handler may write

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static void print_error(const char* sentence, const char* what)
{
    fprintf(stderr, "cardan-sweep-mpi: %s%s\n", sentence, what);
}

// Path of cardan next to this program, else "cardan", found in PATH.
static const char* cardan_path(void)
{
    static char   path[PATH_MAX];
    const ssize_t n     = readlink("/proc/self/exe", path, sizeof path - 16);
    char*         slash = n > 0 ? (path[n] = 0, strrchr(path, '/')) : NULL;
    if (slash) strcpy(slash + 1, "cardan");
    return slash && access(path, X_OK) == 0 ? path : "cardan";
}

// Start cardan sweep ARGUMENTS [more [value]]; standard output is captured through a pipe, or inherited.
static bool start_process(child_process* c, int argc, char** argv, const char* more, const char* value,
                          bool captures_output)
{
    int          ends[2] = {-1, -1};
    const char** a       = calloc((size_t)argc + 8, sizeof *a);
    int          n       = 0;
    if (!a || (captures_output && pipe(ends) != 0)) return free(a), false;
    a[n++] = "cardan";
    a[n++] = "sweep";
    for (int i = 1; i < argc; ++i)
        if ((more && !value) || (strcmp(argv[i], "--force") != 0 && strcmp(argv[i], "--retry") != 0))
            a[n++] = argv[i]; // --force and --retry: only with --pending
    if (more) a[n++] = more;
    if (value) a[n++] = value;
    *c    = (child_process){.pipe = ends[0]};
    c->id = fork();
    if (c->id == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGTERM); // end with this program in any case
#endif
        if (captures_output) dup2(ends[1], STDOUT_FILENO), close(ends[0]), close(ends[1]);
        execvp(cardan_path(), (char* const*)a);
        _exit(127);
    }
    if (captures_output) close(ends[1]), fcntl(ends[0], F_SETFL, O_NONBLOCK), fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    free(a);
    return c->id > 0;
}

// Read the available output. Returns true when the process has ended, with *wait_status.
static bool poll_process(child_process* c, int* wait_status)
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
    while (waitpid(c->id, wait_status, 0) < 0 && errno == EINTR) {
    }
    if (c->text) c->text[c->length] = 0;
    c->id = 0;
    return true;
}

static void sleep_briefly(void)
{
    const struct timespec time = {.tv_nsec = 500000};
    nanosleep(&time, NULL);
}

static int finish_process(child_process* c)
{
    int wait_status = 0;
    while (!poll_process(c, &wait_status)) sleep_briefly();
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 1;
}

static void free_process(child_process* c)
{
    free(c->text);
    *c = (child_process){0};
}

// Wait for an MPI message by polling with sleeps, so that the cores are free for the cases.
static void await_message(int* source, int* tag)
{
    MPI_Status status;
    int        is_available = 0;
    for (;;) {
        MPI_Iprobe(*source, *tag, MPI_COMM_WORLD, &is_available, &status);
        if (is_available) break;
        sleep_briefly();
    }
    *source = status.MPI_SOURCE;
    *tag    = status.MPI_TAG;
}

static bool start_case(child_process* c, int argc, char** argv, long number)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", number);
    return start_process(c, argc, argv, "--case", text, true);
}

static void run_worker(int argc, char** argv)
{
    for (;;) {
        long number;
        int  source = 0, tag = TAG_CASE;
        await_message(&source, &tag);
        MPI_Recv(&number, 1, MPI_LONG, 0, TAG_CASE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (number == NO_CASE) return;
        child_process c = {0};
        if (!start_case(&c, argc, argv, number) || finish_process(&c) != 0)
            c.length = 0; // rank 0 receives an empty line
        MPI_Send(c.text, c.text ? (int)c.length : 0, MPI_CHAR, 0, TAG_LINE, MPI_COMM_WORLD);
        free_process(&c);
    }
}

// ---- rank 0

typedef struct sweep_state {
    int    argc;
    char** argv;
    char*  list; // pending case numbers, after the path of the journal
    char*  next;
    int    journal;
} sweep_state;

// Number of the next case; NO_CASE after the last or after an interrupt.
static long next_case(sweep_state* s)
{
    char*      end    = s->next;
    const long number = interrupted ? NO_CASE : strtol(s->next, &end, 10);
    s->next           = end;
    return number;
}

static void append_line(const sweep_state* s, const char* line, size_t length)
{
    if (length > 0 && line[length - 1] == '\n' && write(s->journal, line, length) != (ssize_t)length)
        print_error("the journal cannot be written: ", strerror(errno));
}

static bool send_case(sweep_state* s, int rank)
{
    const long number = next_case(s);
    MPI_Send(&number, 1, MPI_LONG, rank, TAG_CASE, MPI_COMM_WORLD);
    return number != NO_CASE;
}

// Receive a line from another rank, if available, and send it the next case.
static void receive_line(sweep_state* s, int* busy)
{
    MPI_Status status;
    int        is_available = 0, length = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_LINE, MPI_COMM_WORLD, &is_available, &status);
    if (!is_available) return;
    MPI_Get_count(&status, MPI_CHAR, &length);
    char* line = malloc((size_t)length + 1);
    if (!line) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Recv(line, length, MPI_CHAR, status.MPI_SOURCE, TAG_LINE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    append_line(s, line, (size_t)length);
    free(line);
    *busy -= !send_case(s, status.MPI_SOURCE);
}

// Distribute the cases to all ranks until none is pending; rank 0 computes cases itself.
static void distribute_cases(sweep_state* s, int ranks)
{
    int           busy = 0, wait_status = 0;
    child_process own = {0};
    for (int i = 1; i < ranks; ++i) busy += send_case(s, i);
    while (busy > 0 || own.id || (s->next && !interrupted)) {
        if (busy > 0) receive_line(s, &busy);
        if (!own.id) {
            const long number = next_case(s);
            if (number == NO_CASE && busy == 0) break;
            if (number != NO_CASE && !start_case(&own, s->argc, s->argv, number)) own.id = 0;
        } else if (poll_process(&own, &wait_status)) {
            if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0) append_line(s, own.text, own.length);
            free_process(&own);
            continue;
        }
        sleep_briefly();
    }
}

static int run_coordinator(int argc, char** argv, int ranks)
{
    child_process pending = {0}, table = {0};
    sweep_state   s    = {.argc = argc, .argv = argv, .journal = -1};
    int           code = start_process(&pending, argc, argv, "--pending", NULL, true) ? finish_process(&pending) : 1;
    char*         line = code == 0 && pending.text ? strchr(pending.text, '\n') : NULL;
    if (line) {
        *line     = 0;
        s.next    = line + 1;
        s.journal = open(pending.text, O_WRONLY | O_APPEND | O_CLOEXEC);
        if (s.journal < 0)
            print_error("the journal cannot be written: ", strerror(errno)), code = 1;
        else if (flock(s.journal, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            print_error("another sweep writes this study; wait until it ends", ""), code = 1;
    } else if (code == 0 || code == 127) {
        print_error("cardan cannot be started; it must be in the folder of this program or in PATH", "");
        code = 1;
    }
    if (code != 0) s.next = (char*)""; // ends all ranks
    distribute_cases(&s, ranks);
    if (s.journal >= 0) close(s.journal); // also unlocks it
    free_process(&pending);
    if (code != 0) return code;
    if (interrupted) return print_error("interrupted; run the same command again to continue", ""), 130;
    return start_process(&table, argc, argv, NULL, NULL, false) ? finish_process(&table) : 1;
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
        signal(SIGINT, on_signal);
        signal(SIGTERM, on_signal);
        code = run_coordinator(argc, argv, ranks);
    } else {
        run_worker(argc, argv);
    }
    MPI_Finalize();
    return code;
}
