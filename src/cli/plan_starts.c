// SPDX-License-Identifier: BSD-3-Clause
// Searches from several guesses. Each runs in a process of its own, forked from the one that has the plan: MUMPS is not
// safe in threads, and a search that crashes costs one start. A process writes its outcome to memory that it shares
// with the parent, one slot for each worker; the parent keeps the best outcome so far by an order that is total
// (status, cost, number of the start), so that the order in which searches end decides nothing.
#include "cli/plan_starts.h"

#include "cli/progress.h"
#include "core/memory.h"
#include "core/report.h"
#include "math/lapack.h"
#include "optimize/plan.h"
#include "study/process.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const double same_cost = 1e-7; // relative: optima that differ by less count as one

typedef struct slot {
    cardan_report report;
    cd_start_end  end;
    char          outcome[]; // of cd_plan_pack
} slot;

typedef struct crew {
    cd_starts*   s;
    cardan_plan* plan;
    char*        shared; // slots of all workers
    size_t       size;   // of a slot
    slot*        best;
    pid_t*       id;     // of workers; 0: idle
    int*         number; // of the start a worker is at
    int          next, busy;
    int          lost_first; // number of the first start without an outcome
    bool         no_memory;  // a search ended for want of memory, or its process could not be made
} crew;

static slot* slot_at(const crew* c, int worker) { return (slot*)(void*)(c->shared + (size_t)worker * c->size); }

// In the child; does not return.
static void search(const crew* c, slot* to, int number)
{
    cardan_report_clear(&to->report);
    cardan_status status = cardan_plan_draw(c->plan, (unsigned)c->s->seed, number, &to->report);
    if (status == CARDAN_OK) status = cardan_plan_solve(c->plan, &to->report);
    cd_plan_pack(c->plan, status, to->outcome);
    to->end = (cd_start_end){.done = true, .status = status, .objective = cardan_plan_look(c->plan).objective};
    _exit(0);
}

static bool start(crew* c, int worker)
{
    slot_at(c, worker)->end = (cd_start_end){0};
    const pid_t id          = cd_process_fork();
    if (id == 0) search(c, slot_at(c, worker), c->next);
    if (id < 0) return c->no_memory = c->no_memory || (c->busy == 0 && errno == ENOMEM), false;
    c->id[worker]     = id;
    c->number[worker] = c->next++;
    ++c->busy;
    return true;
}

static bool is_better(const cd_starts* s, int a, int b)
{
    const cd_start_end *x = &s->end[a], *y = &s->end[b];
    if ((x->status == CARDAN_OK) != (y->status == CARDAN_OK)) return x->status == CARDAN_OK;
    if (x->status == CARDAN_OK && x->objective != y->objective) return x->objective < y->objective;
    return a < b;
}

// A process that ended. It leaves no outcome where the solver or the system ended it, which the sequential MUMPS does
// when memory ends (docs/limitations.md).
static void take(crew* c, int worker)
{
    cd_starts*  s      = c->s;
    const slot* from   = slot_at(c, worker);
    const int   number = c->number[worker];
    c->id[worker]      = 0;
    --c->busy;
    s->end[number] = from->end;
    if (!from->end.done) {
        s->end[number].status = CARDAN_NOT_CONVERGED;
        if (s->nlost++ == 0 || number < c->lost_first) c->lost_first = number;
        return;
    }
    c->no_memory = c->no_memory || from->end.status == CARDAN_NO_MEMORY;
    s->done += from->end.status != CARDAN_STOPPED;
    if (s->kept >= 0 && !is_better(s, number, s->kept)) return;
    s->kept = number;
    memcpy(c->best, from, c->size);
}

static void run(crew* c, const char* name)
{
    cd_starts*  s = c->s;
    cd_progress progress;
    bool        asked = false;
    int         how;
    cd_process_prepare();
    cd_progress_begin(&progress, name, 0, s->count, s->quiet);
    for (;;) {
        for (int i = 0; i < s->workers && c->next < s->count && !cd_interrupted(); ++i)
            if (!c->id[i] && !start(c, i)) break; // no process now; those that run are waited for
        if (c->busy == 0) break;
        if (cd_interrupted() && !asked) { // those that run end with the best motion seen
            for (int i = 0; i < s->workers; ++i)
                if (c->id[i]) kill(c->id[i], SIGTERM);
            asked = true;
        }
        const pid_t id = cd_process_wait(0.25, &how);
        for (int i = 0; id > 0 && i < s->workers; ++i)
            if (c->id[i] == id) take(c, i);
        cd_progress_cases(&progress, s->done, 0);
    }
    cd_progress_end(&progress);
}

static bool make_room(crew* c)
{
    cd_starts*   s     = c->s;
    const size_t whole = sizeof(slot) + cd_plan_packed_size(c->plan), page = 64;
    c->size      = (whole + page - 1) / page * page;
    s->end       = cd_allocate((size_t)s->count, sizeof *s->end);
    s->minimum   = cd_allocate((size_t)s->count, sizeof *s->minimum);
    c->id        = cd_allocate((size_t)s->workers, sizeof *c->id);
    c->number    = cd_allocate((size_t)s->workers, sizeof *c->number);
    c->best      = cd_allocate(1, c->size);
    void* shared = mmap(NULL, (size_t)s->workers * c->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    c->shared    = shared == MAP_FAILED ? NULL : shared;
    return s->end && s->minimum && c->id && c->number && c->best && c->shared;
}

static void free_room(crew* c)
{
    if (c->shared) munmap(c->shared, (size_t)c->s->workers * c->size);
    free(c->id), free(c->number), free(c->best);
}

static cd_minimum as_minimum(const cd_starts* s, int i)
{
    const cd_start_end* e = &s->end[i];
    return (cd_minimum){e->status, e->status == CARDAN_OK ? e->objective : (double)NAN, 1, i};
}

static int by_cost(const void* x, const void* y)
{
    const cd_minimum *a = x, *b = y;
    if ((a->status == CARDAN_OK) != (b->status == CARDAN_OK)) return a->status == CARDAN_OK ? -1 : 1;
    if (a->status == CARDAN_OK && a->objective != b->objective) return a->objective < b->objective ? -1 : 1;
    if (a->status != b->status) return a->status < b->status ? -1 : 1;
    return a->first - b->first;
}

static bool is_same(const cd_minimum* a, const cd_minimum* b)
{
    if (a->status != b->status) return false;
    return a->status != CARDAN_OK || fabs(a->objective - b->objective) <= same_cost * fabs(a->objective);
}

// Sorted by cost, then neighbours of one minimum together.
static void make_table(cd_starts* s)
{
    int all = 0;
    for (int i = 0; i < s->count; ++i) {
        const cd_start_end* e = &s->end[i];
        if (!e->done && e->status == CARDAN_OK) continue; // never begun
        s->minimum[all++] = as_minimum(s, i);
    }
    qsort(s->minimum, (size_t)all, sizeof *s->minimum, by_cost);
    for (int i = 0; i < all; ++i) {
        cd_minimum* last = s->nminimum > 0 ? &s->minimum[s->nminimum - 1] : NULL;
        if (!last || !is_same(last, &s->minimum[i])) {
            s->minimum[s->nminimum++] = s->minimum[i];
            continue;
        }
        ++last->count;
        if (s->minimum[i].first < last->first) last->first = s->minimum[i].first;
    }
}

cardan_status cd_starts_search(cd_starts* s, const char* name, cardan_plan* plan, cardan_report* report)
{
    crew          c      = {.s = s, .plan = plan};
    cardan_status status = CARDAN_NO_MEMORY;
    s->kept              = -1;
    s->workers           = s->workers < s->count ? s->workers : s->count;
    if (!make_room(&c)) {
        free_room(&c);
        return cardan_fail(report, status, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(), "out of memory");
    }
    cd_lapack_one_thread(); // cores are for searches
    run(&c, name);
    make_table(s);
    if (c.no_memory) {
        cardan_fail(report, status, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(), "out of memory");
    } else if (s->kept >= 0) {
        cd_report_append(report, &c.best->report, CD_TAKE_ALL);
        status = cd_plan_unpack(plan, c.best->outcome);
    } else {
        status =
            cardan_fail(report, cd_interrupted() ? CARDAN_STOPPED : CARDAN_NOT_CONVERGED, CARDAN_CODE_SEARCH_FAILED,
                        cardan_nowhere(), "none of the %d searches could be run to its end", s->count);
    }
    if (status == CARDAN_OK && s->nlost > 0)
        status = cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_SEARCH_FAILED, cardan_nowhere(),
                             "%d of %d searches have no result (the first is start %d): a solver ended their process, "
                             "out of memory or by an error in it; the motion is the best of the others",
                             s->nlost, s->count, c.lost_first);
    if (status == CARDAN_OK && s->done < s->count && cd_interrupted())
        status = cardan_fail(report, CARDAN_STOPPED, CARDAN_CODE_STOPPED, cardan_nowhere(),
                             "stopped on request after %d of %d searches; the motion is the best one found", s->done,
                             s->count);
    free_room(&c);
    return status;
}

bool cd_minimum_is_kept(const cd_starts* s, int i)
{
    const cd_minimum *m = &s->minimum[i], kept = s->kept < 0 ? (cd_minimum){0} : as_minimum(s, s->kept);
    return s->kept >= 0 && is_same(m, &kept);
}

void cd_starts_free(cd_starts* s)
{
    free(s->end);
    free(s->minimum);
    *s = (cd_starts){0};
}
