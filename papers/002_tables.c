// SPDX-License-Identifier: BSD-3-Clause
// Tables 1 to 5 of paper 002 (Negrut, Serban, Potra) for its vehicle: counted operations and measured times of one
// solve of the augmented system, compared with the printed ones; complete evaluation by generated code.
//
//   002_tables OUTPUT MODELS [--small]      writes OUTPUT/002_tables.md, .csv and .svg
#include "002_generated.h"
#include "002_system.h"
#include "page.h"

#include "dynamics/data.h"
#include "dynamics/solve.h"

#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NSTEP = 8 };
static const char* const steps[NSTEP] = {"1", "2", "3.1", "3.2", "3.3", "3.4", "3.5", "4"};

// Operations and times of a formulation by steps, and the printed values.
typedef struct algorithm {
    const char*             name;
    const char*             ours;              // formulation
    long                    printed[3][NSTEP]; // additions, multiplications, divisions: Tables 2 and 3
    double                  printed_us[NSTEP]; // Table 5
    cardan_operation_counts o;
    double                  us[NSTEP], sum; // minima over all passes [us]
} algorithm;

static algorithm algorithms[] = {
    {.name       = "Alg-S",
     .ours       = "augmented-last",
     .printed    = {{975, 165, 708, 172, 834, 680, 145, 192},
                    {975, 165, 804, 172, 1135, 680, 162, 165},
                    {165, 27, 174, 0, 0, 120, 0, 27}},
     .printed_us = {300, 59, 246, 50, 276, 159, 57, 54}},
    {.name       = "Alg-D",
     .ours       = "augmented-dense",
     .printed    = {{3276, 351, 5616, 432, 3536, 2280, 405, 378},
                    {3276, 351, 5616, 432, 3672, 2280, 432, 351},
                    {351, 27, 432, 0, 0, 152, 0, 27}},
     .printed_us = {289, 31, 347, 27, 276, 147, 31, 31}},
    {.name = "rows before the root", .ours = "augmented"},
    {.name = "embedding", .ours = "embedding"},
};
enum { NALGORITHM = sizeof algorithms / sizeof *algorithms };

typedef struct solved {
    const char* name;
    double      us, error;
} solved;

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

// ---- the vehicle

typedef struct vehicle {
    cardan_description* description;
    cardan_model*       model;
    cardan_model_view   view;
    double *            q, *v;
    cardan_report       report;
} vehicle;

// Load the vehicle near its design configuration, with velocities in all coordinates, so that no term is accidentally
// zero.
static bool open_vehicle(vehicle* w, const char* models)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/hmmwv", models);
    *w = (vehicle){0};
    if (cardan_description_load(path, NULL, &w->description, &w->report) != CARDAN_OK) return false;
    if (cardan_model_compile(w->description, CARDAN_TREE_BREADTH_FIRST, &w->model, &w->report) != CARDAN_OK)
        return false;
    w->view = cardan_model_get_view(w->model);
    w->q    = calloc((size_t)w->view.nq, sizeof *w->q);
    w->v    = calloc((size_t)w->view.nv, sizeof *w->v);
    if (!w->q || !w->v) return false;
    memcpy(w->q, w->view.q_start, (size_t)w->view.nq * sizeof *w->q);
    for (int i = 0; i < w->view.nq; ++i) w->q[i] += 0.02 * sin(1 + 2.3 * i);
    for (int i = 0; i < w->view.nv; ++i) w->v[i] = 0.5 * sin(2 + 1.7 * i);
    cardan_model_normalize_position(w->model, w->q);
    return true;
}

static void close_vehicle(vehicle* w)
{
    free(w->q), free(w->v);
    cardan_model_destroy(w->model);
    cardan_description_destroy(w->description);
}

// ---- formulations of Cardan

typedef struct stopwatch {
    double last, us[NSTEP];
} stopwatch;

static void record_step(void* watcher, const char* step)
{
    stopwatch*   s = watcher;
    const double t = now_us();
    for (int i = 0; i < NSTEP; ++i)
        if (strcmp(steps[i], step) == 0) s->us[i] += t - s->last;
    s->last = now_us();
}

static bool measure(vehicle* w, algorithm* a, int passes, double* x)
{
    const int    f = cardan_formulation_find(a->ours);
    cardan_data* d = NULL;
    if (cardan_model_count_operations(w->model, f, w->q, w->v, &a->o, &w->report) != CARDAN_OK) return false;
    if (cardan_data_create(w->model, f, &d, &w->report) != CARDAN_OK) return false;
    cardan_data_set_state(d, 0, w->q, w->v, NULL);
    bool good = cardan_data_accelerate(d, x, NULL, &w->report) == CARDAN_OK;
    a->sum    = INFINITY;
    for (int i = 0; i < NSTEP; ++i) a->us[i] = INFINITY;
    for (int pass = 0; good && pass < 2 * passes; ++pass) { // every second pass without step times
        stopwatch        s       = {0};
        cd_solve_info    info    = {.stage_done = pass % 2 ? record_step : NULL, .stage_context = &s};
        const cd_problem problem = cd_problem_of(d);
        d->formulation->assemble(&problem, d->formulation_work);
        const double begin = s.last = now_us();
        good                        = d->formulation->factor(&problem, d->formulation_work, &info) == CARDAN_OK &&
               cd_solve_with_factor(d, d->solve.r, d->solve.gamma, x, d->solve.lambda, &info) == CARDAN_OK;
        const double end = now_us();
        if (pass % 2 == 0) a->sum = fmin(a->sum, end - begin);
        for (int i = 0; pass % 2 && i < NSTEP; ++i) a->us[i] = fmin(a->us[i], s.us[i]);
    }
    cardan_data_destroy(d);
    return good;
}

// ---- solvers of the paper

static bool make_matrix(vehicle* w, paper_matrix* s)
{
    cardan_data* d = NULL;
    if (cardan_data_create(w->model, cardan_formulation_find("dense"), &d, &w->report) != CARDAN_OK) return false;
    const int nv = w->view.nv, n = nv + d->solver_rows.nrow;
    *s           = (paper_matrix){n, calloc((size_t)(n * n), sizeof(double)), calloc((size_t)n, sizeof(double))};
    double* M    = calloc((size_t)(nv * nv), sizeof *M);
    bool    good = s->K && s->b && M;
    cardan_data_set_state(d, 0, w->q, w->v, NULL);
    good = good && cardan_data_accelerate(d, s->b, NULL, &w->report) == CARDAN_OK &&
           cardan_data_mass_matrix(d, M) == CARDAN_OK;
    for (int i = 0; good && i < nv; ++i) {
        memcpy(s->K + i * n, M + i * nv, (size_t)nv * sizeof *M);
        s->b[i] = d->solve.r[i];
    }
    for (int c = 0; good && c < d->solver_rows.nblock; ++c) {
        const cd_row_block* b = &d->solver_rows.block[c];
        for (int i = 0; i < b->nrow; ++i) {
            for (int j = 0; j < b->nv; ++j)
                s->K[(nv + b->row + i) * n + b->v[j]] = s->K[b->v[j] * n + nv + b->row + i] = b->J[i * b->nv + j];
            s->b[nv + b->row + i] = d->solve.gamma[b->row + i];
        }
    }
    free(M);
    cardan_data_destroy(d);
    return good;
}

static double distance(int n, const double* x, const double* y)
{
    double error = 0, largest = 1;
    for (int i = 0; i < n; ++i) error = fmax(error, fabs(x[i] - y[i])), largest = fmax(largest, fabs(y[i]));
    return error / largest;
}

static solved time_solver(const paper_solver* p, const paper_matrix* s, int passes, int nv, const double* expected,
                          double* x)
{
    solved r    = {p->name, NAN, NAN};
    void*  work = p->open ? p->open(s) : NULL;
    for (int pass = 0; work && pass < passes; ++pass) {
        const double begin = now_us();
        if (!p->solve(work, s, x)) break;
        r.us    = fmin(r.us, now_us() - begin);
        r.error = distance(nv, x, expected);
    }
    if (work) p->close(work);
    return r;
}

// ---- the page

static void write_gauss(FILE* f, const paper_gauss* g)
{
    static const long printed[3][3] = {{25585, 903, 903}, {25585, 903, 903}, {903, 0, 43}};
    const long* const ours[3]       = {g->add, g->mul, g->div};
    fprintf(f, "**Table 1.** Gauss elimination of the 43 x 43 matrix: factorization, forward and back substitution.\n\n"
               "| | | factorization | forward | back | sum |\n|---|---|---|---|---|---|\n");
    for (int k = 0; k < 3; ++k) {
        fprintf(f, "| %s | printed | %ld | %ld | %ld | %ld |\n",
                (const char*[]){"additions", "multiplications", "divisions"}[k], printed[k][0], printed[k][1],
                printed[k][2], printed[k][0] + printed[k][1] + printed[k][2]);
        fprintf(f, "| | counted | %ld | %ld | %ld | %ld |\n", ours[k][0], ours[k][1], ours[k][2],
                ours[k][0] + ours[k][1] + ours[k][2]);
    }
}

static long operations_of_kind(const cardan_operation_count* t, int k)
{
    return k == 0 ? t->add : k == 1 ? t->mul : t->div;
}

static long counted(const algorithm* a, int step, int k)
{
    for (int i = 0; i < a->o.nstage; ++i)
        if (strcmp(a->o.stage[i].name, steps[step]) == 0) return operations_of_kind(&a->o.stage[i].count, k);
    return 0;
}

static void write_steps(FILE* f, const algorithm* a, int table)
{
    static const char* const kind[3] = {"additions", "multiplications", "divisions"};
    fprintf(f, "\n**Table %d.** %s, `%s`; without square roots; the paper has 43.\n\n| | |", table, a->name, a->ours);
    for (int i = 0; i < NSTEP; ++i) fprintf(f, " %s |", steps[i]);
    fprintf(f, " sum |\n|---|---|");
    for (int i = 0; i <= NSTEP; ++i) fprintf(f, "---|");
    for (int k = 0; k < 3; ++k) {
        long theirs = 0, ours = 0;
        fprintf(f, "\n| %s | printed |", kind[k]);
        for (int i = 0; i < NSTEP; ++i) theirs += a->printed[k][i], fprintf(f, " %ld |", a->printed[k][i]);
        fprintf(f, " %ld |\n| | counted |", theirs);
        for (int i = 0; i < NSTEP; ++i) ours += counted(a, i, k), fprintf(f, " %ld |", counted(a, i, k));
        fprintf(f, " %ld |", ours);
    }
    fprintf(f, "\n");
}

static void write_times(FILE* f, const solved* others, int nother)
{
    static const double printed[2] = {1201, 1179};
    fprintf(
        f, "\n**Table 4.** One solve of the augmented system with given matrices, minimum over many, one core [us].\n\n"
           "| method | by | printed | measured | printed / Gauss | measured / Gauss "
           "|\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < nother; ++i) {
        const paper_solver* p = paper_solver_at(i);
        if (isnan(others[i].us))
            fprintf(f, "| %s | %s | %g | - | %.2f | - |\n", p->name, p->by, p->printed, p->printed / 2336);
        else
            fprintf(f, "| %s | %s | %g | %.2f | %.2f | %.2f |\n", p->name, p->by, p->printed, others[i].us,
                    p->printed / 2336, others[i].us / others[0].us);
    }
    for (int i = 0; i < NALGORITHM; ++i) {
        const algorithm* a = &algorithms[i];
        fprintf(f, "| %s | `%s` |", a->name, a->ours);
        if (i < 2)
            fprintf(f, " %g | %.2f | %.2f |", printed[i], a->sum, printed[i] / 2336);
        else
            fprintf(f, " | %.2f | |", a->sum);
        fprintf(f, " %.2f |\n", a->sum / others[0].us);
    }
    fprintf(f, "\nMultiplications to factor and solve: ");
    for (int i = 0; i < NALGORITHM; ++i)
        fprintf(f, "%s`%s` %ld", i ? ", " : "", algorithms[i].ours,
                algorithms[i].o.factor.mul + algorithms[i].o.solve.mul);
    fprintf(f, " (%ld of the last for multipliers, which are optional).\n",
            algorithms[NALGORITHM - 1].o.multipliers.mul);
}

// The algorithm of the paper is written by hand for one vehicle; generated code is available for any mechanism and
// starts from positions.
typedef struct evaluation {
    paper_generated code;
    double          us[NALGORITHM]; // complete evaluation by the library
} evaluation;

static bool evaluate(vehicle* w, int passes, const double* expected, double* a, evaluation* e)
{
    memcpy(a, expected, (size_t)w->view.nv * sizeof *a);
    bool good = paper_generated_measure(w->model, w->q, w->v, passes, &e->code, a, &w->report) == CARDAN_OK &&
                distance(w->view.nv, a, expected) < 1e-9;
    for (int i = 0; good && i < NALGORITHM; ++i) {
        e->us[i] = paper_whole_evaluation(w->model, cardan_formulation_find(algorithms[i].ours), w->q, w->v, passes, a,
                                          &w->report);
        good     = !isnan(e->us[i]) && distance(w->view.nv, a, expected) < 1e-9;
    }
    return good;
}

static void write_evaluation(FILE* f, const evaluation* e, double gauss)
{
    fprintf(f, "\n**Generated code** (`cardan generate models/hmmwv`) is not a solve alone: `motion` also computes "
               "kinematics, forces of springs and dampers, the mass matrix, rows and\n"
               "right-hand sides, which Tables 2 to 4 assume as given. The evaluations of the library compute the "
               "same accelerations, and the multipliers. Gauss is the solve of Table 4.\n\n"
               "| | by | additions | multiplications | divisions | square roots | sines, cosines | [us] | / Gauss "
               "|\n|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < PAPER_ROUTINES; ++i) {
        const paper_routine* r = &e->code.routine[i];
        fprintf(f, "| %s | generated, `%s` | %ld | %ld | %ld | %ld | %ld |", r->what, r->form, r->count.add,
                r->count.mul, r->count.div, r->count.sqrt, r->count.trig);
        if (isnan(r->us))
            fprintf(f, " - | - |\n");
        else
            fprintf(f, " %.2f | %.2f |\n", r->us, r->us / gauss);
    }
    for (int i = 0; i < NALGORITHM; ++i)
        fprintf(f, "| the same, by the library | `%s` | | | | | | %.2f | %.2f |\n", algorithms[i].ours, e->us[i],
                e->us[i] / gauss);
}

static void write_step_times(FILE* f)
{
    fprintf(f, "\n**Table 5.** The same by steps [us]; the times of steps include reading the clock, so that their sum "
               "slightly exceeds the whole.\n\n| | |");
    for (int i = 0; i < NSTEP; ++i) fprintf(f, " %s |", steps[i]);
    fprintf(f, "\n|---|---|");
    for (int i = 0; i < NSTEP; ++i) fprintf(f, "---|");
    for (int k = 0; k < 2; ++k) {
        fprintf(f, "\n| %s | printed |", algorithms[k].name);
        for (int i = 0; i < NSTEP; ++i) fprintf(f, " %g |", algorithms[k].printed_us[i]);
        fprintf(f, "\n| | measured |");
        for (int i = 0; i < NSTEP; ++i) fprintf(f, " %.2f |", algorithms[k].us[i]);
    }
    fprintf(f, "\n");
}

static bool plot(const char* folder)
{
    double   x[NSTEP], y[4][NSTEP];
    cd_curve curve[4];
    for (int i = 0; i < NSTEP; ++i) {
        x[i] = i + 1;
        for (int k = 0; k < 2; ++k)
            y[2 * k][i] = (double)algorithms[k].printed[1][i], y[2 * k + 1][i] = (double)counted(&algorithms[k], i, 1);
    }
    static const char* const names[4] = {"Alg-S, printed", "augmented-last", "Alg-D, printed", "augmented-dense"};
    for (int k = 0; k < 4; ++k)
        curve[k] = (cd_curve){.name         = names[k],
                              .count        = NSTEP,
                              .x            = x,
                              .y            = y[k],
                              .colour       = k / 2,
                              .dash         = k % 2 == 0,
                              .shows_points = true};
    const cd_panel panel = {.name = "multiplications", .log = true, .ncurve = 4, .curve = curve};
    const cd_plot  page  = {.title    = "Steps of the no-fill factorization",
                            .subtitle = "the vehicle of 14 bodies; steps 1, 2, 3.1, 3.2, 3.3, 3.4, 3.5, 4 of the paper",
                            .x_name   = "step, counted from 1",
                            .npanel   = 1,
                            .panel    = &panel,
                            .height   = 420};
    return page_plot(folder, "002_tables.svg", &page);
}

static bool write_all(const char* folder, const paper_gauss* g, const solved* others, int nother, const evaluation* e)
{
    FILE *csv = page_create(folder, "002_tables.csv"), *f = page_create(folder, "002_tables.md");
    bool  good = csv && f;
    if (good) {
        fprintf(csv, "method,mul,us\nGauss,%ld,%.4g\n", g->mul[0] + g->mul[1] + g->mul[2], others[0].us);
        for (int i = 1; i < nother; ++i) fprintf(csv, "%s,,%.4g\n", others[i].name, others[i].us);
        for (int i = 0; i < NALGORITHM; ++i)
            fprintf(csv, "%s,%ld,%.4g\n", algorithms[i].ours, algorithms[i].o.factor.mul + algorithms[i].o.solve.mul,
                    algorithms[i].sum);
        for (int i = 0; i < PAPER_ROUTINES; ++i)
            fprintf(csv, "generated %s,%ld,%.4g\n", e->code.routine[i].form, e->code.routine[i].count.mul,
                    e->code.routine[i].us);
        for (int i = 0; i < NALGORITHM; ++i)
            fprintf(csv, "whole evaluation by %s,,%.4g\n", algorithms[i].ours, e->us[i]);
        write_gauss(f, g);
        for (int k = 0; k < 2; ++k) write_steps(f, &algorithms[k], 2 + k);
        write_times(f, others, nother);
        write_evaluation(f, e, others[0].us);
        write_step_times(f);
        fprintf(f, "\n![multiplications of every step](002_tables.svg)\n");
    }
    if (f) good = fclose(f) == 0 && good;
    if (csv) good = fclose(csv) == 0 && good;
    return good && plot(folder);
}

int main(int argc, char** argv)
{
    const bool small = argc == 4 && strcmp(argv[3], "--small") == 0;
    if (argc != 3 && !small) {
        fprintf(stderr, "usage: 002_tables OUTPUT MODELS [--small]\n");
        return 2;
    }
    const int    passes = small ? 20 : 3000, nother = paper_solver_count();
    vehicle      w;
    paper_matrix s = {0};
    paper_gauss  g;
    solved       others[8];
    evaluation   e;
    bool         good = open_vehicle(&w, argv[2]) && make_matrix(&w, &s);
    double*      x    = good ? calloc((size_t)(2 * s.n), sizeof *x) : NULL;
    good              = x && paper_gauss_count(&s, x, &g);
    for (int i = 0; good && i < nother && i < 8; ++i)
        others[i] = time_solver(paper_solver_at(i), &s, passes, w.view.nv, x, x + s.n);
    for (int i = 0; good && i < NALGORITHM; ++i) {
        good = measure(&w, &algorithms[i], passes, x + s.n) && distance(w.view.nv, x + s.n, x) < 1e-9;
        if (!good) fprintf(stderr, "%s does not solve the vehicle\n", algorithms[i].ours);
    }
    if (good && !(good = evaluate(&w, passes / 10, x, x + s.n, &e)))
        fprintf(stderr, "generated code or an evaluation of the library does not solve the vehicle\n");
    good = good && write_all(argv[1], &g, others, nother, &e);
    for (int i = 0; i < w.report.count && !good; ++i) fprintf(stderr, "%s\n", w.report.message[i].text);
    free(x), free(s.K), free(s.b);
    close_vehicle(&w);
    return good ? 0 : 1;
}
