// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of routines. Jacobians against the exact derivatives of the library; Hessians against differences of
// these, second differences of the energy along rotation vectors, and the mass matrix. Trees, a loop, orientations and
// user states.
#include "random_tree.h"
#include "test.h"

#include "expression/symbolic_jacobian.h"
#include "generate/routine/routine_derivatives.h"
#include "generate/routine/parameter_arguments.h"

#include <stdlib.h>

static cardan_report report;

// A model with an assembled state, and one derivative of one of its routines.
typedef struct test_case {
    cardan_model*         m;
    cd_runtime_reference* reference;
    cd_input_layout       in;
    double*               x;
    cd_graph*             graph;
    cd_traced_routine     t;
    double*               value; // (noutput) at x
} test_case;

static const cd_routine* routine_of(const char* form)
{
    for (int i = 0; i < cd_routine_count(); ++i)
        if (strcmp(cd_routine_at(i)->form, form) == 0) return cd_routine_at(i);
    return NULL;
}

static bool test_case_open(test_case* s, const cardan_description* description)
{
    enum { WEIGHTS = 200 };
    dice d = {7};
    *s     = (test_case){0};
    if (cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &s->m, &report) != CARDAN_OK ||
        cd_runtime_reference_create(s->m, NULL, &s->reference, &report) != CARDAN_OK)
        return false;
    const cardan_model_view view = cardan_model_get_view(s->m);
    cd_input_layout*        in   = &s->in;
    in->v = view.nq, in->a = in->v + view.nv, in->effort = in->a + view.nv, in->state = in->effort + view.nv,
    in->time   = in->state + view.nstate;
    in->weight = in->time + 1, in->count = in->weight + WEIGHTS;
    s->x = in->trace_input = calloc((size_t)in->count, sizeof *s->x);
    for (int i = 0; i < in->count; ++i) s->x[i] = dice_range(&d, -1, 1);
    cardan_model_normalize_position(s->m, s->x + in->q);
    return cd_runtime_reference_assemble(s->reference, in, s->x, &report) == CARDAN_OK;
}

static void release_derivative(test_case* s)
{
    free(s->t.output), free(s->t.matrix_index), free(s->value);
    cd_routine_derivative_release(s->t.derivative);
    cd_graph_destroy(s->graph);
    s->t     = (cd_traced_routine){0};
    s->graph = NULL, s->value = NULL;
}

static void test_case_close(test_case* s)
{
    release_derivative(s);
    cd_runtime_reference_destroy(s->reference);
    cardan_model_destroy(s->m);
    free(s->x);
}

static bool derive(test_case* s, const char* form, unsigned by, bool second, bool dense)
{
    double error = 1;
    release_derivative(s);
    const cd_derivative_request request = {
        .base = routine_of(form), .arguments = by, .second_order = second, .regroup = true, .dense = dense};
    cardan_status status = cd_derive_routine(s->m, &request, &s->in, s->reference, 0, &s->graph, &s->t, &report);
    s->value             = calloc((size_t)s->t.noutput + 1, sizeof *s->value);
    if (status == CARDAN_OK)
        status =
            cd_derivative_check_values(s->m, &s->t, s->graph, &s->in, s->reference, 0, s->x, s->value, &error, &report);
    CHECK(status == CARDAN_OK);
    CHECK(error < 1e-6);
    return status == CARDAN_OK;
}

static void evaluate_reference(const test_case* s, const char* form, const double* x, double* all)
{
    CHECK(cd_runtime_reference_set_state(s->reference, &s->in, x) == CARDAN_OK);
    CHECK(routine_of(form)->reference(s->reference, &s->in, x, all, &report) == CARDAN_OK);
}

// The library has no exact derivatives with redundant rows; then only the comparison with differences in derive()
// applies.
static bool has_exact(const test_case* s, double* all)
{
    CHECK(cd_runtime_reference_set_state(s->reference, &s->in, s->x) == CARDAN_OK);
    return routine_of("motion_d")->reference(s->reference, &s->in, s->x, all, &report) != CARDAN_UNSUPPORTED;
}

static double* allocate(int n) { return calloc((size_t)n + 1, sizeof(double)); }

// Compare a block (rows x columns at row, column) of the Jacobian with values of the library, stored by rows.
static void compare_block(const test_case* s, int row, int column, int rows, int columns, const double* expected)
{
    double error = 0, largest = 1e-3;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            error   = fmax(error,
                           fabs(s->value[(row + i) * s->t.result[0].columns + column + j] - expected[i * columns + j]));
            largest = fmax(largest, fabs(expected[i * columns + j]));
        }
    CHECK(error < 1e-9 * largest);
}

static void test_jacobians(test_case* s)
{
    const int n = s->m->nv, ns = s->m->nstate;
    double*   all = allocate(n + 4 * (n + ns) * (n + ns));
    if (derive(s, "impl", CD_TAKES_Q | CD_TAKES_V | CD_TAKES_A | CD_TAKES_EFFORT, false,
               true)) { // efforts are not arguments of impl
        CHECK(s->t.result[0].rows == n && s->t.result[0].columns == 3 * n);
        evaluate_reference(s, "impl_d", s->x, all);
        for (int k = 0; k < 3; ++k) compare_block(s, 0, k * n, n, n, all + k * n * n);
    }
    if (derive(s, "motion", CD_TAKES_Q | CD_TAKES_V | CD_TAKES_EFFORT | CD_TAKES_STATE, false, true) &&
        has_exact(s, all)) {
        evaluate_reference(s, "motion_d", s->x, all);
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

// Hessian from central differences of the weighted rows of a_q, a_v of the library, symmetrized.
static void test_hessian_of_motion(test_case* s)
{
    const int n = s->m->nv, N = 2 * n, ns = s->m->nstate;
    if (!derive(s, "motion", CD_TAKES_Q | CD_TAKES_V, true, true)) return;
    double *all = allocate(4 * (n + ns) * (n + ns)), *x = allocate(s->in.count), *dq = allocate(n),
           *H = allocate(N * N), largest = 1e-3, error = 0;
    const double h = 1e-5;
    for (int i = n; i < n + ns; ++i) s->x[s->in.weight + i] = 0;
    CHECK(cd_derivative_check_values(s->m, &s->t, s->graph, &s->in, s->reference, 0, s->x, s->value, &error, &report) ==
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
            evaluate_reference(s, "motion_d", x, all);
            for (int d = 0; d < N; ++d)
                for (int i = 0; i < n; ++i)
                    H[c * N + d] += side * s->x[s->in.weight + i] * all[(d / n) * n * n + i * n + d % n] / (2 * h);
        }
    error = 0;
    for (int c = 0; exact && c < N; ++c)
        for (int d = 0; d < N; ++d) {
            const double expected = 0.5 * (H[c * N + d] + H[d * N + c]);
            largest               = fmax(largest, fabs(expected));
            error                 = fmax(error, fabs(s->value[c * N + d] - expected));
        }
    CHECK(error < 1e-6 * largest);
    free(all), free(x), free(dq), free(H);
}

// The Hessian of the kinetic energy by v is the mass matrix. The Hessian by q is compared with second differences along
// q (+) s e, where e has several components, among them rotation vectors.
static void test_hessian_of_energy(test_case* s)
{
    const int n = s->m->nv, N = 2 * n;
    double *  M = allocate(n * n), *x = allocate(s->in.count), *dq = allocate(n), *e = allocate(n), error = 0,
           largest = 0, energy[3][2], H = 0, scale = 0;
    dice d             = {11};
    s->x[s->in.weight] = 1, s->x[s->in.weight + 1] = 0;
    if (derive(s, "energy", CD_TAKES_Q | CD_TAKES_V, true, true)) {
        evaluate_reference(s, "mass", s->x, M);
        for (int i = 0; i < n * n; ++i) {
            error   = fmax(error, fabs(s->value[(n + i / n) * N + n + i % n] - M[i]));
            largest = fmax(largest, fabs(M[i]));
        }
        CHECK(error < 1e-11 * largest);
        const double h = 1e-3;
        for (int i = 0; i < n; ++i) e[i] = dice_range(&d, -1, 1);
        for (int k = 0; k < 3; ++k) {
            memcpy(x, s->x, (size_t)s->in.count * sizeof *x);
            for (int i = 0; i < n; ++i) dq[i] = (k - 1) * h * e[i];
            cardan_model_integrate_position(s->m, s->x + s->in.q, dq, x + s->in.q);
            evaluate_reference(s, "energy", x, energy[k]);
        }
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                H += e[i] * e[j] * s->value[i * N + j], scale = fmax(scale, fabs(s->value[i * N + j]));
        CHECK_NEAR((energy[0][0] - 2 * energy[1][0] + energy[2][0]) / (h * h), H,
                   3e-5 * fmax(scale, fabs(energy[1][0])));
    }
    free(M), free(x), free(dq), free(e);
}

// Entries of the sparse matrix are at their indices, and all omitted entries are zero. The comparison with the library
// detects a wrong entry.
static void test_sparse_and_wrong_entry(test_case* s, bool second)
{
    const unsigned by = CD_TAKES_Q | CD_TAKES_V;
    if (!derive(s, "impl", by, second, true)) return;
    const int n = s->t.noutput, columns = s->t.result[0].columns;
    double*   dense = allocate(n);
    memcpy(dense, s->value, (size_t)n * sizeof *dense);
    if (derive(s, "impl", by, second, false)) {
        for (int i = 0; i < s->t.noutput; ++i) {
            const int at = s->t.matrix_index[i];
            CHECK_NEAR(s->value[i], dense[at], 1e-12 * fmax(1, fabs(dense[at])));
            CHECK(!second || at / columns >= at % columns);
            dense[at] = 0;
            if (second) dense[at % columns * columns + at / columns] = 0;
        }
        double largest_omitted = 0, error = 0;
        for (int i = 0; i < n; ++i) largest_omitted = fmax(largest_omitted, fabs(dense[i]));
        CHECK(largest_omitted == 0);
        s->t.output[0] = cd_binary(s->graph, CD_ADD, s->t.output[0], cd_constant(s->graph, 0.1 + fabs(s->value[0])));
        CHECK(cd_derivative_check_values(s->m, &s->t, s->graph, &s->in, s->reference, 0, s->x, s->value, &error,
                                         &report) == CARDAN_OK);
        CHECK(error > 1e-6);
    }
    free(dense);
}

static void test_description(cardan_description* description)
{
    test_case s;
    CHECK(description && test_case_open(&s, description));
    if (description) {
        test_jacobians(&s);
        test_hessian_of_motion(&s);
        test_hessian_of_energy(&s);
        test_sparse_and_wrong_entry(&s, false);
        test_sparse_and_wrong_entry(&s, true);
        test_case_close(&s);
    }
    cardan_description_destroy(description);
}

static void test_file(const char* name)
{
    char                path[600];
    cardan_description* description = NULL;
    snprintf(path, sizeof path, "%s/%s", CARDAN_SOURCE, name);
    CHECK(cardan_description_load(path, NULL, &description, &report) == CARDAN_OK);
    test_description(description);
}

static void test_read_arguments(void)
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
    RUN(test_read_arguments());
    RUN(test_file("models/arm_pendulum"));
    RUN(test_file("models/four_bar"));
    RUN(test_file("models/diagnosis/rssr.yaml"));
    RUN(test_file("models/governor"));
    RUN(test_file("models/free_body"));
    RUN(test_file("test/data/optimize/floater.yaml"));
    for (uint64_t seed = 1; seed <= 3; ++seed) RUN(test_description(random_tree(seed)));
    return test_end();
}
