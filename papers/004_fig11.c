// SPDX-License-Identifier: BSD-3-Clause
// Fig. 11 of paper 004 (Anderson, Critchley): cost of one evaluation of the spatial ladder's accelerations over the
// number of its loops, without constraints, with the traditional order-n method, and by recursive coordinate reduction.
// Operations are counted, times are measured.
//
// The ladder is opened as in the paper: one chain rail 0, rung 1, rail 1, rung 2, ..., and at every rail a copy of
// ground on a Hooke joint, which is welded to ground. n = 4 L + 2 coordinates, L loops. The copies have a small
// inertia, which the open tree needs; it has no effect if they are welded to ground.
//
//   004_fig11 OUTPUT MODELS [--small]      writes OUTPUT/004_fig11.md, .csv and .svg
#include "../bench/clock.h"
#include "004_record.h"
#include "page.h"

#include "dynamics/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char ladder[] =
    "cardan: 1\n"
    "name: ladder\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {N: 1, p: 0.001, h: 0.8, q1: 0.4, q2: 0.5, u1: 0.6, u2: -0.8}\n"
    "bodies:\n"
    "  rail0: {rod: [[0, 0, 0], [0, 0, -1]], mass: 1}\n"
    "joints:\n"
    "  hang0: {universal: [ground, rail0], at: [0, 0, 0], axes: [x, y], start: {q: [=q1, =q2], v: [=u1, =u2]}}\n"
    "repeat:\n"
    "  - for: i in 1..N\n"
    "    bodies:\n"
    "      rung$i: {rod: [[=0.5*(i-1), 0, =-h], [=0.5*i, 0, =-h]], mass: 0.3}\n"
    "      rail$i: {rod: [[=0.5*i, 0, 0], [=0.5*i, 0, -1]], mass: 1}\n"
    "      phantom$i: {mass: =p, inertia: [=p, =p, =p], at: [=0.5*i, 0, 0]}\n"
    "    joints:\n"
    "      left$i: {revolute: [\"rail$(i-1)\", rung$i], at: [=0.5*(i-1), 0, =-h], axis: y, start: {q: =-q2, v: =-u2}}\n"
    "      right$i: {revolute: [rung$i, rail$i], at: [=0.5*i, 0, =-h], axis: y, start: {q: =q2, v: =u2}}\n"
    "      hang$i: {universal: [rail$i, phantom$i], at: [=0.5*i, 0, 0], axes: [y, x], start: {q: [=-q2, =-q1], v: "
    "[=-u2, =-u1]}}\n";
static const char welds[] = "    markers:\n"
                            "      place$i: {on: ground, at: [=0.5*i, 0, 0]}\n"
                            "    constraints:\n"
                            "      weld$i: {lock: [phantom$i, place$i]}\n";

enum { OPEN, TRADITIONAL, REDUCED, CUT_BETWEEN_RAILS, CURVES, SIZES = 11 };

static const char* const names[CURVES] = {"without constraints: order-n", "traditional: order-n", "reduction",
                                          "order-n, cut between rails"};

typedef struct cost {
    int    loops, n, rows;
    double operations, us, error; // error with respect to the closed form
} cost;

static cardan_description* describe(int curve, int loops)
{
    char                text[4096], size[16];
    cardan_description* d      = NULL;
    cardan_report       report = {0};
    cardan_load_options o      = cardan_load_options_default();
    snprintf(size, sizeof size, "%d", loops);
    if (curve == CUT_BETWEEN_RAILS) return record_make("ladder", loops, NULL, NULL);
    o.nsetting = 1;
    o.setting  = &(cardan_parameter_setting){"N", size};
    snprintf(text, sizeof text, "%s%s", ladder, curve == OPEN ? "" : welds);
    if (cardan_description_load_text(text, "ladder.yaml", &o, &d, &report))
        fprintf(stderr, "004_fig11: %s\n", report.message[0].text);
    return d;
}

typedef struct bench {
    cardan_data*      data;
    cardan_model_view view;
    double *          q, *a;
    int               evaluations;
} bench;

// Evaluate at a different state in every call, so that no cached result is reused.
static void evaluate(void* on)
{
    bench* b = on;
    b->q[0]  = b->view.q_start[0] + 1e-12 * (++b->evaluations % 7);
    cardan_data_set_state(b->data, 0, b->q, b->view.v_start, NULL);
    cardan_data_accelerate(b->data, b->a, NULL, NULL);
}

// Error of the accelerations of the first rail with respect to the closed form for any L.
static double error_of(const cardan_model* m, cardan_data* data, const double* a, int L)
{
    const double A = (L + 1) / 3.0 + 0.3 * 0.64 * L, C = (L + 1) / 2.0 + 0.3 * 0.8 * L, w2 = 9.81 * C / A;
    double       rail[2];
    int          j = 0;
    while (strcmp(cardan_model_joint_name(m, j), "hang0") != 0) ++j;
    cardan_data_joint_acceleration(data, j, a, rail);
    return fmax(fabs(rail[0] - (2 * tan(0.5) * 0.6 * -0.8 - w2 * sin(0.4) / cos(0.5))),
                fabs(rail[1] - (-sin(0.5) * cos(0.5) * 0.36 - w2 * cos(0.4) * sin(0.5))));
}

static long sum_of(cardan_operation_count t) { return t.mul + t.add + t.div + t.sqrt + t.trig; }

static bool measure(const cardan_model* m, int index, double us, cost* c)
{
    cardan_operation_counts o;
    cardan_data*            data   = NULL;
    cardan_report           report = {0};
    bench                   b      = {.view = cardan_model_get_view(m)};
    double                  best   = INFINITY;
    bool                    good   = cardan_data_create(m, index, &data, &report) == CARDAN_OK;
    b.data                         = data;
    b.q                            = malloc((size_t)b.view.nq * sizeof *b.q);
    b.a                            = malloc((size_t)b.view.nv * sizeof *b.a);
    good                           = good && b.q && b.a;
    if (good) {
        memcpy(b.q, b.view.q_start, (size_t)b.view.nq * sizeof *b.q);
        cardan_data_set_state(data, 0, b.view.q_start, b.view.v_start, NULL);
        good     = cardan_data_accelerate(data, b.a, NULL, &report) == CARDAN_OK;
        c->error = good ? error_of(m, data, b.a, c->loops) : NAN;
    }
    if (good) {
        const int calls = clock_calls(evaluate, &b, us / 5);
        for (int k = 0; k < 5; ++k) best = fmin(best, clock_time(evaluate, &b, calls));
        good    = cardan_model_count_operations(m, index, b.view.q_start, b.view.v_start, &o, &report) == CARDAN_OK;
        c->n    = b.view.nv;
        c->rows = data->rows.nrow;
        c->us   = best;
        c->operations =
            good ? (double)(sum_of(o.kinematics) + sum_of(o.assembly) + sum_of(o.factor) + sum_of(o.solve)) : NAN;
    }
    if (!good) fprintf(stderr, "004_fig11: %s\n", report.count ? report.message[0].text : "failed");
    free(b.q);
    free(b.a);
    cardan_data_destroy(data);
    return good;
}

static bool cost_of(int curve, int loops, double us, cost* c)
{
    const int           index  = cardan_formulation_find(curve == REDUCED ? "reduction" : "order-n");
    cardan_description* d      = describe(curve, loops);
    cardan_model*       m      = NULL;
    cardan_report       report = {0};
    *c                         = (cost){.loops = loops};
    const bool good = d && cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, &report) == CARDAN_OK &&
                      measure(m, index, us, c);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return good;
}

static bool draw(const char* output, cost table[CURVES][SIZES], const int* count)
{
    static double x[CURVES][SIZES], y[2][CURVES][SIZES];
    cd_curve      curve[2][CURVES];
    cd_panel      panel[2];
    for (int k = 0; k < CURVES; ++k)
        for (int i = 0; i < count[k]; ++i) {
            x[k][i]    = table[k][i].loops;
            y[0][k][i] = table[k][i].operations;
            y[1][k][i] = table[k][i].us;
        }
    for (int p = 0; p < 2; ++p) {
        for (int k = 0; k < CURVES; ++k)
            curve[p][k] = (cd_curve){.name           = names[k],
                                     .count          = count[k],
                                     .x              = x[k],
                                     .y              = y[p][k],
                                     .colour         = k,
                                     .dash           = k == CUT_BETWEEN_RAILS,
                                     .shows_points   = true,
                                     .shows_exponent = true};
        panel[p] = (cd_panel){.name   = p == 0 ? "operations" : "time",
                              .unit   = p == 0 ? NULL : "us",
                              .log    = true,
                              .ncurve = CURVES,
                              .curve  = curve[p]};
    }
    const cd_plot plot = {.title    = "Spatial ladder: cost of one evaluation",
                          .subtitle = "operations counted, time on one core",
                          .x_name   = "loops",
                          .x_log    = true,
                          .npanel   = 2,
                          .panel    = panel,
                          .height   = 760};
    return page_plot(output, "004_fig11.svg", &plot);
}

// Exponent of the last doubling of the size.
static double growth(const cost* c, int i, bool time)
{
    return i == 0 ? NAN
                  : log((time ? c[i].us : c[i].operations) / (time ? c[i - 1].us : c[i - 1].operations)) /
                        log((double)c[i].loops / c[i - 1].loops);
}

static void write_page(FILE* f, cost table[CURVES][SIZES], const int* count)
{
    fprintf(f, "The ladder is opened as in the paper: a chain of all rails and rungs, copies of ground at the rails, "
               "welded to ground; n = 4 L + 2. The traditional method computes the response of the whole chain to unit "
               "forces at every cut: its cost grows with the cube of the number of loops. Reduction eliminates the "
               "constraints of each loop locally. Operations are all additions, multiplications, divisions, roots and "
               "trigonometric functions of one evaluation.\n\n![cost over loops](004_fig11.svg)\n\n");
    for (int k = 0; k < CURVES; ++k) {
        fprintf(f,
                "### %s\n\n| loops | coordinates | rows | operations | per loop | exponent | time [us] | per loop | "
                "exponent | error |\n|---|---|---|---|---|---|---|---|---|---|\n",
                names[k]);
        for (int i = 0; i < count[k]; ++i) {
            const cost* c = &table[k][i];
            fprintf(f, "| %d | %d | %d | %.0f | %.0f | ", c->loops, c->n, c->rows, c->operations,
                    c->operations / c->loops);
            if (i > 0) fprintf(f, "%.2f", growth(table[k], i, false));
            fprintf(f, " | %.3g | %.3g | ", c->us, c->us / c->loops);
            if (i > 0) fprintf(f, "%.2f", growth(table[k], i, true));
            if (k == OPEN)
                fprintf(f, " | - |\n");
            else
                fprintf(f, " | %.1e |\n", c->error);
        }
        fprintf(f, "\n");
    }
    fprintf(f,
            "The error is that of the accelerations of the first rail with respect to their closed form. The default "
            "of Cardan is another spanning tree: every rail is connected to ground, and the loops are cut between "
            "rails. Each cut then couples with its neighbours only, and the traditional method is linear too (last "
            "table, dashed). Its cost depends on the choice of the cuts; that of reduction is linear in both.\n");
}

int main(int argc, char** argv)
{
    static cost  table[CURVES][SIZES];
    const bool   small         = argc == 4 && strcmp(argv[3], "--small") == 0;
    const int    most[CURVES]  = {small ? 4 : 1024, small ? 4 : 128, small ? 4 : 1024, small ? 4 : 1024};
    const double us            = small ? 2e3 : 2e5;
    int          count[CURVES] = {0};
    bool         good          = true;
    if (argc != 3 && !small) {
        fprintf(stderr, "usage: 004_fig11 OUTPUT MODELS [--small]\n");
        return 2;
    }
    clock_pin();
    for (int k = 0; k < CURVES && good; ++k)
        for (int loops = 1; loops <= most[k] && good; loops *= 2) {
            fprintf(stderr, "  004_fig11  %s, %d loops\n", names[k], loops);
            good = cost_of(k, loops, us, &table[k][count[k]]);
            count[k] += good;
        }
    FILE *page = good ? page_create(argv[1], "004_fig11.md") : NULL,
         *csv  = page ? page_create(argv[1], "004_fig11.csv") : NULL;
    good       = csv && draw(argv[1], table, count);
    if (good) {
        write_page(page, table, count);
        fprintf(csv, "method,loops,coordinates,rows,operations,us,error\n");
        for (int k = 0; k < CURVES; ++k)
            for (int i = 0; i < count[k]; ++i)
                fprintf(csv, "%s,%d,%d,%d,%.0f,%.6g,%.3g\n", names[k], table[k][i].loops, table[k][i].n,
                        table[k][i].rows, table[k][i].operations, table[k][i].us, k == OPEN ? 0 : table[k][i].error);
    }
    if (page) good = fclose(page) == 0 && good;
    if (csv) good = fclose(csv) == 0 && good;
    return good ? 0 : 1;
}
