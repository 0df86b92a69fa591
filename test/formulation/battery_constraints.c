// SPDX-License-Identifier: BSD-3-Clause
// Every formulation that supports constraint rows, on random mechanisms with one constraint of every type, added once
// or twice: accelerations of all bodies against those of `dense`. Consistent rows J a = gamma have a unique solution at
// any state, whether or not the state satisfies the constraints at position level.
#include "comparison_counts.h"
#include "random_constraint.h"
#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"
#include "math/lapack.h"

enum { MOST_BODIES = 16 };

typedef struct body_solution {
    cardan_status status;
    double        error;
    int           nv;
    cardan_motion body[MOST_BODIES];
} body_solution;

static body_solution solve(const cardan_description* d, int formulation, cardan_tree_policy policy, cardan_data* from)
{
    static double a[6 * MOST_BODIES];
    body_solution x     = {.error = NAN};
    cardan_model* model = NULL;
    cardan_data*  data  = NULL;
    x.status            = cardan_model_compile(d, policy, &model, NULL);
    if (x.status == CARDAN_OK) x.status = cardan_data_create(model, formulation, &data, NULL);
    if (x.status == CARDAN_OK) x.status = cardan_data_copy_state(from, data);
    if (x.status == CARDAN_OK) x.status = cardan_data_accelerate(data, a, NULL, NULL);
    if (x.status == CARDAN_OK) {
        x.error = cardan_data_residual_norm(data, a);
        x.nv    = cardan_model_get_view(model).nv;
        cardan_data_body_motions(data, a, x.body);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    return x;
}

static double relative_difference(const body_solution* x, const body_solution* y, int nbody)
{
    double difference = 0, scale = 1;
    for (int b = 0; b < nbody; ++b)
        for (int i = 0; i < 3; ++i) {
            difference = fmax(difference, fmax(fabs(x->body[b].a[i] - y->body[b].a[i]),
                                               fabs(x->body[b].alpha[i] - y->body[b].alpha[i])));
            scale      = fmax(scale, fmax(fabs(y->body[b].a[i]), fabs(y->body[b].alpha[i])));
        }
    return difference / scale;
}

// Smallest singular value of the rows of the last constraint, relative to the largest. Near zero the accelerations have
// no significant digits and are not compared.
static double conditioning(cardan_data* d)
{
    static double J[6 * 200], sigma[200], work[4000];
    cd_update_rows(d);
    const cd_row_block* b     = &d->constraints.block[d->constraints.nconstraint - 1];
    const int           count = b->nrow < b->nv ? b->nrow : b->nv;
    memcpy(J, b->J, (size_t)(b->nrow * b->nv) * sizeof *J);
    if (b->nv == 0 || cd_lapack_svd_work(b->nrow, b->nv) > 4000 ||
        !cd_lapack_svd(b->nrow, b->nv, J, sigma, NULL, NULL, work))
        return 0;
    return sigma[count - 1] / sigma[0];
}

// Check one mechanism. Returns false if a formulation differs; *solved counts mechanisms with a solution.
static bool check_scene(const char* type, uint64_t seed, int copies, int* solved, comparison_counts* counts)
{
    scene             s = random_scene(seed, 0, false);
    cardan_constraint c = constraint_of(&s, type);
    for (int i = 0; i < copies; ++i) cardan_description_add_constraint(s.d, &c);
    const int     n = cardan_description_get_view(s.d).nbody, dense = cardan_formulation_find("dense");
    cardan_model* m    = NULL;
    cardan_data*  tree = NULL;
    bool          good = true;
    if (cardan_model_compile(s.d, CARDAN_TREE_BREADTH_FIRST, &m, NULL) == CARDAN_OK &&
        cardan_data_create(m, dense, &tree, NULL) == CARDAN_OK) {
        static double q[200], v[200];
        dice          k = {seed + 1};
        random_state(&k, m, q, v);
        cardan_data_set_state(tree, 0.4, q, v, NULL);
        const body_solution reference  = solve(s.d, dense, CARDAN_TREE_BREADTH_FIRST, tree);
        const bool          comparable = reference.status == CARDAN_OK && reference.error < 1e-10 &&
                                conditioning(tree) > 1e-3; // else more rows than degrees of freedom
        *solved += comparable;
        for (int f = 0; comparable && f < cardan_formulation_count(); ++f) {
            if (!cardan_formulation_is_exact(f)) continue;
            count_required(counts, f, true);
            const body_solution x = solve(s.d, f, cardan_formulation_tree_policy(f), tree);
            if (x.status == CARDAN_UNSUPPORTED) continue;
            count_compared(counts, f);
            const double difference = relative_difference(&x, &reference, n);
            // if the residual is below 1e-12, a larger difference comes from the conditioning of the state
            if (x.status == CARDAN_OK && x.error < 1e-9 && difference < (x.error < 1e-12 ? 1e-7 : 1e-9)) continue;
            printf("%s, seed %llu, %d copies, %s: %s, difference %.2g, residual %.2g\n", type, (unsigned long long)seed,
                   copies, cardan_formulation_name(f), cardan_status_name(x.status), difference, x.error);
            good = false;
        }
    }
    cardan_data_destroy(tree);
    cardan_model_destroy(m);
    cardan_description_destroy(s.d);
    return good;
}

static void test_type(const char* type, int copies)
{
    enum { COUNT = 40 };
    int               bad = 0, solved = 0;
    comparison_counts counts = {0};
    for (uint64_t seed = 1; seed <= COUNT; ++seed) bad += !check_scene(type, seed, copies, &solved, &counts);
    printf("%-15s %d cop%s: %d have a solution, %d wrong\n", type, copies, copies == 1 ? "y" : "ies", solved, bad);
    CHECK(solved >= COUNT / 3);
    check_comparisons(&counts, 9, solved);
    CHECK(bad == 0);
}

int main(void)
{
    for (int i = 0; i < cd_constraint_type_count(); ++i)
        for (int copies = 1; copies <= 2; ++copies) RUN(test_type(cd_constraint_type_at(i)->name, copies));
    return test_end();
}
