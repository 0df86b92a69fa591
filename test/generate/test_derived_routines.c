// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of routines: Jacobians against the exact ones of the runtime, Hessians against differences of these,
// second differences of energy along rotation vectors, and the mass matrix; trees, a loop, orientations, states.
#include "random_tree.h"
#include "test.h"

#include "expression/symbolic_jacobian.h"
#include "generate/routine/routine_derivatives.h"
#include "generate/routine/parameter_arguments.h"

#include <stdlib.h>

static cardan_report report;

// A model with a closed state, and one derivation of one of its routines.
typedef struct scene {
    cardan_model*     m;
    cd_reference*     referee;
    cd_input_layout   in;
    double*           x;
    cd_graph*         graph;
    cd_traced_routine t;
    double*           value; // (noutput) at x
} scene;

static const cd_routine* routine_of(const char* form)
{
    for (int i = 0; i < cd_routine_count(); ++i)
        if (strcmp(cd_routine_at(i)->form, form) == 0) return cd_routine_at(i);
    return NULL;
}

static bool scene_open(scene* s, const cardan_description* description)
{
    enum { WEIGHTS = 200 };
    dice d = {7};
    *s     = (scene){0};
    if (cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &s->m, &report) != CARDAN_OK ||
        cd_reference_create(s->m, NULL, &s->referee, &report) != CARDAN_OK)
        return false;
    const cardan_model_view look = cardan_model_get_view(s->m);
    cd_input_layout*        in   = &s->in;
    in->v = look.nq, in->a = in->v + look.nv, in->effort = in->a + look.nv, in->state = in->effort + look.nv,
    in->time   = in->state + look.nstate;
    in->weight = in->time + 1, in->count = in->weight + WEIGHTS;
    s->x = in->trace_input = calloc((size_t)in->count, sizeof *s->x);
    for (int i = 0; i < in->count; ++i) s->x[i] = dice_range(&d, -1, 1);
    cardan_model_normalize_position(s->m, s->x + in->q);
    return cd_reference_assemble(s->referee, in, s->x, &report) == CARDAN_OK;
}

static void scene_forget(scene* s)
{
    free(s->t.output), free(s->t.matrix_index), free(s->value);
    cd_routine_derivative_release(s->t.derivative);
    cd_graph_destroy(s->graph);
    s->t     = (cd_traced_routine){0};
    s->graph = NULL, s->value = NULL;
}

static void scene_close(scene* s)
{
    scene_forget(s);
    cd_reference_destroy(s->referee);
    cardan_model_destroy(s->m);
    free(s->x);
}

static bool derive(scene* s, const char* form, unsigned by, bool second, bool dense)
{
    double off = 1;
    scene_forget(s);
    const cd_derivative_request wish = {
        .base = routine_of(form), .arguments = by, .second_order = second, .regroup = true, .dense = dense};
    cardan_status status = cd_derive_routine(s->m, &wish, &s->in, s->referee, 0, &s->graph, &s->t, &report);
    s->value             = calloc((size_t)s->t.noutput + 1, sizeof *s->value);
    if (status == CARDAN_OK)
        status =
            cd_derivative_check_values(s->m, &s->t, s->graph, &s->in, s->referee, 0, s->x, s->value, &off, &report);
    CHECK(status == CARDAN_OK);
    CHECK(off < 1e-6);
    return status == CARDAN_OK;
}

static void ask(const scene* s, const char* form, const double* x, double* all)
{
    CHECK(cd_reference_set_state(s->referee, &s->in, x) == CARDAN_OK);
    CHECK(routine_of(form)->reference(s->referee, &s->in, x, all, &report) == CARDAN_OK);
}

// Rows that repeat others have no exact derivatives in the runtime: then differences alone, which derive() has seen.
static bool has_exact(const scene* s, double* all)
{
    CHECK(cd_reference_set_state(s->referee, &s->in, s->x) == CARDAN_OK);
    return routine_of("motion_d")->reference(s->referee, &s->in, s->x, all, &report) != CARDAN_UNSUPPORTED;
}

static double* room(int n) { return calloc((size_t)n + 1, sizeof(double)); }

// Block (rows x columns at row, column) of the Jacobian against what the runtime has row by row.
static void compare_block(const scene* s, int row, int column, int rows, int columns, const double* expected)
{
    double off = 0, largest = 1e-3;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            off =
                fmax(off, fabs(s->value[(row + i) * s->t.result[0].columns + column + j] - expected[i * columns + j]));
            largest = fmax(largest, fabs(expected[i * columns + j]));
        }
    CHECK(off < 1e-9 * largest);
}

static void jacobians(scene* s)
{
    const int n = s->m->nv, ns = s->m->nstate;
    double*   all = room(n + 4 * (n + ns) * (n + ns));
    if (derive(s, "impl", CD_TAKES_Q | CD_TAKES_V | CD_TAKES_A | CD_TAKES_EFFORT, false,
               true)) { // efforts are no arguments of it
        CHECK(s->t.result[0].rows == n && s->t.result[0].columns == 3 * n);
        ask(s, "impl_d", s->x, all);
        for (int k = 0; k < 3; ++k) compare_block(s, 0, k * n, n, n, all + k * n * n);
    }
    if (derive(s, "motion", CD_TAKES_Q | CD_TAKES_V | CD_TAKES_EFFORT | CD_TAKES_STATE, false, true) &&
        has_exact(s, all)) {
        ask(s, "motion_d", s->x, all);
        for (int k = 0; k < 3; ++k) compare_block(s, 0, k * n, n, n, all + k * n * n);
        const double* g = all + 3 * n * n;
        if (ns > 0) {
            compare_block(s, 0, 3 * n, n, ns, g);
            compare_block(s, n, 0, ns, n, g + n * ns);
            compare_block(s, n, n, ns, n, g + 2 * n * ns);
            compare_block(s, n, 3 * n, ns, ns, g + 3 * n * ns);
        }
    }
    free(all);
}

// D_c of the weighted rows of a_q, a_v of the runtime, half with its transpose.
static void hessian_of_motion(scene* s)
{
    const int n = s->m->nv, N = 2 * n, ns = s->m->nstate;
    if (!derive(s, "motion", CD_TAKES_Q | CD_TAKES_V, true, true)) return;
    double *all = room(4 * (n + ns) * (n + ns)), *x = room(s->in.count), *dq = room(n), *H = room(N * N),
           largest = 1e-3, off = 0;
    const double h = 1e-5;
    for (int i = n; i < n + ns; ++i) s->x[s->in.weight + i] = 0;
    CHECK(cd_derivative_check_values(s->m, &s->t, s->graph, &s->in, s->referee, 0, s->x, s->value, &off, &report) ==
          CARDAN_OK);
    const bool exact = has_exact(s, all);
    for (int c = 0; exact && c < N; ++c)
        for (int side = -1; side <= 1; side += 2) {
            memcpy(x, s->x, (size_t)s->in.count * sizeof *x);
            memset(dq, 0, (size_t)n * sizeof *dq);
            if (c < n)
                dq[c] = side * h;
            else
                x[s->in.v + c - n] += side * h;
            cardan_model_integrate_position(s->m, s->x + s->in.q, dq, x + s->in.q);
            ask(s, "motion_d", x, all);
            for (int d = 0; d < N; ++d)
                for (int i = 0; i < n; ++i)
                    H[c * N + d] += side * s->x[s->in.weight + i] * all[(d / n) * n * n + i * n + d % n] / (2 * h);
        }
    off = 0;
    for (int c = 0; exact && c < N; ++c)
        for (int d = 0; d < N; ++d) {
            const double expected = 0.5 * (H[c * N + d] + H[d * N + c]);
            largest               = fmax(largest, fabs(expected));
            off                   = fmax(off, fabs(s->value[c * N + d] - expected));
        }
    CHECK(off < 1e-6 * largest);
    free(all), free(x), free(dq), free(H);
}

// The kinetic energy by v is the mass matrix; along q + s e, with e of several coordinates, rotation vectors among
// them: second differences.
static void hessian_of_energy(scene* s)
{
    const int n = s->m->nv, N = 2 * n;
    double *  M = room(n * n), *x = room(s->in.count), *dq = room(n), *e = room(n), off = 0, largest = 0, energy[3][2],
           H = 0, scale = 0;
    dice d             = {11};
    s->x[s->in.weight] = 1, s->x[s->in.weight + 1] = 0;
    if (derive(s, "energy", CD_TAKES_Q | CD_TAKES_V, true, true)) {
        ask(s, "mass", s->x, M);
        for (int i = 0; i < n * n; ++i) {
            off     = fmax(off, fabs(s->value[(n + i / n) * N + n + i % n] - M[i]));
            largest = fmax(largest, fabs(M[i]));
        }
        CHECK(off < 1e-11 * largest);
        const double h = 1e-3;
        for (int i = 0; i < n; ++i) e[i] = dice_range(&d, -1, 1);
        for (int k = 0; k < 3; ++k) {
            memcpy(x, s->x, (size_t)s->in.count * sizeof *x);
            for (int i = 0; i < n; ++i) dq[i] = (k - 1) * h * e[i];
            cardan_model_integrate_position(s->m, s->x + s->in.q, dq, x + s->in.q);
            ask(s, "energy", x, energy[k]);
        }
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                H += e[i] * e[j] * s->value[i * N + j], scale = fmax(scale, fabs(s->value[i * N + j]));
        CHECK_NEAR((energy[0][0] - 2 * energy[1][0] + energy[2][0]) / (h * h), H,
                   3e-5 * fmax(scale, fabs(energy[1][0])));
    }
    free(M), free(x), free(dq), free(e);
}

// Entries where they are said to stand, none of those left out other than zero; and the comparison with the runtime
// finds a wrong one.
static void sparse_and_wrong(scene* s, bool second)
{
    const unsigned by = CD_TAKES_Q | CD_TAKES_V;
    if (!derive(s, "impl", by, second, true)) return;
    const int n = s->t.noutput, columns = s->t.result[0].columns;
    double*   dense = room(n);
    memcpy(dense, s->value, (size_t)n * sizeof *dense);
    if (derive(s, "impl", by, second, false)) {
        for (int i = 0; i < s->t.noutput; ++i) {
            const int at = s->t.matrix_index[i];
            CHECK_NEAR(s->value[i], dense[at], 1e-12 * fmax(1, fabs(dense[at])));
            CHECK(!second || at / columns >= at % columns);
            dense[at] = 0;
            if (second) dense[at % columns * columns + at / columns] = 0;
        }
        double left = 0, off = 0;
        for (int i = 0; i < n; ++i) left = fmax(left, fabs(dense[i]));
        CHECK(left == 0);
        s->t.output[0] = cd_binary(s->graph, CD_ADD, s->t.output[0], cd_constant(s->graph, 0.1 + fabs(s->value[0])));
        CHECK(cd_derivative_check_values(s->m, &s->t, s->graph, &s->in, s->referee, 0, s->x, s->value, &off, &report) ==
              CARDAN_OK);
        CHECK(off > 1e-6);
    }
    free(dense);
}

static void all_of(cardan_description* description)
{
    scene s;
    CHECK(description && scene_open(&s, description));
    if (description) {
        jacobians(&s);
        hessian_of_motion(&s);
        hessian_of_energy(&s);
        sparse_and_wrong(&s, false);
        sparse_and_wrong(&s, true);
        scene_close(&s);
    }
    cardan_description_destroy(description);
}

static void file(const char* name)
{
    char                path[600];
    cardan_description* description = NULL;
    snprintf(path, sizeof path, "%s/%s", CARDAN_SOURCE, name);
    CHECK(cardan_load(path, NULL, &description, &report) == CARDAN_OK);
    all_of(description);
}

static void usage(void)
{
    const char*                  name[2] = {"mass", "length"};
    const cd_parameter_arguments inputs  = {.count = 2, .name = name};
    unsigned                     by;
    bool                         parameter[2];
    CHECK(cd_derivative_read_arguments("jacobian", "q,effort,t", NULL, &by, NULL, &report) == CARDAN_OK &&
          by == (CD_TAKES_Q | CD_TAKES_EFFORT | CD_TAKES_TIME));
    CHECK(cd_derivative_read_arguments("jacobian", NULL, NULL, &by, NULL, &report) == CARDAN_OK && by == 0);
    CHECK(cd_derivative_read_arguments("jacobian", "q,u", NULL, &by, NULL, &report) == CARDAN_BAD_USAGE);
    CHECK(cd_derivative_read_arguments("jacobian", "q,length", &inputs, &by, parameter, &report) == CARDAN_OK &&
          by == (CD_TAKES_Q | CD_TAKES_P));
    CHECK(!parameter[0] && parameter[1]);
    CHECK(cd_derivative_read_arguments("jacobian", "p", &inputs, &by, parameter, &report) == CARDAN_OK &&
          parameter[0] && parameter[1]);
    CHECK(cd_derivative_read_arguments("jacobian", "weight", &inputs, &by, parameter, &report) == CARDAN_BAD_USAGE);
}

int main(void)
{
    RUN(usage());
    RUN(file("models/arm_pendulum"));
    RUN(file("models/four_bar"));
    RUN(file("models/doctor/rssr.yaml"));
    RUN(file("models/governor"));
    RUN(file("models/free_body"));
    RUN(file("test/data/optimize/floater.yaml"));
    for (uint64_t seed = 1; seed <= 3; ++seed) RUN(all_of(random_tree(seed)));
    return test_end();
}
