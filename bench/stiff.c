// SPDX-License-Identifier: BSD-3-Clause
// bench_stiff: speed of stiff integrators. Every integrator runs the same mechanisms with steps or tolerances from
// coarse to fine; results are time over error, the largest difference from an accurate reference at any output sample,
// in units of 1 rad, 0.1 m, 1 rad/s + |w|, 0.1 m/s + |v|.
//
//   bench_stiff [--results FOLDER] [NAME ...]
#include "clock.h"

#include <cardan/cardan.h>
#include <cardan/family.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 16, ROUNDS = 3, LEVELS = 5, MOST_PROBLEMS = 8 };

static const double levels[LEVELS] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
static const double slow_us        = 1e6; // a longer run is the last one of its integrator

typedef struct problem {
    const char *name, *path, *formulation;
    double      end, output;
    double      goal, goal_level; // speedup over rk4 at this error; 0: no goal
} problem;

static const problem problems[] = {
    {"bushing corner", "models/bushing_corner", "order-n", 1, 0.005, 20, 1e-4},
    {"bushing corner, maximal coordinates", "models/bushing_corner", "lagrange", 1, 0.005, 20, 1e-4},
    {"governor", "models/governor", "cholesky", 10, 0.05, 0, 0},
};

enum { NPROBLEM = sizeof problems / sizeof *problems };

static const char* const methods[] = {"rk4", "dopri5", "generalized-alpha", "hht", "ida", "cvode-bdf"};

enum { NMETHOD = sizeof methods / sizeof *methods, RK4 = 0 };

typedef struct attempt {
    double setting, us, path,
        end; // step or tolerance; least time of the rounds; error over all samples, and at the last
    long steps, evaluations;
} attempt;

typedef struct curve {
    int     count;
    attempt run[MOST_RUNS];
} curve;

typedef struct subject {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    cardan_model_view   view;
    double*             unit;           // (nv) 1 rad, 0.1 m
    double *            reference, *dq; // (rows x (nq + nv)), (nv)
    int                 rows, row;
    bool                keeps;     // samples become the reference
    double              path, end; // error so far, and at the last sample
} subject;

static void set_units(subject* s)
{
    for (int i = 0; i < s->view.nv; ++i) s->unit[i] = 1;
    for (int j = 0; j < s->view.ntree_range; ++j)
        for (int i = 0; s->view.tree_range[j].v >= 0 && i < s->view.tree_range[j].nv; ++i)
            if (strncmp(cardan_model_v_unit(s->model, j, i), "rad", 3) != 0) s->unit[s->view.tree_range[j].v + i] = 0.1;
}

static bool open_subject(const problem* p, subject* s, cardan_report* report)
{
    const int formulation = cardan_formulation_find(p->formulation);
    *s                    = (subject){0};
    if (cardan_description_load(p->path, NULL, &s->description, report) != CARDAN_OK) return false;
    if (cardan_model_compile(s->description, cardan_formulation_tree_policy(formulation), &s->model, report) !=
        CARDAN_OK)
        return false;
    if (cardan_data_create(s->model, formulation, &s->data, report) != CARDAN_OK) return false;
    s->view      = cardan_model_get_view(s->model);
    s->rows      = (int)lround(p->end / p->output) + 1;
    s->unit      = calloc((size_t)s->view.nv + 1, sizeof(double));
    s->dq        = calloc((size_t)s->view.nv + 1, sizeof(double));
    s->reference = calloc((size_t)s->rows * (size_t)(s->view.nq + s->view.nv), sizeof(double));
    if (!s->unit || !s->dq || !s->reference) return false;
    set_units(s);
    return true;
}

static void close_subject(subject* s)
{
    cardan_data_destroy(s->data);
    cardan_model_destroy(s->model);
    cardan_description_destroy(s->description);
    free(s->unit), free(s->dq), free(s->reference);
}

static double error_at(const subject* s, const double* q, const double* v, const double* reference)
{
    const double *exact_q = reference, *exact_v = reference + s->view.nq;
    double        most = 0;
    cardan_model_position_difference(s->model, exact_q, q, s->dq);
    for (int i = 0; i < s->view.nv; ++i) {
        const double position = fabs(s->dq[i]) / s->unit[i],
                     velocity = fabs(v[i] - exact_v[i]) / (s->unit[i] + fabs(exact_v[i]));
        most                  = fmax(most, fmax(position, velocity));
    }
    return most;
}

static bool take_row(void* user, cardan_data* data, const cardan_sample* row)
{
    subject*     s = user;
    const size_t n = (size_t)(s->view.nq + s->view.nv);
    (void)data;
    if (s->row >= s->rows) return false;
    double* there = s->reference + (size_t)s->row++ * n;
    if (s->keeps) {
        memcpy(there, row->q, (size_t)s->view.nq * sizeof *there);
        memcpy(there + s->view.nq, row->v, (size_t)s->view.nv * sizeof *there);
        return true;
    }
    s->end  = error_at(s, row->q, row->v, there);
    s->path = fmax(s->path, s->end);
    return true;
}

// Run once; returns the time [us], or NAN if the run failed.
static double run_once(const problem* p, subject* s, const char* method, double setting, cardan_run_summary* summary)
{
    cardan_report       report;
    cardan_run_settings run = cardan_run_default();
    cardan_report_clear(&report);
    run.integrator      = cardan_integrator_find(method);
    run.end             = p->end;
    run.output_interval = p->output;
    run.sample_callback = take_row;
    run.user            = s;
    if (cardan_integrator_is_adaptive(run.integrator))
        run.tolerance = setting;
    else
        run.step = setting;
    s->row  = 0;
    s->path = s->end   = 0;
    const double start = clock_us();
    return cardan_simulate(s->data, &run, summary, &report) == CARDAN_OK ? clock_us() - start : NAN;
}

static attempt measure(const problem* p, subject* s, const char* method, double setting)
{
    attempt a = {.setting = setting, .us = INFINITY};
    for (int i = 0; i < ROUNDS && !(a.us > 0.3 * slow_us && i > 0); ++i) {
        cardan_run_summary summary;
        a.us    = fmin(a.us, run_once(p, s, method, setting, &summary));
        a.steps = summary.steps, a.evaluations = summary.evaluations;
        if (summary.status != CARDAN_OK) a.us = NAN;
        if (summary.status != CARDAN_OK) break;
    }
    a.path = s->path, a.end = s->end;
    return a;
}

// From coarse to fine: steps are divided by the square root of 2 from the first that is stable, tolerances by half a
// decade; by two decades if they do not change the time.
static void trace_curve(const problem* p, subject* s, const char* method, curve* c)
{
    const bool adaptive = cardan_integrator_is_adaptive(cardan_integrator_find(method));
    double     setting  = adaptive ? 1e-2 : 1e-3;
    *c                  = (curve){0};
    for (int halvings = 0; halvings < 30 && c->count < (adaptive ? 15 : 5) && setting > 1e-10; ++halvings) {
        const attempt a    = measure(p, s, method, setting);
        const bool    same = adaptive && c->count > 0 && a.us > 0.05 * slow_us && a.us < 1.1 * c->run[c->count - 1].us;
        setting *= !adaptive ? sqrt(0.5) : same ? 0.01 : sqrt(0.1);
        if (!isfinite(a.us) || !(a.path < 1)) continue;
        c->run[c->count++] = a;
        if ((a.us > slow_us && !same && c->count > 2) || a.path < levels[LEVELS - 1]) break;
    }
}

static const attempt* cheapest(const curve* c, double level)
{
    const attempt* best = NULL;
    for (int i = 0; i < c->count; ++i)
        if (c->run[i].path <= level && (!best || c->run[i].us < best->us)) best = &c->run[i];
    return best;
}

static void print_curve(const char* method, const curve* c)
{
    printf("\n  %-18s %10s %10s %12s %12s %12s\n", method, strcmp(method, "rk4") == 0 ? "step [s]" : "tolerance",
           "steps", "time [ms]", "error, path", "at the end");
    for (int i = 0; i < c->count; ++i)
        printf("  %-18s %10.2g %10ld %12.2f %12.2g %12.2g\n", "", c->run[i].setting, c->run[i].steps,
               c->run[i].us / 1000, c->run[i].path, c->run[i].end);
}

static bool print_factors(const problem* p, const curve* c)
{
    bool met = true;
    printf("\n  speedup over rk4, both at their fastest run with an error below\n  %-18s", "");
    for (int l = 0; l < LEVELS; ++l) printf(" %9.0e", levels[l]);
    printf("\n");
    for (int k = 1; k < NMETHOD; ++k) {
        printf("  %-18s", methods[k]);
        for (int l = 0; l < LEVELS; ++l) {
            const attempt *a = cheapest(&c[k], levels[l]), *b = cheapest(&c[RK4], levels[l]);
            if (a && b)
                printf(" %9.1f", b->us / a->us);
            else
                printf(" %9s", "-");
        }
        printf("\n");
    }
    if (p->goal == 0) return true;
    double best = 0;
    for (int k = 1; k < NMETHOD; ++k) {
        const attempt *a = cheapest(&c[k], p->goal_level), *b = cheapest(&c[RK4], p->goal_level);
        if (a && b) best = fmax(best, b->us / a->us);
    }
    met = best >= p->goal;
    printf("  goal: speedup %.0f over rk4 at an error of %.0e; measured %.1f: %s\n", p->goal, p->goal_level, best,
           met ? "met" : "MISSED");
    return met;
}

static bool make_reference(const problem* p, subject* s)
{
    cardan_run_summary summary;
    s->keeps        = true;
    const bool good = isfinite(run_once(p, s, "dopri5", 1e-11, &summary));
    s->keeps        = false;
    const double us = run_once(p, s, "ida", 1e-9, &summary);
    printf("  reference: dopri5 1e-11; ida at 1e-9 differs by %.2g\n", isfinite(us) ? s->path : NAN);
    return good;
}

static bool solve(const problem* p, FILE* csv)
{
    static curve  c[NMETHOD];
    subject       s;
    cardan_report report;
    cardan_report_clear(&report);
    if (!open_subject(p, &s, &report)) {
        for (int i = 0; i < report.count; ++i) fprintf(stderr, "%s\n", report.message[i].text);
        close_subject(&s);
        return false;
    }
    printf("\n%s: %s by %s, %d velocities, %g s, %d samples\n", p->name, p->path, p->formulation, s.view.nv, p->end,
           s.rows);
    bool good = make_reference(p, &s);
    for (int k = 0; good && k < NMETHOD; ++k) {
        trace_curve(p, &s, methods[k], &c[k]);
        print_curve(methods[k], &c[k]);
        for (int i = 0; csv && i < c[k].count; ++i)
            fprintf(csv, "%s,%s,%g,%ld,%ld,%.6g,%.6g,%.6g\n", p->name, methods[k], c[k].run[i].setting,
                    c[k].run[i].steps, c[k].run[i].evaluations, c[k].run[i].us, c[k].run[i].path, c[k].run[i].end);
    }
    good = good && print_factors(p, c);
    close_subject(&s);
    return good;
}

// ---- growth

static const char* const families[] = {"bushing-chain", "ring"};
static const char* const growing[]  = {"generalized-alpha", "ida", "cvode-bdf"};
static const int         sizes[]    = {10, 50, 200, 800};

enum { NFAMILY = 2, NGROWING = 3, NSIZE = 4, DENSE = 2, DENSE_MOST = 50 };

// Return the time of one step [us] in maximal coordinates; NAN if it fails.
static double step_time(const char* family, int n, const char* method)
{
    cardan_description* d     = NULL;
    cardan_model*       model = NULL;
    cardan_data*        data  = NULL;
    cardan_report       report;
    cardan_run_summary  summary;
    double              best = NAN;
    cardan_report_clear(&report);
    if (cardan_family_generate(family, n, NULL, &d, &report) == CARDAN_OK &&
        cardan_model_compile(d, CARDAN_TREE_MAXIMAL, &model, &report) == CARDAN_OK &&
        cardan_data_create(model, cardan_formulation_find("lagrange"), &data, &report) == CARDAN_OK) {
        cardan_run_settings run = cardan_run_default();
        run.integrator          = cardan_integrator_find(method);
        run.tolerance           = 1e-4;
        run.end = run.output_interval = 0.2;
        for (int i = 0; i < 2; ++i) {
            const double start = clock_us();
            if (cardan_simulate(data, &run, &summary, &report) == CARDAN_OK)
                best = fmin(best, (clock_us() - start) / (double)summary.steps);
        }
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(d);
    return best;
}

static void grow(FILE* csv)
{
    printf("\ngrowth in maximal coordinates: us per step and body; sparse matrices, except for cvode-bdf (dense)\n  "
           "%-18s %8s",
           "", "bodies");
    for (int m = 0; m < NGROWING; ++m) printf(" %18s", growing[m]);
    printf("\n");
    for (int f = 0; f < NFAMILY; ++f)
        for (int k = 0; k < NSIZE; ++k) {
            printf("  %-18s %8d", families[f], sizes[k]);
            for (int m = 0; m < NGROWING; ++m) {
                const double us =
                    m == DENSE && sizes[k] > DENSE_MOST ? NAN : step_time(families[f], sizes[k], growing[m]);
                if (isnan(us))
                    printf(" %18s", "-");
                else
                    printf(" %18.2f", us / sizes[k]);
                if (csv && !isnan(us)) fprintf(csv, "%s %d,%s,1e-4,1,,%.6g,,\n", families[f], sizes[k], growing[m], us);
            }
            printf("\n");
        }
}

static bool is_selected(const char* name, int argc, char** argv, int first)
{
    for (int i = first; i < argc; ++i)
        if (strcmp(argv[i], name) == 0) return true;
    return first >= argc;
}

int main(int argc, char** argv)
{
    const bool results = argc > 2 && strcmp(argv[1], "--results") == 0;
    const int  first   = results ? 3 : 1;
    char       path[1024];
    FILE*      csv = NULL;
    bool       met = true;
    if (results) {
        snprintf(path, sizeof path, "%s/stiff.csv", argv[2]);
        csv = fopen(path, "w");
        if (csv) fprintf(csv, "problem,integrator,setting,steps,evaluations,us,error_path,error_end\n");
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("processor time of one thread on core %d, minimum of %d runs\n", clock_pin(), ROUNDS);
    for (int i = 0; i < NPROBLEM; ++i)
        if (is_selected(problems[i].name, argc, argv, first)) met = solve(&problems[i], csv) && met;
    if (is_selected("growth", argc, argv, first)) grow(csv);
    if (csv) fclose(csv);
    return met ? 0 : 1;
}
