// SPDX-License-Identifier: BSD-3-Clause
// Every formulation in joint coordinates on a thousand random trees: accelerations against those of `dense`, residual
// of the equations of motion, and inverse dynamics against the applied efforts. New entries of formulations.def are
// tested without a change of this file.
#include "comparison_counts.h"
#include "random_tree.h"
#include "test.h"

#include <float.h>
#include <stdlib.h>

void dsyev_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work,
            const int* lwork, int* info);

// Condition number of the mass matrix, scaled to unit diagonal.
static double condition(cardan_data* data, int n)
{
    double *M = calloc((size_t)(n * n), sizeof *M), *w = calloc((size_t)n, sizeof *w),
           *work    = calloc((size_t)(4 * n), sizeof *work);
    double*   s     = calloc((size_t)n, sizeof *s);
    const int lwork = 4 * n;
    int       info  = 0;
    cardan_data_mass_matrix(data, M);
    for (int i = 0; i < n; ++i) s[i] = sqrt(M[i * n + i]);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) M[i * n + j] /= s[i] * s[j];
    dsyev_("N", "U", &n, M, &n, w, work, &lwork, &info);
    const double c = w[0] > 0 ? w[n - 1] / w[0] : INFINITY;
    free(M), free(w), free(work), free(s);
    return c;
}

typedef struct sample {
    cardan_model* model;
    double *      q, *v, *tau, *a, *reference, *back;
    int           nv;
} sample;

static double largest_difference(const double* a, const double* b, int n)
{
    double difference = 0, scale = 1;
    for (int i = 0; i < n; ++i) {
        difference = fmax(difference, fabs(a[i] - b[i]));
        scale      = fmax(scale, fabs(b[i]));
    }
    return difference / scale;
}

static bool check_one(const sample* s, int formulation, double tolerance, uint64_t seed)
{
    cardan_report report = {0};
    cardan_data*  data   = NULL;
    bool          good   = cardan_data_create(s->model, formulation, &data, &report) == CARDAN_OK;
    if (good) {
        cardan_data_set_state(data, 0, s->q, s->v, NULL);
        cardan_data_set_external_forces(data, s->tau, NULL);
        good = cardan_data_accelerate(data, s->a, NULL, &report) == CARDAN_OK;
    }
    double difference = NAN, error = NAN, effort_error = NAN;
    if (good) {
        difference = largest_difference(s->a, s->reference, s->nv);
        error      = cardan_data_residual_norm(data, s->a);
        cardan_data_set_external_forces(data, NULL, NULL);
        cardan_data_inverse_dynamics(data, s->a, s->back);
        effort_error = largest_difference(s->back, s->tau, s->nv);
        good         = difference <= tolerance && error <= tolerance && effort_error <= tolerance * 1e3;
    }
    if (!good)
        printf("seed %llu, %s: difference %.2g, residual %.2g, inverse dynamics %.2g, tolerance %.2g %s\n",
               (unsigned long long)seed, cardan_formulation_name(formulation), difference, error, effort_error,
               tolerance, report.count ? report.message[0].text : "");
    cardan_data_destroy(data);
    return good;
}

static bool check_tree(uint64_t seed, cardan_tree_policy policy, double* worst, int* compared,
                       comparison_counts* counts)
{
    cardan_description* tree   = random_tree(seed);
    cardan_report       report = {0};
    sample              s      = {0};
    bool                good   = cardan_model_compile(tree, policy, &s.model, &report) == CARDAN_OK;
    if (!good) printf("seed %llu: %s\n", (unsigned long long)seed, report.message[0].text);
    const cardan_model_view m = good ? cardan_model_get_view(s.model) : (cardan_model_view){0};
    double*                 x = calloc((size_t)(m.nq + 6 * m.nv + 1), sizeof *x);
    if (good && m.nv > 0) {
        dice d      = {seed + 1};
        s.nv        = m.nv;
        s.q         = x;
        s.v         = s.q + m.nq;
        s.tau       = s.v + m.nv;
        s.a         = s.tau + m.nv;
        s.back      = s.a + m.nv;
        s.reference = s.back + m.nv;
        random_state(&d, s.model, s.q, s.v);
        for (int i = 0; i < m.nv; ++i) s.tau[i] = dice_range(&d, -5, 5);

        cardan_data* data = NULL;
        cardan_data_create(s.model, cardan_formulation_find("dense"), &data, &report);
        cardan_data_set_state(data, 0, s.q, s.v, NULL);
        cardan_data_set_external_forces(data, s.tau, NULL);
        const double c         = condition(data, m.nv);
        const double tolerance = fmax(1e-10, 100 * DBL_EPSILON * c);
        // a mass matrix with a larger condition number leaves no significant digits to compare
        if (c < 1e11 && cardan_data_accelerate(data, s.reference, NULL, &report) == CARDAN_OK) {
            for (int f = 0; f < cardan_formulation_count(); ++f)
                if (cardan_formulation_is_exact(f) && cardan_formulation_tree_policy(f) != CARDAN_TREE_MAXIMAL) {
                    good &= check_one(&s, f, tolerance, seed);
                    count_required(counts, f, false);
                    count_compared(counts, f);
                }
            *worst = fmax(*worst, c);
            ++*compared;
        }
        cardan_data_destroy(data);
    }
    free(x);
    cardan_model_destroy(s.model);
    cardan_description_destroy(tree);
    return good;
}

static void test_random_trees(cardan_tree_policy policy)
{
    enum { FIRST = 1, COUNT = 1000 };
    int               bad = 0, compared = 0;
    double            worst  = 0;
    comparison_counts counts = {0};
    for (uint64_t seed = FIRST; seed < FIRST + COUNT; ++seed)
        bad += !check_tree(seed, policy, &worst, &compared, &counts);
    printf("random trees, seeds %d to %d: %d compared, %d wrong, condition numbers up to %.1e\n", FIRST,
           FIRST + COUNT - 1, compared, bad, worst);
    CHECK(bad == 0);
    check_comparisons(&counts, 10, compared);
    CHECK(compared >= COUNT * 9 / 10); // the others have no degree of freedom or a nearly singular mass matrix
}

int main(void)
{
    RUN(test_random_trees(CARDAN_TREE_BREADTH_FIRST));
    RUN(test_random_trees(CARDAN_TREE_DEPTH_FIRST));
    return test_end();
}
