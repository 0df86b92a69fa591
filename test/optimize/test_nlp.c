// SPDX-License-Identifier: BSD-3-Clause
// Nonlinear programs of optimal-control problems: exact derivatives against differences for every dynamics form,
// transcription and layout; trees, loops, orientations, user states.
#include "task_transcriptions.h"

#include <stdlib.h>

static double random_number(unsigned long* seed)
{
    *seed = (*seed * 48271UL) % 2147483647UL;
    return 2.0 * (double)*seed / 2147483647.0 - 1;
}

// Gradient of the Lagrangian sigma f + lambda'g from the exact first derivatives.
static void lagrangian_gradient(cd_block_nlp* p, const double* x, double sigma, const double* lambda, double* jacobian,
                                double* gradient)
{
    cd_block_nlp_gradient(p, x, gradient);
    cd_block_nlp_jacobian(p, x, jacobian);
    for (int i = 0; i < p->n; ++i) gradient[i] *= sigma;
    for (int e = 0; e < p->njacobian; ++e) gradient[p->jacobian[e].column] += lambda[p->jacobian[e].row] * jacobian[e];
}

static double* allocate(int n) { return calloc((size_t)n + 1, sizeof(double)); }

// Products of both matrices with random directions against central differences: of the gradient of the Lagrangian for
// the Hessian, of constraints and cost for the gradient.
static void compare_derivatives(cardan_ocp* ocp)
{
    cd_block_nlp* p    = &ocp->nlp;
    unsigned long seed = 7;
    const int     n = p->n, m = p->m;
    double *      x = allocate(n), *y = allocate(n), *direction_vector = allocate(n), *lambda = allocate(m),
           *jacobian = allocate(p->njacobian), *hessian = allocate(p->nhessian), *g0 = allocate(m), *g1 = allocate(m),
           *s0 = allocate(n), *s1 = allocate(n), *lagrangian = allocate(n), *column = allocate(n), *rows = allocate(m),
           *scratch = allocate(p->njacobian);
    for (int i = 0; i < n; ++i) x[i] = p->x_start[i] + 0.3 * random_number(&seed);
    for (int i = 0; i < m; ++i) lambda[i] = random_number(&seed);
    const double sigma = 0.7, d = 1e-6;
    lagrangian_gradient(p, x, sigma, lambda, jacobian, lagrangian);
    cd_block_nlp_hessian(p, x, sigma, lambda, hessian);
    cd_block_nlp_jacobian(p, x, jacobian);
    for (int direction = 0; direction < 3; ++direction) {
        double f[2], largest = 1, largest_row = 1, row_error = 0, hessian_error = 0, linear = 0, expected = 0;
        for (int i = 0; i < n; ++i) direction_vector[i] = random_number(&seed);
        for (int side = 0; side < 2; ++side) {
            for (int i = 0; i < n; ++i) y[i] = x[i] + (side ? d : -d) * direction_vector[i];
            f[side] = cd_block_nlp_objective(p, y);
            cd_block_nlp_constraints(p, y, side ? g1 : g0);
            lagrangian_gradient(p, y, sigma, lambda, scratch, side ? s1 : s0);
        }
        memset(rows, 0, (size_t)m * sizeof *rows);
        memset(column, 0, (size_t)n * sizeof *column);
        for (int e = 0; e < p->njacobian; ++e)
            rows[p->jacobian[e].row] += jacobian[e] * direction_vector[p->jacobian[e].column];
        for (int e = 0; e < p->nhessian; ++e) {
            const int i = p->hessian[e].row, j = p->hessian[e].column;
            column[i] += hessian[e] * direction_vector[j];
            if (i != j) column[j] += hessian[e] * direction_vector[i];
        }
        for (int i = 0; i < m; ++i) {
            largest_row = fmax(largest_row, fabs(rows[i]));
            row_error   = fmax(row_error, fabs((g1[i] - g0[i]) / (2 * d) - rows[i]));
            linear += lambda[i] * rows[i];
        }
        for (int i = 0; i < n; ++i) {
            largest       = fmax(largest, fabs(column[i]));
            hessian_error = fmax(hessian_error, fabs((s1[i] - s0[i]) / (2 * d) - column[i]));
            expected += lagrangian[i] * direction_vector[i];
        }
        CHECK(row_error < 1e-7 * largest_row);
        CHECK(hessian_error < 1e-7 * largest);
        CHECK(fabs(sigma * (f[1] - f[0]) / (2 * d) + linear - expected) < 1e-6 * fmax(largest_row, fabs(expected)));
    }
    free(x), free(y), free(direction_vector), free(lambda), free(jacobian), free(hessian), free(g0), free(g1), free(s0),
        free(s1), free(lagrangian), free(column), free(rows), free(scratch);
}

static const char* const full_task = "cardan: 1\ntask: all sections\nmodel: cart_pole.yaml\nhorizon: "
                                     "%s\nintervals: 2\ndegree: 2\ncontrols: [rail]\n"
                                     "start: {q: {hinge: 0.2}, a: {hinge: [-5, 5]}}\n"
                                     "end: {markers: {tip: [0.4, free, [-1, 1]]}, v: 0, a: 0}\n"
                                     "path: {v: {rail: [-9, 9]}, values: [{value: '=x(tip)*vz(tip)', upper: 4}]}\n"
                                     "cost: {effort: 2, rate: {rail: 0.5}, time: 3, integral: '=(q(rail) - "
                                     "0.1*t)^2*v(hinge)', final: '=distance(tip, ground)*q(rail)'}\n";

// Five-bar linkage: redundant loop rows, and conditions that depend on loop rows.
static const char* const loop_task =
    "cardan: 1\ntask: loop\nmodel: five_bar.yaml\nhorizon: %s\nintervals: 2\ndegree: 2\ncontrols: [a1, a2]\n"
    "start: {v: 0, a: {a1: [-5, 5]}}\nend: {markers: {tool: [1.2, 1.5, free]}, v: 0, a: 0}\n"
    "cost: {effort: 1, rate: 0.1, time: 2, integral: '=x(tool)*vy(tool)'}\n";

// A free body, a spherical joint and a user state.
static const char* const free_task =
    "cardan: 1\ntask: free\nmodel: floater.yaml\nhorizon: %s\nintervals: 2\ndegree: 2\ncontrols: [ball, hinge]\n"
    "end: {markers: {tip: [1.1, 0.2, free]}, v: {hinge: 0}, a: {hinge: 0}}\n"
    "path: {q: {hinge: [-2, 2]}, v: {hinge: [-9, 9]}}\n"
    "cost: {effort: 1, rate: 0.1, time: 2, integral: '=lag*vz(tip)', final: '=z(tip)*lag'}\n";

// A compliant contact with friction.
static const char* const contact_task =
    "cardan: 1\ntask: contact\nmodel: bouncer.yaml\nhorizon: %s\nintervals: 2\ndegree: 2\ncontrols: [rail, spin]\n"
    "start: {q: {height: -0.02}}\nend: {q: {rail: 1}}\ncost: {effort: 1, time: 2, integral: '=q(height)*v(rail)'}\n";

static void test_derivatives(const char* task_format, const char* form, const char* transcription, const char* layout,
                             const char* horizon)
{
    char text[1200];
    snprintf(text, sizeof text, task_format, horizon);
    cardan_task* task = load(text, "test/data/optimize");
    CHECK(task);
    if (!task) {
        puts(report.message[0].text);
        return;
    }
    cardan_ocp* ocp = create_ocp(
        task, (cardan_optimize_options){.dynamics_form = form, .transcription = transcription, .layout = layout});
    CHECK(ocp);
    if (ocp) compare_derivatives(ocp);
    cardan_ocp_destroy(ocp);
    cardan_task_destroy(task);
}

// All forms and transcriptions; `few`: only forms that treat orientations and states differently.
static void test_all_derivatives(const char* task_format, bool few)
{
    static const struct {
        const char *transcription, *layout, *horizon;
    } setup[] = {{"radau", "full", "1.2"},      {"radau", "full", "[1, 2, 1.2]"},
                 {"radau", "condensed", "1.2"}, {"radau", "condensed", "[1, 2, 1.2]"},
                 {"gauss", "full", "1.2"},      {"gauss", "condensed", "1.2"},
                 {"rk4", "condensed", "1.2"},   {"rk4", "condensed", "[1, 2, 1.2]"}};
    for (int f = 0; f < 6; f += few ? 2 : 1)
        for (size_t i = 0; i < sizeof setup / sizeof *setup; ++i)
            RUN(test_derivatives(task_format, forms[f], setup[i].transcription, setup[i].layout, setup[i].horizon));
}

static void test_arm_derivatives(const char* form)
{
    cardan_task* task = load_reach();
    for (int full = 0; full < 2; ++full) {
        cardan_ocp* ocp = create_ocp(
            task, (cardan_optimize_options){
                      .dynamics_form = form, .layout = full ? "full" : "condensed", .intervals = 2, .degree = 2});
        CHECK(ocp);
        if (ocp) compare_derivatives(ocp);
        cardan_ocp_destroy(ocp);
    }
    cardan_task_destroy(task);
}

// Blocks that differ only in their interval share one shape, also if formulas depend on time and the horizon is free.
static void test_shapes(const char* task_format, const char* layout, const char* horizon)
{
    char text[1200];
    int  count[2] = {0};
    snprintf(text, sizeof text, task_format, horizon);
    cardan_task* task = load(text, "test/data/optimize");
    for (int i = 0; i < 2; ++i) {
        cardan_ocp* ocp = create_ocp(task, (cardan_optimize_options){.layout = layout, .intervals = i ? 12 : 4});
        if (ocp) count[i] = ocp->nlp.shapes.count;
        cardan_ocp_destroy(ocp);
    }
    CHECK(count[0] > 0 && count[0] == count[1]);
    cardan_task_destroy(task);
}

int main(void)
{
    for (int i = 0; i < 4; ++i)
        RUN(test_shapes(full_task, i % 2 ? "full" : "condensed", i < 2 ? "1.2" : "[1, 2, 1.2]"));
    RUN(test_shapes(loop_task, "condensed", "[1, 2, 1.2]"));
    RUN(test_shapes(free_task, "condensed", "[1, 2, 1.2]"));
    test_all_derivatives(full_task, false);
    test_all_derivatives(loop_task, false);
    test_all_derivatives(free_task, true);
    test_all_derivatives(contact_task, true);
    for (int f = 0; f < 6; ++f) RUN(test_arm_derivatives(forms[f]));
    return test_end();
}
