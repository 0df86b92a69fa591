// SPDX-License-Identifier: BSD-3-Clause
// Programs of optimal control: exact derivatives against differences, for every form, transcription and layout; trees,
// loops, orientations, states.
#include "task_transcriptions.h"

#include <stdlib.h>

static double random_number(unsigned long* seed)
{
    *seed = (*seed * 48271UL) % 2147483647UL;
    return 2.0 * (double)*seed / 2147483647.0 - 1;
}

// sigma f + lambda'g: its gradient by the exact first derivatives.
static void slope_of(cd_block_nlp* p, const double* x, double sigma, const double* lambda, double* jacobian,
                     double* gradient)
{
    cd_block_nlp_gradient(p, x, gradient);
    cd_block_nlp_jacobian(p, x, jacobian);
    for (int i = 0; i < p->n; ++i) gradient[i] *= sigma;
    for (int e = 0; e < p->njacobian; ++e) gradient[p->jacobian[e].column] += lambda[p->jacobian[e].row] * jacobian[e];
}

static double* room(int n) { return calloc((size_t)n + 1, sizeof(double)); }

// Both matrices along random directions, in which every entry counts, against central differences: of the Lagrangian's
// slope for the Hessian, of rows and cost for that slope.
static void compare_derivatives(cardan_ocp* plan)
{
    cd_block_nlp* p    = &plan->nlp;
    unsigned long seed = 7;
    const int     n = p->n, m = p->m;
    double *      x = room(n), *y = room(n), *along = room(n), *lambda = room(m), *jacobian = room(p->njacobian),
           *hessian = room(p->nhessian), *g0 = room(m), *g1 = room(m), *s0 = room(n), *s1 = room(n), *slope = room(n),
           *column = room(n), *rows = room(m), *scratch = room(p->njacobian);
    for (int i = 0; i < n; ++i) x[i] = p->x_start[i] + 0.3 * random_number(&seed);
    for (int i = 0; i < m; ++i) lambda[i] = random_number(&seed);
    const double sigma = 0.7, d = 1e-6;
    slope_of(p, x, sigma, lambda, jacobian, slope);
    cd_block_nlp_hessian(p, x, sigma, lambda, hessian);
    cd_block_nlp_jacobian(p, x, jacobian);
    for (int direction = 0; direction < 3; ++direction) {
        double f[2], largest = 1, widest = 1, off_row = 0, off_hessian = 0, linear = 0, expected = 0;
        for (int i = 0; i < n; ++i) along[i] = random_number(&seed);
        for (int side = 0; side < 2; ++side) {
            for (int i = 0; i < n; ++i) y[i] = x[i] + (side ? d : -d) * along[i];
            f[side] = cd_block_nlp_objective(p, y);
            cd_block_nlp_constraints(p, y, side ? g1 : g0);
            slope_of(p, y, sigma, lambda, scratch, side ? s1 : s0);
        }
        memset(rows, 0, (size_t)m * sizeof *rows);
        memset(column, 0, (size_t)n * sizeof *column);
        for (int e = 0; e < p->njacobian; ++e) rows[p->jacobian[e].row] += jacobian[e] * along[p->jacobian[e].column];
        for (int e = 0; e < p->nhessian; ++e) {
            const int i = p->hessian[e].row, j = p->hessian[e].column;
            column[i] += hessian[e] * along[j];
            if (i != j) column[j] += hessian[e] * along[i];
        }
        for (int i = 0; i < m; ++i) {
            widest  = fmax(widest, fabs(rows[i]));
            off_row = fmax(off_row, fabs((g1[i] - g0[i]) / (2 * d) - rows[i]));
            linear += lambda[i] * rows[i];
        }
        for (int i = 0; i < n; ++i) {
            largest     = fmax(largest, fabs(column[i]));
            off_hessian = fmax(off_hessian, fabs((s1[i] - s0[i]) / (2 * d) - column[i]));
            expected += slope[i] * along[i];
        }
        CHECK(off_row < 1e-7 * widest);
        CHECK(off_hessian < 1e-7 * largest);
        CHECK(fabs(sigma * (f[1] - f[0]) / (2 * d) + linear - expected) < 1e-6 * fmax(widest, fabs(expected)));
    }
    free(x), free(y), free(along), free(lambda), free(jacobian), free(hessian), free(g0), free(g1), free(s0), free(s1),
        free(slope), free(column), free(rows), free(scratch);
}

static const char* const full_task = "cardan: 1\ntask: all that there is\nmodel: cart_pole.yaml\nhorizon: "
                                     "%s\nintervals: 2\ndegree: 2\ncontrols: [rail]\n"
                                     "start: {q: {hinge: 0.2}, a: {hinge: [-5, 5]}}\n"
                                     "end: {markers: {tip: [0.4, free, [-1, 1]]}, v: 0, a: 0}\n"
                                     "path: {v: {rail: [-9, 9]}, values: [{value: '=x(tip)*vz(tip)', upper: 4}]}\n"
                                     "cost: {effort: 2, rate: {rail: 0.5}, time: 3, integral: '=(q(rail) - "
                                     "0.1*t)^2*v(hinge)', final: '=distance(tip, ground)*q(rail)'}\n";

// Two bars on a ring of rods: rows that repeat others, conditions that repeat rows.
static const char* const loop_task =
    "cardan: 1\ntask: loop\nmodel: five_bar.yaml\nhorizon: %s\nintervals: 2\ndegree: 2\ncontrols: [a1, a2]\n"
    "start: {v: 0, a: {a1: [-5, 5]}}\nend: {markers: {tool: [1.2, 1.5, free]}, v: 0, a: 0}\n"
    "cost: {effort: 1, rate: 0.1, time: 2, integral: '=x(tool)*vy(tool)'}\n";

// A body that floats, a ball joint, a state.
static const char* const free_task =
    "cardan: 1\ntask: free\nmodel: floater.yaml\nhorizon: %s\nintervals: 2\ndegree: 2\ncontrols: [ball, hinge]\n"
    "end: {markers: {tip: [1.1, 0.2, free]}, v: {hinge: 0}, a: {hinge: 0}}\n"
    "path: {q: {hinge: [-2, 2]}, v: {hinge: [-9, 9]}}\n"
    "cost: {effort: 1, rate: 0.1, time: 2, integral: '=lag*vz(tip)', final: '=z(tip)*lag'}\n";

static void derivatives(const char* what, const char* form, const char* transcription, const char* layout,
                        const char* horizon)
{
    char text[1200];
    snprintf(text, sizeof text, what, horizon);
    cardan_task* task = load(text, "test/data/optimize");
    CHECK(task);
    if (!task) {
        puts(report.message[0].text);
        return;
    }
    cardan_ocp* plan = plan_of(
        task, (cardan_optimize_options){.dynamics_form = form, .transcription = transcription, .layout = layout});
    CHECK(plan);
    if (plan) compare_derivatives(plan);
    cardan_ocp_destroy(plan);
    cardan_task_destroy(task);
}

// All forms and transcriptions; `few`: those that differ in what orientations and states do.
static void all_derivatives(const char* what, bool few)
{
    static const struct {
        const char *transcription, *layout, *horizon;
    } way[] = {{"radau", "full", "1.2"},      {"radau", "full", "[1, 2, 1.2]"},
               {"radau", "condensed", "1.2"}, {"radau", "condensed", "[1, 2, 1.2]"},
               {"gauss", "full", "1.2"},      {"gauss", "condensed", "1.2"},
               {"rk4", "condensed", "1.2"},   {"rk4", "condensed", "[1, 2, 1.2]"}};
    for (int f = 0; f < 6; f += few ? 2 : 1)
        for (size_t i = 0; i < sizeof way / sizeof *way; ++i)
            RUN(derivatives(what, forms[f], way[i].transcription, way[i].layout, way[i].horizon));
}

static void arm_derivatives(const char* form)
{
    cardan_task* task = load_reach();
    for (int full = 0; full < 2; ++full) {
        cardan_ocp* plan = plan_of(
            task, (cardan_optimize_options){
                      .dynamics_form = form, .layout = full ? "full" : "condensed", .intervals = 2, .degree = 2});
        CHECK(plan);
        if (plan) compare_derivatives(plan);
        cardan_ocp_destroy(plan);
    }
    cardan_task_destroy(task);
}

// Blocks that differ in their place alone are of one shape, also where formulas look at the time and the horizon is
// free.
static void shapes(const char* what, const char* layout, const char* horizon)
{
    char text[1200];
    int  count[2] = {0};
    snprintf(text, sizeof text, what, horizon);
    cardan_task* task = load(text, "test/data/optimize");
    for (int i = 0; i < 2; ++i) {
        cardan_ocp* plan = plan_of(task, (cardan_optimize_options){.layout = layout, .intervals = i ? 12 : 4});
        if (plan) count[i] = plan->nlp.shapes.count;
        cardan_ocp_destroy(plan);
    }
    CHECK(count[0] > 0 && count[0] == count[1]);
    cardan_task_destroy(task);
}

int main(void)
{
    for (int i = 0; i < 4; ++i) RUN(shapes(full_task, i % 2 ? "full" : "condensed", i < 2 ? "1.2" : "[1, 2, 1.2]"));
    RUN(shapes(loop_task, "condensed", "[1, 2, 1.2]"));
    RUN(shapes(free_task, "condensed", "[1, 2, 1.2]"));
    all_derivatives(full_task, false);
    all_derivatives(loop_task, false);
    all_derivatives(free_task, true);
    for (int f = 0; f < 6; ++f) RUN(arm_derivatives(forms[f]));
    return test_end();
}
