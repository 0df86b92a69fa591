// SPDX-License-Identifier: BSD-3-Clause
// Cases of a study over processes: as many at a time as there are workers, each in a folder of its own; what has ended
// is collected and goes to the journal.
#include "cli/messages.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/study_call.h"
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
    long   number;
    double begun;
    bool   late;
} worker;

typedef struct crew {
    cd_sweep*   sweep;
    cd_journal* journal;
    worker*     worker;
    int         size, busy;
    long        next, done, failed;
    cd_progress progress;
    bool        quiet;
    int         code;
} crew;

// Starts a case in a fresh folder; -1 where the system does not let it.
static pid_t start(cd_sweep* s, long number)
{
    char *folder = cd_sweep_path(s, number, ""), *out = cd_sweep_path(s, number, "out"),
         *err              = cd_sweep_path(s, number, "err");
    char*        csv       = cd_sweep_path(s, number, "results.csv");
    cd_pool      pool      = {0};
    const char** arguments = csv ? cd_sweep_arguments(s, number, csv, &pool) : NULL;
    pid_t        id        = -1;
    errno                  = ENOMEM;
    if (folder && out && err && arguments) {
        cd_folder_remove(folder);
        mkdir(s->folder, 0777);
        if (mkdir(folder, 0777) == 0 || errno == EEXIST) id = cd_process_start(arguments, out, err);
    }
    if (id < 0 && errno == ENOMEM)
        cd_say_no_memory();
    else if (id < 0)
        cd_say_error(CARDAN_CODE_COMMAND_FAILED, "case %ld cannot be started: %s", number + 1, strerror(errno));
    cd_pool_release(&pool);
    free(arguments);
    free(folder);
    free(out);
    free(err);
    free(csv);
    return id;
}

static void clean(const cd_sweep* s, long number)
{
    char* folder = s->plan.keep ? NULL : cd_sweep_path(s, number, "");
    if (folder)
        cd_folder_remove(folder);
    else if (!s->plan.keep)
        cd_say_no_memory();
    free(folder);
}

enum { FAILURES_TOLD = 5 };

// One sentence per failure, as far as there are few.
static void tell_failure(crew* c, long number)
{
    const cd_outcome* o = &c->sweep->outcome[number];
    if (cd_outcome_good(o)) return;
    if (++c->failed > FAILURES_TOLD || c->quiet) return;
    if (c->progress.terminal) cd_print_error("\r\033[K");
    cd_print_error("note: case %ld: %s\n", number + 1, o->reason ? o->reason : o->status);
    if (c->failed == FAILURES_TOLD) cd_print_error("note: further cases that fail are told in the table alone\n");
}

static void take(crew* c, worker* w, int how)
{
    cd_sweep* s    = c->sweep;
    cd_text   line = {0};
    cd_sweep_conclude(s, w->number, how, cd_clock_wall() - w->begun, w->late);
    clean(s, w->number); // before it counts as done, so that nothing is left behind
    --c->busy;
    w->id = 0;
    if (cd_end_code(CD_EXIT_DONE) != CD_EXIT_DONE) { // no memory: the case is run again next time
        c->code = CD_EXIT_INPUT;
        return;
    }
    cd_outcome_line(&line, w->number, &s->digest, &s->outcome[w->number], s->plan.ncollect);
    const cardan_status status =
        line.failed ? CARDAN_NO_MEMORY : cd_journal_add(c->journal, line.data, line.length, &s->report);
    cd_text_free(&line);
    if (status != CARDAN_OK && c->code == CD_EXIT_DONE) c->code = cd_say_failure(&s->report, status);
    tell_failure(c, w->number);
    ++c->done;
    cd_progress_cases(&c->progress, c->done, c->failed);
}

static void hire(crew* c)
{
    const cd_sweep* s = c->sweep;
    for (int i = 0; i < c->size && c->code == CD_EXIT_DONE; ++i) {
        while (c->next < s->plan.ncase && s->outcome[c->next].done) ++c->next;
        if (c->next >= s->plan.ncase) return;
        if (c->worker[i].id) continue;
        const pid_t id = start(c->sweep, c->next);
        if (id < 0) {
            c->code = CD_EXIT_INPUT;
            return;
        }
        c->worker[i] = (worker){.id = id, .number = c->next++, .begun = cd_clock_wall()};
        ++c->busy;
    }
}

// Ends what takes too long; returns how long nothing has to be looked at [s].
static double watch(crew* c)
{
    const double limit = c->sweep->plan.limit, now = cd_clock_wall();
    double       wait = 0.25;
    for (int i = 0; i < c->size; ++i) {
        worker* w = &c->worker[i];
        if (!w->id || w->late || !(limit > 0)) continue;
        const double left = w->begun + limit - now;
        if (left <= 0) {
            w->late = true;
            cd_process_end(w->id);
        } else {
            wait = fmin(wait, left + 1e-3);
        }
    }
    return wait;
}

// A process that has ended after an interruption: its case is run again next time, as the signal may have ended it.
static void discard(crew* c, pid_t id)
{
    for (int i = 0; id > 0 && i < c->size; ++i)
        if (c->worker[i].id == id) {
            clean(c->sweep, c->worker[i].number);
            c->worker[i].id = 0;
            --c->busy;
        }
}

static void dismiss(crew* c)
{
    int how;
    for (int i = 0; i < c->size; ++i)
        if (c->worker[i].id) cd_process_end(c->worker[i].id);
    while (c->busy > 0) discard(c, cd_process_wait(0.25, &how));
}

int cd_sweep_run(cd_sweep* s, cd_journal* journal, int workers, bool quiet)
{
    crew c   = {.sweep = s, .journal = journal, .size = workers, .done = journal->done, .quiet = quiet};
    c.worker = cd_allocate((size_t)workers, sizeof *c.worker);
    if (!c.worker) return cd_say_no_memory();
    cd_process_prepare();
    cd_progress_begin(&c.progress, s->plan.name, (double)c.done, (double)s->plan.ncase, quiet);
    for (hire(&c); c.busy > 0 && c.code == CD_EXIT_DONE && !cd_interrupted(); hire(&c)) {
        int         how = 0;
        const pid_t id  = cd_process_wait(watch(&c), &how);
        if (cd_interrupted()) {
            discard(&c, id);
            break;
        }
        for (int i = 0; id > 0 && i < c.size; ++i)
            if (c.worker[i].id == id) take(&c, &c.worker[i], how);
        cd_progress_cases(&c.progress, c.done, c.failed);
    }
    dismiss(&c);
    cd_progress_end(&c.progress);
    free(c.worker);
    if (!s->plan.keep) cd_folder_remove(s->folder);
    return c.code == CD_EXIT_DONE && cd_interrupted() ? CD_EXIT_STOPPED : c.code;
}

bool cd_sweep_one(cd_sweep* s, long number)
{
    cd_progress  progress;
    int          how  = 0;
    bool         late = false, stopped = false;
    const double begun = cd_clock_wall();
    cd_process_prepare();
    cd_progress_begin(&progress, s->plan.name, 0, 1, true);
    const pid_t id = start(s, number);
    if (id < 0) return false;
    while (cd_process_wait(s->plan.limit > 0 && !late ? fmin(0.25, s->plan.limit) : 0.25, &how) != id) {
        if (!late && s->plan.limit > 0 && cd_clock_wall() - begun > s->plan.limit) late = true, cd_process_end(id);
        if (!stopped && cd_interrupted()) stopped = true, cd_process_end(id);
    }
    if (!stopped) cd_sweep_conclude(s, number, how, cd_clock_wall() - begun, late);
    clean(s, number);
    return !stopped;
}
