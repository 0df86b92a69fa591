// SPDX-License-Identifier: BSD-3-Clause
// Multistart in parallel processes, forked from the process with the OCP: MUMPS is not thread-safe, and a crash costs
// one start only. A child writes its result to memory shared with the parent, one slot per worker. The parent keeps the
// best result by a total order (status, cost, number of the start), so that the result does not depend on the order in
// which searches end.
#include "cli/study/multistart.h"

#include "cli/cli_tolerances.h"
#include "cli/support/progress.h"
#include "core/memory.h"
#include "core/report.h"
#include "math/lapack.h"
#include "optimize/transcription/ocp.h"
#include "study/process.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char* const crashed = ": a solver ended the process, out of memory or by an internal error";

typedef struct shared_slot {
    cardan_report    report;
    cd_search_result result;
    char             packed_solution[]; // written by cd_ocp_pack
} shared_slot;

typedef struct worker_pool {
    cd_multistart* multistart;
    cardan_ocp*    ocp;
    char*          shared;    // slots of all workers
    size_t         slot_size; // [bytes]
    shared_slot*   best;
    pid_t*         id;     // (workers) process ids; 0: idle
    int*           number; // (workers) number of the current start
    int            next, busy;
    int            first_crashed; // lowest number of a start without result
    bool           no_memory;     // a search or a fork ran out of memory
} worker_pool;

static shared_slot* slot_at(const worker_pool* c, int worker)
{
    return (shared_slot*)(void*)(c->shared + (size_t)worker * c->slot_size);
}

// Run one search in the child process; does not return.
static void search_in_child(const worker_pool* c, shared_slot* to, int number)
{
    cardan_report_clear(&to->report);
    cardan_status status = cardan_ocp_set_guess(c->ocp, (unsigned)c->multistart->seed, number, &to->report);
    if (status == CARDAN_OK) status = cardan_ocp_solve(c->ocp, &to->report);
    cd_ocp_pack(c->ocp, status, to->packed_solution);
    to->result =
        (cd_search_result){.is_done = true, .status = status, .objective = cardan_ocp_get_view(c->ocp).objective};
    _exit(0);
}

static bool start_worker(worker_pool* c, int worker)
{
    slot_at(c, worker)->result = (cd_search_result){0};
    const pid_t id             = cd_process_fork();
    if (id == 0) search_in_child(c, slot_at(c, worker), c->next);
    if (id < 0) return c->no_memory = c->no_memory || (c->busy == 0 && errno == ENOMEM), false;
    c->id[worker]     = id;
    c->number[worker] = c->next++;
    ++c->busy;
    return true;
}

static bool is_better(const cd_multistart* s, int a, int b)
{
    const cd_search_result *x = &s->result[a], *y = &s->result[b];
    if ((x->status == CARDAN_OK) != (y->status == CARDAN_OK)) return x->status == CARDAN_OK;
    if (x->status == CARDAN_OK && x->objective != y->objective) return x->objective < y->objective;
    return a < b;
}

// Collect the result of an ended process. There is none if the solver or the system ended the process, as the
// sequential MUMPS does when memory is exhausted (docs/limitations.md).
static void collect_result(worker_pool* c, int worker)
{
    cd_multistart*     s      = c->multistart;
    const shared_slot* from   = slot_at(c, worker);
    const int          number = c->number[worker];
    c->id[worker]             = 0;
    --c->busy;
    s->result[number] = from->result;
    if (!from->result.is_done) {
        s->result[number].status = CARDAN_NOT_CONVERGED;
        if (s->ncrashed++ == 0 || number < c->first_crashed) c->first_crashed = number;
        return;
    }
    c->no_memory = c->no_memory || from->result.status == CARDAN_NO_MEMORY;
    s->nfinished += from->result.status != CARDAN_STOPPED;
    if (s->selected >= 0 && !is_better(s, number, s->selected)) return;
    s->selected = number;
    memcpy(c->best, from, c->slot_size);
}

static void run_searches(worker_pool* c, const char* name)
{
    cd_multistart* s = c->multistart;
    cd_progress    progress;
    bool           stop_sent = false;
    int            wait_status;
    cd_process_prepare();
    cd_progress_begin(&progress, name, 0, s->count, s->quiet);
    for (;;) {
        for (int i = 0; i < s->workers && c->next < s->count && !cd_is_interrupted(); ++i)
            if (!c->id[i] && !start_worker(c, i)) break; // no process available: wait for the running ones
        if (c->busy == 0) break;
        if (cd_is_interrupted() && !stop_sent) { // running searches end with their best iterate
            for (int i = 0; i < s->workers; ++i)
                if (c->id[i]) kill(c->id[i], SIGTERM);
            stop_sent = true;
        }
        const pid_t id = cd_process_wait(0.25, &wait_status);
        for (int i = 0; id > 0 && i < s->workers; ++i)
            if (c->id[i] == id) collect_result(c, i);
        cd_progress_show_cases(&progress, s->nfinished, 0);
    }
    cd_progress_end(&progress);
}

static bool allocate_pool(worker_pool* c)
{
    cd_multistart* s     = c->multistart;
    const size_t   whole = sizeof(shared_slot) + cd_ocp_packed_size(c->ocp), page = 64;
    c->slot_size = (whole + page - 1) / page * page;
    s->result    = cd_allocate((size_t)s->count, sizeof *s->result);
    s->minimum   = cd_allocate((size_t)s->count, sizeof *s->minimum);
    c->id        = cd_allocate((size_t)s->workers, sizeof *c->id);
    c->number    = cd_allocate((size_t)s->workers, sizeof *c->number);
    c->best      = cd_allocate(1, c->slot_size);
    void* shared =
        mmap(NULL, (size_t)s->workers * c->slot_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    c->shared = shared == MAP_FAILED ? NULL : shared;
    return s->result && s->minimum && c->id && c->number && c->best && c->shared;
}

static void free_pool(worker_pool* c)
{
    if (c->shared) munmap(c->shared, (size_t)c->multistart->workers * c->slot_size);
    free(c->id), free(c->number), free(c->best);
}

static cd_local_minimum as_minimum(const cd_multistart* s, int i)
{
    const cd_search_result* e = &s->result[i];
    return (cd_local_minimum){e->status, e->status == CARDAN_OK ? e->objective : (double)NAN, 1, i};
}

static int by_cost(const void* x, const void* y)
{
    const cd_local_minimum *a = x, *b = y;
    if ((a->status == CARDAN_OK) != (b->status == CARDAN_OK)) return a->status == CARDAN_OK ? -1 : 1;
    if (a->status == CARDAN_OK && a->objective != b->objective) return a->objective < b->objective ? -1 : 1;
    if (a->status != b->status) return a->status < b->status ? -1 : 1;
    return a->first - b->first;
}

static bool is_same_minimum(const cd_local_minimum* a, const cd_local_minimum* b)
{
    if (a->status != b->status) return false;
    return a->status != CARDAN_OK || fabs(a->objective - b->objective) <= cd_same_cost_tolerance * fabs(a->objective);
}

// Sort the results by cost and merge neighbours that are the same minimum.
static void group_minima(cd_multistart* s)
{
    int all = 0;
    for (int i = 0; i < s->count; ++i) {
        const cd_search_result* e = &s->result[i];
        if (!e->is_done && e->status == CARDAN_OK) continue; // not started
        s->minimum[all++] = as_minimum(s, i);
    }
    qsort(s->minimum, (size_t)all, sizeof *s->minimum, by_cost);
    for (int i = 0; i < all; ++i) {
        cd_local_minimum* last = s->nminimum > 0 ? &s->minimum[s->nminimum - 1] : NULL;
        if (!last || !is_same_minimum(last, &s->minimum[i])) {
            s->minimum[s->nminimum++] = s->minimum[i];
            continue;
        }
        ++last->count;
        if (s->minimum[i].first < last->first) last->first = s->minimum[i].first;
    }
}

cardan_status cd_multistart_search(cd_multistart* s, const char* name, cardan_ocp* ocp, cardan_report* report)
{
    worker_pool   c      = {.multistart = s, .ocp = ocp};
    cardan_status status = CARDAN_NO_MEMORY;
    s->selected          = -1;
    s->workers           = s->workers < s->count ? s->workers : s->count;
    if (!allocate_pool(&c)) {
        free_pool(&c);
        return cardan_fail(report, status, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(), "out of memory");
    }
    cd_lapack_set_single_thread(); // the cores run searches
    run_searches(&c, name);
    group_minima(s);
    if (c.no_memory) {
        cardan_fail(report, status, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(), "out of memory");
    } else if (s->selected >= 0) {
        cd_report_append(report, &c.best->report, CD_APPEND_ALL);
        status = cd_ocp_unpack(ocp, c.best->packed_solution);
    } else {
        status = cardan_fail(report, cd_is_interrupted() ? CARDAN_STOPPED : CARDAN_NOT_CONVERGED,
                             CARDAN_CODE_SEARCH_FAILED, cardan_location_none(),
                             "none of the %d searches has a result%s", s->count, s->ncrashed > 0 ? crashed : "");
    }
    if (status == CARDAN_OK && s->ncrashed > 0)
        status = cardan_fail(
            report, CARDAN_NOT_CONVERGED, CARDAN_CODE_SEARCH_FAILED, cardan_location_none(),
            "%d of %d searches have no result (the first is start %d)%s; the motion is the best of the other searches",
            s->ncrashed, s->count, c.first_crashed, crashed);
    if (status == CARDAN_OK && s->nfinished < s->count && cd_is_interrupted())
        status = cardan_fail(report, CARDAN_STOPPED, CARDAN_CODE_STOPPED, cardan_location_none(),
                             "stopped on request after %d of %d searches; the motion is the best one found",
                             s->nfinished, s->count);
    free_pool(&c);
    return status;
}

bool cd_local_minimum_is_selected(const cd_multistart* s, int i)
{
    const cd_local_minimum *m   = &s->minimum[i],
                           kept = s->selected < 0 ? (cd_local_minimum){0} : as_minimum(s, s->selected);
    return s->selected >= 0 && is_same_minimum(m, &kept);
}

void cd_multistart_free(cd_multistart* s)
{
    free(s->result);
    free(s->minimum);
    *s = (cd_multistart){0};
}
