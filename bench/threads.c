// SPDX-License-Identifier: BSD-3-Clause
// bench_threads: speedup by threads in the branches of binary trees, `cholesky` and `augmented`, over the number of
// multiplications of the factorization. The size from which on threads are used is set in tree_branches.c and
// block_ldl.h; it should be the first at which two threads are faster than one. Measure on an idle machine.
#include "dynamics/data.h"
#include "dynamics/solve.h"

#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 31, NSIZE = 5, NTHREAD = 2 };
static const int sizes[NSIZE] = {1023, 2047, 4095, 16383, 65535};

// Elapsed time, not processor time of this thread, because several threads work.
static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

// Minimum time of factorization and solve.
static double measure(cardan_data* d, double* a)
{
    const cd_formulation* f    = d->formulation;
    double                best = INFINITY;
    for (int i = 0; i < ROUNDS; ++i) {
        cd_solve_info    where   = {0};
        const cd_problem problem = cd_problem_of(d);
        f->assemble(&problem, d->formulation_work);
        const double begin = now_us();
        if (f->factor(&problem, d->formulation_work, &where) != CARDAN_OK ||
            cd_solve_with_factor(d, d->solve.r, d->solve.gamma, a, d->solve.lambda, &where) != CARDAN_OK)
            return NAN;
        best = fmin(best, now_us() - begin);
    }
    return best;
}

static bool row(const char* formulation, int n)
{
    cardan_report       report      = {0};
    cardan_description* tree        = NULL;
    cardan_model*       m           = NULL;
    cardan_data*        d           = NULL;
    double              us[NTHREAD] = {0}, work = 0;
    bool                good = cardan_family_generate("tree", n, NULL, &tree, &report) == CARDAN_OK &&
                cardan_model_compile(tree, CARDAN_TREE_BREADTH_FIRST, &m, &report) == CARDAN_OK &&
                cardan_data_create(m, cardan_formulation_find(formulation), &d, &report) == CARDAN_OK;
    double* a = calloc((size_t)n, sizeof *a);
    good      = good && a && cardan_data_accelerate(d, a, NULL, &report) == CARDAN_OK;
    for (int i = 0; good && i < NTHREAD; ++i) {
        good  = cardan_data_set_threads(d, i + 1, &report) == CARDAN_OK;
        us[i] = measure(d, a);
    }
    for (int v = 0; good && v < m->nv; ++v) work += 0.5 * m->v_depth[v] * (m->v_depth[v] - 1.0);
    if (good) printf("%-10s %8d %12.3g %12.1f %12.1f %8.2f\n", formulation, n, work, us[0], us[1], us[0] / us[1]);
    free(a);
    cardan_data_destroy(d);
    cardan_model_destroy(m);
    cardan_description_destroy(tree);
    return good;
}

int main(void)
{
    bool good = true;
    printf("%-10s %8s %12s %12s %12s %8s\n", "", "links", "mul", "1 thread", "2 threads", "speedup");
    for (int i = 0; i < NSIZE; ++i) good = row("cholesky", sizes[i]) && good;
    for (int i = 0; i < NSIZE; ++i) good = row("augmented", sizes[i]) && good;
    return good ? 0 : 1;
}
