// SPDX-License-Identifier: BSD-3-Clause
// Cases of a study in parallel processes: one per worker, each in its own folder; outcomes of ended processes are
// appended to the journal.
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/support/progress.h"
#include "cli/study/sweep_case.h"
#include "core/clock.h"
#include "core/memory.h"
#include "study/process.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct worker {
    pid_t  id; // 0: idle
    long   case_number;
    double wall_begin;
    bool   timed_out;
} worker;

typedef struct worker_pool {
    cd_study_job*     sweep;
    cd_study_journal* journal;
    worker*           worker;
    int               size, busy;
    long              next, done, failed;
    cd_progress       progress;
    bool              quiet;
    int               code;
} worker_pool;

// Start a case in a new folder. Returns the process id, -1 on failure.
static pid_t start_case(cd_study_job* s, long number)
{
    char *folder = cd_study_case_path(s, number, ""), *out = cd_study_case_path(s, number, "out"),
         *err              = cd_study_case_path(s, number, "err");
    char*        csv       = cd_study_case_path(s, number, "results.csv");
    cd_pool      pool      = {0};
    const char** arguments = csv ? cd_study_case_arguments(s, number, csv, &pool) : NULL;
    pid_t        id        = -1;
    errno                  = ENOMEM;
    if (folder && out && err && arguments) {
        cd_remove_folder(folder);
        mkdir(s->folder, 0777);
        if (mkdir(folder, 0777) == 0 || errno == EEXIST) id = cd_process_start(arguments, out, err);
    }
    if (id < 0 && errno == ENOMEM)
        cd_report_no_memory();
    else if (id < 0)
        cd_report_error(CARDAN_CODE_COMMAND_FAILED, "case %ld cannot be started: %s", number + 1, strerror(errno));
    cd_pool_release(&pool);
    free(arguments);
    free(folder);
    free(out);
    free(err);
    free(csv);
    return id;
}

static void remove_case_folder(const cd_study_job* s, long number)
{
    char* folder = s->study.keep_files ? NULL : cd_study_case_path(s, number, "");
    if (folder)
        cd_remove_folder(folder);
    else if (!s->study.keep_files)
        cd_report_no_memory();
    free(folder);
}

enum { FAILURES_REPORTED = 5 };

// Print one note per failed case, up to FAILURES_REPORTED.
static void report_failed_case(worker_pool* c, long number)
{
    const cd_case_outcome* o = &c->sweep->outcome[number];
    if (cd_case_outcome_is_ok(o)) return;
    if (++c->failed > FAILURES_REPORTED || c->quiet) return;
    if (c->progress.terminal) cd_print_error("\r\033[K");
    cd_print_error("note: case %ld: %s\n", number + 1, o->reason ? o->reason : o->status);
    if (c->failed == FAILURES_REPORTED) cd_print_error("note: further failed cases are listed in the table only\n");
}

static void collect_case(worker_pool* c, worker* w, int wait_status)
{
    cd_study_job* s    = c->sweep;
    cd_text       line = {0};
    cd_study_collect_case(s, w->case_number, wait_status, cd_clock_wall() - w->wall_begin, w->timed_out);
    remove_case_folder(s, w->case_number); // before the journal entry, so that no folder of a finished case remains
    --c->busy;
    w->id = 0;
    if (cd_final_exit_code(CD_EXIT_DONE) != CD_EXIT_DONE) { // memory is exhausted: the case stays pending
        c->code = CD_EXIT_INPUT;
        return;
    }
    cd_case_outcome_write_line(&line, w->case_number, &s->digest, &s->outcome[w->case_number], s->study.ncollect);
    const cardan_status status =
        line.failed ? CARDAN_NO_MEMORY : cd_study_journal_append(c->journal, line.data, line.length, &s->report);
    cd_text_free(&line);
    if (status != CARDAN_OK && c->code == CD_EXIT_DONE) c->code = cd_report_failure(&s->report, status);
    report_failed_case(c, w->case_number);
    ++c->done;
    cd_progress_show_cases(&c->progress, c->done, c->failed);
}

static void start_workers(worker_pool* c)
{
    const cd_study_job* s = c->sweep;
    for (int i = 0; i < c->size && c->code == CD_EXIT_DONE; ++i) {
        while (c->next < s->study.ncase && s->outcome[c->next].is_done) ++c->next;
        if (c->next >= s->study.ncase) return;
        if (c->worker[i].id) continue;
        const pid_t id = start_case(c->sweep, c->next);
        if (id < 0) {
            c->code = CD_EXIT_INPUT;
            return;
        }
        c->worker[i] = (worker){.id = id, .case_number = c->next++, .wall_begin = cd_clock_wall()};
        ++c->busy;
    }
}

// Kill processes that exceed the time limit. Returns the time [s] until the next check.
static double end_overdue_workers(worker_pool* c)
{
    const double limit = c->sweep->study.time_limit, now = cd_clock_wall();
    double       wait = 0.25;
    for (int i = 0; i < c->size; ++i) {
        worker* w = &c->worker[i];
        if (!w->id || w->timed_out || !(limit > 0)) continue;
        const double remaining = w->wall_begin + limit - now;
        if (remaining <= 0) {
            w->timed_out = true;
            cd_process_kill(w->id);
        } else {
            wait = fmin(wait, remaining + 1e-3);
        }
    }
    return wait;
}

// Discard a process that ended after an interrupt: its case stays pending, because the signal may have ended it.
static void discard_worker(worker_pool* c, pid_t id)
{
    for (int i = 0; id > 0 && i < c->size; ++i)
        if (c->worker[i].id == id) {
            remove_case_folder(c->sweep, c->worker[i].case_number);
            c->worker[i].id = 0;
            --c->busy;
        }
}

static void stop_workers(worker_pool* c)
{
    int wait_status;
    for (int i = 0; i < c->size; ++i)
        if (c->worker[i].id) cd_process_kill(c->worker[i].id);
    while (c->busy > 0) discard_worker(c, cd_process_wait(0.25, &wait_status));
}

int cd_study_run_all(cd_study_job* s, cd_study_journal* journal, int workers, bool quiet)
{
    worker_pool c = {.sweep = s, .journal = journal, .size = workers, .done = journal->ndone, .quiet = quiet};
    c.worker      = cd_allocate((size_t)workers, sizeof *c.worker);
    if (!c.worker) return cd_report_no_memory();
    cd_process_prepare();
    cd_progress_begin(&c.progress, s->study.name, (double)c.done, (double)s->study.ncase, quiet);
    for (start_workers(&c); c.busy > 0 && c.code == CD_EXIT_DONE && !cd_is_interrupted(); start_workers(&c)) {
        int         wait_status = 0;
        const pid_t id          = cd_process_wait(end_overdue_workers(&c), &wait_status);
        if (cd_is_interrupted()) {
            discard_worker(&c, id);
            break;
        }
        for (int i = 0; id > 0 && i < c.size; ++i)
            if (c.worker[i].id == id) collect_case(&c, &c.worker[i], wait_status);
        cd_progress_show_cases(&c.progress, c.done, c.failed);
    }
    stop_workers(&c);
    cd_progress_end(&c.progress);
    free(c.worker);
    if (!s->study.keep_files) cd_remove_folder(s->folder);
    return c.code == CD_EXIT_DONE && cd_is_interrupted() ? CD_EXIT_STOPPED : c.code;
}

bool cd_study_run_case(cd_study_job* s, long number)
{
    cd_progress  progress;
    int          wait_status = 0;
    bool         late = false, stopped = false;
    const double begun = cd_clock_wall();
    cd_process_prepare();
    cd_progress_begin(&progress, s->study.name, 0, 1, true);
    const pid_t id = start_case(s, number);
    if (id < 0) return false;
    while (cd_process_wait(s->study.time_limit > 0 && !late ? fmin(0.25, s->study.time_limit) : 0.25, &wait_status) !=
           id) {
        if (!late && s->study.time_limit > 0 && cd_clock_wall() - begun > s->study.time_limit)
            late = true, cd_process_kill(id);
        if (!stopped && cd_is_interrupted()) stopped = true, cd_process_kill(id);
    }
    if (!stopped) cd_study_collect_case(s, number, wait_status, cd_clock_wall() - begun, late);
    remove_case_folder(s, number);
    return !stopped;
}
