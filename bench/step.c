// SPDX-License-Identifier: BSD-3-Clause
// bench_step: one integrator step in maximal coordinates, compared with the same step by other solvers of the same
// matrix and with ODE; the part of stabilization in it; and its growth with the size.
//
//   bench_step [--results FOLDER] [step|growth [FAMILY]|MECHANISM]
#include "clock.h"
#include "ode.h"
#include "full_step.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 15, FEW = 3, SHORT = 20 };

static const double step_size = 1e-3;   // [s]
static const double batch_us  = 30000;  // duration of one run
static const double slow_us   = 300000; // [us] longer steps are measured a few times only

typedef struct contest {
    const char *name, *what;
    int         n;                    // size of a family; 0: a model file
    double      over_dense, over_ode; // goals; 0: none
} contest;

static const contest contests[] = {
    {"shoulder", "models/shoulder", 0, 3, 0},
    {"prosthetic arm", "models/prosthetic_arm", 0, 0, 0},
    {"rider", "models/rider", 0, 20, 0},
    {"ring 20", "ring", 20, 0, 0},
    {"ring 40", "ring", 40, 0, 0},
    {"ring 400", "ring", 400, 1000, 0},
    {"arc 20", "arc", 20, 0, 0},
    {"arc 100", "arc", 100, 0, 0},
    {"arc 400", "arc", 400, 0, 100},
    {"rope ladder, 64 cells", "rope-ladder-spatial", 64, 0, 0},
    {"star 400", "star", 400, 0, 0},
};

// CLOSED and OPEN: steps without event detection, with and without stabilization; few enough for negligible drift.
enum { LAGRANGE, CLOSED, OPEN, DENSE, SPARSE, ODE, NSIDE };

typedef struct side {
    whole* w;
    ode*   o;
    int    steps, runs;
    bool   absent;
    double us[ROUNDS];
} side;

typedef struct result {
    const contest* c;
    int            bodies, velocities, rows, rounds;
    spread         us[NSIDE];
    bool           absent[NSIDE];
    double         closure;   // constraint violation after 100 steps
    double         dense_off; // difference of coordinates after the same steps by lagrange and by dsytrf
    double         ode_off;   // difference of velocities after one step
} result;

static bool is_short(int k) { return k == CLOSED || k == OPEN; }

static double run_side(side* s, int k, cardan_report* report)
{
    const double start = clock_us();
    double       sum   = 0;
    for (int i = 0; s->w && i < s->runs; ++i)
        sum += is_short(k) ? whole_bare(s->w, s->steps, step_size, k == OPEN ? "none" : NULL, report)
                           : whole_run(s->w, s->steps, step_size, report);
    if (s->w) return sum / s->runs;
    for (int i = 0; i < s->steps; ++i) ode_step(s->o, step_size);
    return (clock_us() - start) / s->steps;
}

// Create the available sides, each with as many steps as fill a batch.
static void open_sides(const contest* c, side* s, result* r, cardan_report* report)
{
    static const cd_formulation* const solver[NSIDE] = {[DENSE] = &solver_dense, [SPARSE] = &solver_sparse};
    for (int k = 0; k < NSIDE; ++k) {
        s[k].steps = s[k].runs = 1;
        if (k == ODE)
            s[k].o = s[LAGRANGE].w ? ode_create(whole_rewind(s[LAGRANGE].w)) : NULL;
        else if (is_short(k))
            s[k].w = s[LAGRANGE].w;
        else
            s[k].w = whole_create(c->what, c->n, solver[k], report);
        const double us = s[k].w || s[k].o ? run_side(&s[k], k, report) : NAN;
        s[k].absent     = !isfinite(us);
        if (us > slow_us) r->rounds = FEW;
        if (s[k].absent) continue;
        s[k].steps = (int)fmax(2, fmin(is_short(k) ? SHORT : 300, batch_us / us));
        s[k].runs  = is_short(k) ? (int)fmax(1, fmin(300.0 / SHORT, batch_us / us / SHORT)) : 1;
    }
}

// Return the difference of the coordinates after the same three steps by two solvers.
static double difference(side* a, side* b, cardan_report* report)
{
    double     most = 0, closure;
    const bool good =
        whole_check(a->w, 3, step_size, &closure, report) && whole_check(b->w, 3, step_size, &closure, report);
    for (int i = 0; good && i < whole_velocities(a->w) / 6 * 7; ++i)
        most = fmax(most, fabs(whole_end(a->w)[i] - whole_end(b->w)[i]));
    return good ? most : NAN;
}

static bool compete(const contest* c, result* r, cardan_report* report)
{
    side   s[NSIDE] = {0};
    double one;
    *r = (result){.c = c, .rounds = ROUNDS};
    open_sides(c, s, r, report);
    const bool good = !s[LAGRANGE].absent;
    for (int k = 0; k < NSIDE; ++k) r->absent[k] = s[k].absent;
    if (good) {
        r->bodies     = whole_bodies(s[LAGRANGE].w);
        r->velocities = whole_velocities(s[LAGRANGE].w);
        r->rows       = whole_rows(s[LAGRANGE].w);
        if (!s[ODE].absent && whole_check(s[LAGRANGE].w, 1, step_size, &one, report))
            r->ode_off = ode_difference(s[ODE].o, whole_data(s[LAGRANGE].w));
        whole_check(s[LAGRANGE].w, 100, step_size, &r->closure, report);
        if (!s[DENSE].absent) r->dense_off = difference(&s[LAGRANGE], &s[DENSE], report);
        for (int i = 0; i < r->rounds; ++i)
            for (int k = 0; k < NSIDE; ++k)
                if (!s[k].absent) s[k].us[i] = run_side(&s[k], k, report);
        for (int k = 0; k < NSIDE; ++k) r->us[k] = spread_of(s[k].us, r->rounds);
    }
    for (int k = 0; k < NSIDE; ++k) {
        if (!is_short(k)) whole_destroy(s[k].w);
        if (s[k].o) ode_destroy(s[k].o);
    }
    return good;
}

static double closing(const result* r) { return 1 - r->us[OPEN].middle / r->us[CLOSED].middle; }
static double over(const result* r, int k) { return r->us[k].middle / r->us[LAGRANGE].middle; }

static void print_side(const result* r, int k)
{
    if (r->absent[k])
        printf(" %12s %8s", "-", "");
    else if (!isfinite(r->us[k].middle))
        printf(" %12s %8s", "fails", "");
    else
        printf(" %12.4g %7.1fx", r->us[k].middle, over(r, k));
}

static int print_goals(const result* r)
{
    int missed = 0;
    const struct {
        double      reached, required;
        const char* what;
    } goal[] = {{over(r, DENSE), r->c->over_dense, "the dense step"}, {over(r, ODE), r->c->over_ode, "ODE"}};
    for (size_t k = 0; k < sizeof goal / sizeof *goal; ++k) {
        if (goal[k].required == 0) continue;
        const bool met = goal[k].reached >= goal[k].required;
        printf("    %.4g times faster than %s, goal %g: %s\n", goal[k].reached, goal[k].what, goal[k].required,
               met ? "met" : "MISSED");
        missed += !met;
    }
    if (closing(r) > 0.15)
        printf("    stabilization takes %.1f %% of the step, goal 15: MISSED\n", 100 * closing(r)), ++missed;
    return missed;
}

static int print(const result* r)
{
    printf("%-22s %5d+%-5d %10.4g +-%2.0f%% %6.1f %% %9.1e", r->c->name, r->velocities, r->rows, r->us[LAGRANGE].middle,
           50 * (r->us[LAGRANGE].high - r->us[LAGRANGE].low) / r->us[LAGRANGE].middle, 100 * closing(r), r->closure);
    for (int k = DENSE; k < NSIDE; ++k) print_side(r, k);
    printf("\n");
    if (!r->absent[DENSE] && !(r->dense_off < 1e-8))
        printf("    after three steps dsytrf differs by %.1e: DISAGREES\n", r->dense_off);
    fflush(stdout);
    return print_goals(r) + (!r->absent[DENSE] && !(r->dense_off < 1e-8));
}

// Measure all mechanisms, or the named one.
static int all_steps(const char* name, FILE* csv, cardan_report* report)
{
    static result r;
    int           missed = 0;
    printf("%-22s %11s %16s %8s %9s %21s %21s %21s\n", "mechanism", "size", "Cardan [us]", "stabil.", "violation",
           "dense, dsytrf [us]", "AMD and LDL [us]", "dWorldStep [us]");
    if (csv)
        fprintf(
            csv,
            "mechanism,bodies,velocities,rows,rounds,cardan_us,cardan_q1_us,cardan_q3_us,closed_us,open_us,dense_us,"
            "sparse_us,ode_us,closure,dense_off,ode_off\n");
    for (size_t i = 0; i < sizeof contests / sizeof *contests; ++i) {
        if (name && strcmp(contests[i].name, name) != 0) continue;
        cardan_report_clear(report);
        if (!compete(&contests[i], &r, report)) {
            printf("%-22s cannot be measured: %s\n", contests[i].name,
                   report->count ? report->message[report->count - 1].text : "out of memory");
            ++missed;
            continue;
        }
        missed += print(&r);
        if (!csv) continue;
        fprintf(csv, "\"%s\",%d,%d,%d,%d,%.6g,%.6g,%.6g", contests[i].name, r.bodies, r.velocities, r.rows, r.rounds,
                r.us[LAGRANGE].middle, r.us[LAGRANGE].low, r.us[LAGRANGE].high);
        for (int k = CLOSED; k < NSIDE; ++k) r.absent[k] ? fprintf(csv, ",") : fprintf(csv, ",%.6g", r.us[k].middle);
        fprintf(csv, ",%.3g,%.3g,%.3g\n", r.closure, r.dense_off, r.ode_off);
    }
    return missed;
}

// ---- growth

static const struct {
    const char* name;
    int         bodies; // per cell
} grown[] = {{"ring", 1}, {"ladder", 2}, {"rope-ladder-spatial", 3}, {"star", 1}};

enum { NGROWN = sizeof grown / sizeof *grown, NSIZE = 3 };

static const int    sizes[NSIZE] = {1000, 10000, 100000};
static const double allowed      = 1.30; // growth of the time per body from first to last

// Interleaved rounds over all sizes, so that other load of the machine affects all sizes alike.
static int grow(int family, FILE* csv, cardan_report* report)
{
    whole* w[NSIZE];
    int    steps[NSIZE], missed = 0;
    double us[NSIZE][ROUNDS];
    bool   good = true;
    for (int k = 0; k < NSIZE; ++k) {
        w[k]             = whole_create(grown[family].name, sizes[k] / grown[family].bodies, NULL, report);
        const double one = w[k] ? whole_run(w[k], 2, step_size, report) : NAN;
        good             = good && isfinite(one);
        steps[k]         = good ? (int)fmax(3, fmin(300, 10 * batch_us / one)) : 0;
    }
    for (int i = 0; good && i < ROUNDS; ++i)
        for (int k = 0; k < NSIZE; ++k) {
            us[k][i] = whole_run(w[k], steps[k], step_size, report) / whole_bodies(w[k]);
            good     = good && isfinite(us[k][i]);
        }
    if (!good)
        printf("%-22s cannot be measured: %s\n", grown[family].name,
               report->count ? report->message[report->count - 1].text : "out of memory");
    if (good) {
        printf("%-22s", grown[family].name);
        const double first = spread_of(us[0], ROUNDS).middle;
        double       last  = first;
        for (int k = 0; k < NSIZE; ++k) {
            const spread s = spread_of(us[k], ROUNDS);
            last           = s.middle;
            printf(" %9.1f (%6.1f..%6.1f)", 1e3 * s.middle, 1e3 * s.low, 1e3 * s.high);
            if (csv)
                fprintf(csv, "%s,%d,%.6g,%.6g,%.6g\n", grown[family].name, whole_bodies(w[k]), 1e3 * s.middle,
                        1e3 * s.low, 1e3 * s.high);
        }
        missed = last / first > allowed;
        printf("   growth %.2f, goal %.2f: %s\n", last / first, allowed, missed ? "MISSED" : "met");
        fflush(stdout);
    }
    for (int k = 0; k < NSIZE; ++k) whole_destroy(w[k]);
    return good ? missed : 1;
}

// Measure all families, or the named one.
static int all_growth(const char* name, FILE* csv, cardan_report* report)
{
    int missed = 0;
    printf("\nintegrator step, nanoseconds per body at about 1,000, 10,000 and 100,000 bodies\n");
    if (csv) fprintf(csv, "family,bodies,ns_per_body,q1,q3\n");
    for (int i = 0; i < NGROWN; ++i) {
        if (name && strcmp(grown[i].name, name) != 0) continue;
        cardan_report_clear(report);
        missed += grow(i, csv, report);
    }
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
    static cardan_report report;
    const bool           has_folder = argc > 2 && strcmp(argv[1], "--results") == 0;
    const char*          folder     = has_folder ? argv[2] : NULL;
    const int            at         = has_folder ? 3 : 1;
    const char*          part       = argc > at ? argv[at] : "";
    const char*          family     = argc > at + 1 ? argv[at + 1] : NULL;
    const char*          name       = *part && strcmp(part, "step") != 0 && strcmp(part, "growth") != 0 ? part : NULL;
    int                  missed     = 0;
    clock_pin();
    printf("semi-implicit Euler, h = %g s; medians over interleaved rounds\n", step_size);
    if (strcmp(part, "growth") != 0) {
        FILE* csv = open_csv(folder, "step.csv");
        missed += all_steps(name, csv, &report);
        if (csv) fclose(csv);
    }
    if (!name && strcmp(part, "step") != 0) {
        FILE* csv = open_csv(folder, "growth.csv");
        missed += all_growth(family, csv, &report);
        if (csv) fclose(csv);
    }
    return missed > 0;
}
