// SPDX-License-Identifier: BSD-3-Clause
// bench_loops: time of one evaluation of accelerations of mechanisms with loops, by Cardan's formulations and by other
// engines, in the same run; and growth of `reduction` with the size.
//
// Every side except reduction runs in a separate process, which is killed after a time limit: engines that iterate or
// have cubic cost may not finish.
//
//   bench_loops [--results FOLDER] [race|growth [FAMILY [SIZE]]]
#include "clock.h"
#include "closed_chain_make.h"
#include "mechanism.h"

#include "core/memory.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 9, NOURS = 4, NPEER = 3, NSIDE = NOURS + NPEER };

static const double batch_us = 20000; // duration of one measurement
static const double slow_us  = 2e5;   // [us] slower sides are measured once

enum { LIMIT = 15 }; // [s] limit of one side on one mechanism, all rounds

static const char* const      ours[NOURS]  = {"reduction", "order-n", "augmented", "lagrange"};
static const contender* const peers[NPEER] = {&loop_mujoco, &loop_simbody, &loop_ode};

static const struct {
    const char *family, *title;
    int         n[5];
    double      goal_us[5]; // goal of reduction; 0: none
} fields[] = {
    {"arc", "arc", {20, 40, 100, 400}, {0, 0, 0, 150}},
    {"rope-ladder", "rope ladder, planar", {4, 16, 64, 256, 1000}, {0, 0, 0, 500, 0}},
    {"rope-ladder-spatial", "rope ladder, spatial", {4, 16, 64, 256}, {0}},
};

// A formulation of Cardan on a mechanism at its start.
typedef struct cardan_side {
    cardan_model* m;
    cardan_data*  d;
    double*       a;
    cardan_report report;
    bool          failed;
} cardan_side;

typedef struct side {
    const char*      name;
    cardan_side*     c;
    void*            peer;
    const contender* by;
    int              calls;
    bool             once, there; // there: it was measured
    bool             failed;
    double           us[ROUNDS], off; // off: difference of revolute-joint accelerations from those of reduction
    char             why[200];        // reason why it was not measured
} side;

static void close_cardan(cardan_side* c)
{
    if (!c) return;
    cardan_data_destroy(c->d);
    cardan_model_destroy(c->m);
    free(c->a);
    free(c);
}

static cardan_side* open_cardan(const cardan_description* d, const char* formulation, char* why, size_t size)
{
    const int    f = cardan_formulation_find(formulation);
    cardan_side* c = cd_allocate(1, sizeof *c);
    if (!c) return NULL;
    cardan_report_clear(&c->report);
    bool good = cardan_model_compile(d, cardan_formulation_tree_policy(f), &c->m, &c->report) == CARDAN_OK &&
                cardan_data_create(c->m, f, &c->d, &c->report) == CARDAN_OK;
    if (good) c->a = cd_allocate((size_t)cardan_model_get_view(c->m).nv, sizeof(double));
    good = good && c->a && cardan_data_accelerate(c->d, c->a, NULL, &c->report) == CARDAN_OK;
    if (good) return c;
    snprintf(why, size, "%s", c->report.count ? c->report.message[c->report.count - 1].text : "out of memory");
    close_cardan(c);
    return NULL;
}

static void evaluate_cardan(void* on)
{
    cardan_side*            c    = on;
    const cardan_model_view view = cardan_model_get_view(c->m);
    cardan_data_set_state(c->d, 0, view.q_start, view.v_start, view.state_start);
    if (cardan_data_accelerate(c->d, c->a, NULL, &c->report) != CARDAN_OK) c->failed = true;
}

static void measure(side* s, int round)
{
    if (s->once)
        s->us[round] = s->us[0];
    else if (s->c)
        s->us[round] = clock_time(evaluate_cardan, s->c, s->calls);
    else
        s->us[round] = clock_time(s->by->evaluate, s->peer, s->calls);
}

// Return the difference of revolute-joint accelerations from those of reduction; joints that are not in the tree of
// reduction are omitted.
static double difference(const cardan_side* c, const closed* k, const double* a)
{
    const cardan_model_view view = cardan_model_get_view(c->m);
    double                  most = 0, size = 0;
    for (int j = 0; j < k->njoint; ++j) {
        const cardan_index_range range = view.tree_range[k->joint[j].number];
        if (!isfinite(a[j]) || range.v < 0 || range.nv != 1 || range.v >= view.nv) continue;
        most = fmax(most, fabs(a[j] - c->a[range.v]));
        size = fmax(size, fabs(c->a[range.v]));
    }
    return size > 0 ? most / size : NAN;
}

static void count_calls(side* s, void (*work)(void*), void* on)
{
    s->us[0] = clock_time(work, on, 1);
    s->once  = s->us[0] > slow_us;
    if (!s->once) s->calls = clock_calls(work, on, batch_us);
}

static void open_side(side* s, int k, const cardan_description* d, const closed* mechanism, const side* reduction,
                      double* a)
{
    if (k < NOURS) {
        s->c     = open_cardan(d, ours[k], s->why, sizeof s->why);
        s->there = s->c != NULL;
        if (s->c) count_calls(s, evaluate_cardan, s->c);
        return;
    }
    s->by    = peers[k - NOURS];
    s->peer  = s->by->create(mechanism, s->why, sizeof s->why);
    s->there = s->peer != NULL;
    if (!s->peer) return;
    s->us[0] = clock_time(s->by->evaluate, s->peer, 1);
    s->by->accelerations(s->peer, a); // before the next call: some engines change their state
    if (reduction->c) s->off = difference(reduction->c, mechanism, a);
    s->once = s->us[0] > slow_us;
    if (!s->once) s->calls = clock_calls(s->by->evaluate, s->peer, batch_us);
}

static void close_side(side* s)
{
    close_cardan(s->c);
    if (s->peer) s->by->destroy(s->peer);
    s->c    = NULL;
    s->peer = NULL;
}

// Read the results of the other process; false if the time limit is exceeded.
static bool read_results(int from, void* what, size_t size)
{
    size_t       got   = 0;
    const double start = clock_us();
    while (got < size) {
        struct pollfd wait = {.fd = from, .events = POLLIN};
        const double  left = LIMIT - (clock_us() - start) / 1e6;
        if (left <= 0 || poll(&wait, 1, (int)(1000 * left) + 1) <= 0) return false;
        const ssize_t n = read(from, (char*)what + got, size - got);
        if (n <= 0) break;
        got += (size_t)n;
    }
    if (got < size) snprintf(((side*)what)->why, sizeof((side*)what)->why, "ended without results");
    return true;
}

// Measure a side in a separate process.
static void measure_in_child(side* s, int k, const cardan_description* d, const closed* mechanism,
                             const side* reduction, double* a)
{
    int pipes[2];
    if (pipe(pipes) != 0) return;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        open_side(s, k, d, mechanism, reduction, a);
        for (int r = 0; s->there && r < ROUNDS; ++r) measure(s, r);
        s->failed      = s->c && s->c->failed;
        s->c           = NULL;
        s->peer        = NULL;
        const char* at = (const char*)s;
        for (size_t sent = 0; sent < sizeof *s;) {
            const ssize_t n = write(pipes[1], at + sent, sizeof *s - sent);
            if (n <= 0) break;
            sent += (size_t)n;
        }
        _exit(0);
    }
    close(pipes[1]);
    side there = *s;
    if (child > 0 && !read_results(pipes[0], &there, sizeof there)) {
        kill(child, SIGKILL);
        snprintf(s->why, sizeof s->why, "did not finish in %d s", LIMIT);
    } else {
        *s      = there;
        s->name = k < NOURS ? ours[k] : peers[k - NOURS]->name;
        s->by   = k < NOURS ? NULL : peers[k - NOURS];
    }
    close(pipes[0]);
    if (child > 0) waitpid(child, NULL, 0);
}

static bool is_there(const side* s) { return s->there; }

static double middle_of(const side* s, int rounds) { return is_there(s) ? spread_of(s->us, rounds).middle : NAN; }

static int print_race(const char* title, int n, side* s, int rounds, double goal, FILE* csv)
{
    const spread first  = spread_of(s[0].us, rounds);
    int          missed = 0;
    printf("%-21s %5d %10.4g +-%2.0f%%", title, n, first.middle, 50 * (first.high - first.low) / first.middle);
    for (int k = 1; k < NSIDE; ++k) {
        const double us = middle_of(&s[k], rounds);
        if (isfinite(us))
            printf(" %10.4g %6.4gx", us, us / first.middle);
        else
            printf(" %10s %7s", "-", "");
    }
    printf("\n");
    for (int k = 0; k < NSIDE; ++k) {
        if (s[k].why[0]) printf("    %s: %s\n", s[k].name, s[k].why);
        if (s[k].off > (s[k].by == &loop_ode ? 1e-3 : s[k].by == &loop_mujoco ? 1e-3 : 1e-8))
            printf("    %s: accelerations differ by %.1e of the largest\n", s[k].name, s[k].off);
        if (s[k].failed || (s[k].c && s[k].c->failed)) printf("    %s: FAILS\n", s[k].name), ++missed;
    }
    if (goal > 0) {
        printf("    reduction %.4g us, goal %g us: %s\n", first.middle, goal, first.middle < goal ? "met" : "MISSED");
        missed += !(first.middle < goal);
    }
    for (int k = NOURS; n == 256 && strcmp(title, "rope ladder, planar") == 0 && k < NSIDE; ++k) {
        const double over = middle_of(&s[k], rounds) / first.middle;
        if (!isfinite(over)) continue;
        printf("    %.4g times faster than %s, goal 20: %s\n", over, s[k].name, over >= 20 ? "met" : "MISSED");
        missed += !(over >= 20);
    }
    if (csv) {
        fprintf(csv, "\"%s\",%d", title, n);
        for (int k = 0; k < NSIDE; ++k)
            isfinite(middle_of(&s[k], rounds)) ? fprintf(csv, ",%.6g", middle_of(&s[k], rounds)) : fprintf(csv, ",");
        for (int k = NOURS; k < NSIDE; ++k) isfinite(s[k].off) ? fprintf(csv, ",%.3g", s[k].off) : fprintf(csv, ",");
        for (int k = 0; k < NSIDE; ++k) fprintf(csv, ",\"%s\"", s[k].why);
        fprintf(csv, "\n");
        fflush(csv);
    }
    fflush(stdout);
    return missed;
}

static int race_one(size_t field, int i, FILE* csv)
{
    side                s[NSIDE];
    const int           n      = fields[field].n[i];
    cardan_description* d      = mechanism_make(fields[field].family, n);
    closed*             c      = d ? closed_make(d) : NULL;
    double*             a      = cd_allocate(c ? (size_t)c->njoint : 1, sizeof *a);
    const int           rounds = ROUNDS;
    int                 missed = 1;
    if (c && a) {
        for (int k = 0; k < NSIDE; ++k) {
            s[k] = (side){.name = k < NOURS ? ours[k] : peers[k - NOURS]->name, .off = NAN};
            if (k > 0)
                measure_in_child(&s[k], k, d, c, &s[0], a);
            else
                open_side(&s[k], k, d, c, &s[0], a);
        }
        for (int r = 0; s[0].there && r < rounds; ++r) measure(&s[0], r);
        if (is_there(&s[0]))
            missed = print_race(fields[field].title, n, s, rounds, fields[field].goal_us[i], csv);
        else
            printf("%-21s %5d cannot be measured: %s\n", fields[field].title, n, s[0].why);
        close_side(&s[0]);
    }
    free(a);
    closed_destroy(c);
    cardan_description_destroy(d);
    return missed;
}

static int race_all(FILE* csv, const char* family, int size)
{
    int missed = 0;
    printf("%-21s %5s %16s", "mechanism", "size", "reduction [us]");
    for (int k = 1; k < NSIDE; ++k) printf(" %18s", k < NOURS ? ours[k] : peers[k - NOURS]->name);
    printf("\n");
    for (int k = 0; k < NPEER; ++k) printf("    %s: %s\n", peers[k]->name, peers[k]->what);
    if (csv)
        fprintf(csv, "mechanism,size,reduction_us,order_n_us,augmented_us,lagrange_us,mujoco_us,simbody_us,ode_us,"
                     "mujoco_off,simbody_off,ode_off,"
                     "reduction_why,order_n_why,augmented_why,lagrange_why,mujoco_why,simbody_why,ode_why\n");
    for (size_t f = 0; f < sizeof fields / sizeof *fields; ++f)
        for (int i = 0; i < 5 && fields[f].n[i] > 0; ++i)
            if ((!family || strcmp(family, fields[f].family) == 0) && (size == 0 || size == fields[f].n[i]))
                missed += race_one(f, i, csv);
    return missed;
}

// ---- growth

enum { NSIZE = 6 };
static const int    cells[NSIZE] = {64, 256, 1024, 4096, 16384, 65536};
static const double allowed      = 1.30; // growth of the time per cell from first to last

static int grow(const char* family, FILE* csv)
{
    cardan_side* c[NSIZE];
    double       us[NSIZE][ROUNDS];
    int          calls[NSIZE], last = 0;
    char         why[200] = "";
    for (int k = 0; k < NSIZE; ++k) {
        cardan_description* d = mechanism_make(family, cells[k]);
        c[k]                  = d && !why[0] ? open_cardan(d, "reduction", why, sizeof why) : NULL;
        if (c[k]) calls[k] = clock_calls(evaluate_cardan, c[k], 3 * batch_us), last = k;
        cardan_description_destroy(d);
    }
    for (int r = 0; r < ROUNDS; ++r)
        for (int k = 0; k < NSIZE; ++k)
            if (c[k]) us[k][r] = clock_time(evaluate_cardan, c[k], calls[k]) / cells[k];
    printf("%-21s", family);
    for (int k = 0; k < NSIZE; ++k) {
        const spread s = c[k] ? spread_of(us[k], ROUNDS) : (spread){NAN, NAN, NAN};
        if (c[k])
            printf(" %9.1f", 1e3 * s.middle);
        else
            printf(" %9s", "-");
        if (csv && c[k])
            fprintf(csv, "%s,%d,%.6g,%.6g,%.6g\n", family, cells[k], 1e3 * s.middle, 1e3 * s.low, 1e3 * s.high);
    }
    const double growth = c[0] ? spread_of(us[last], ROUNDS).middle / spread_of(us[0], ROUNDS).middle : NAN;
    const bool   met    = last == NSIZE - 1 && growth < allowed;
    printf("   growth %.2f, goal %.2f: %s\n", growth, allowed, met ? "met" : "MISSED");
    if (why[0]) printf("    from %d cells on: %s\n", cells[last + 1], why);
    for (int k = 0; k < NSIZE; ++k) close_cardan(c[k]);
    fflush(stdout);
    return !met;
}

static int grow_all(FILE* csv, const char* only)
{
    static const char* const family[] = {"ladder", "rope-ladder", "rope-ladder-spatial"};
    int                      missed   = 0;
    printf("\nreduction, nanoseconds per cell\n%-21s", "cells");
    for (int k = 0; k < NSIZE; ++k) printf(" %9d", cells[k]);
    printf("\n");
    if (csv) fprintf(csv, "family,cells,ns_per_cell,q1,q3\n");
    for (size_t f = 0; f < sizeof family / sizeof *family; ++f)
        if (!only || strcmp(only, family[f]) == 0) missed += grow(family[f], csv);
    return missed;
}

static FILE* open_csv(const char* folder, const char* name)
{
    char path[1024];
    if (!folder) return NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "w");
}

int main(int argc, char** argv)
{
    const bool  has_folder = argc > 2 && strcmp(argv[1], "--results") == 0;
    const char* folder     = has_folder ? argv[2] : NULL;
    const int   at         = has_folder ? 3 : 1;
    const char *part = argc > at ? argv[at] : "", *family = argc > at + 1 ? argv[at + 1] : NULL;
    const int   size   = argc > at + 2 ? atoi(argv[at + 2]) : 0;
    int         missed = 0;
    clock_pin();
    if (strcmp(part, "growth") != 0) {
        FILE* csv = open_csv(folder, "loops.csv");
        missed += race_all(csv, family, size);
        if (csv) fclose(csv);
    }
    if (strcmp(part, "race") != 0) {
        FILE* csv = open_csv(folder, "loops_growth.csv");
        missed += grow_all(csv, family);
        if (csv) fclose(csv);
    }
    return missed > 0;
}
