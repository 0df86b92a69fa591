// SPDX-License-Identifier: BSD-3-Clause
// Every formulation that takes constraint rows, on random mechanisms with one constraint of every type, once and twice:
// the same accelerations of all bodies as `dense`. At any state J a = gamma has one answer where the rows are
// consistent, closed or not.
#include "random_constraint.h"
#include "dynamics/data.h"
#include "math/lapack.h"

enum { MOST_BODIES = 16 };

typedef struct answer {
    cardan_status status;
    double        error;
    int           nv;
    cardan_motion body[MOST_BODIES];
} answer;

static answer solve(const cardan_description* d, int formulation, cardan_tree_policy policy, cardan_data* from)
{
    static double a[6 * MOST_BODIES];
    answer        x     = {.error = NAN};
    cardan_model* model = NULL;
    cardan_data*  data  = NULL;
    x.status            = cardan_model_compile(d, policy, &model, NULL);
    if (x.status == CARDAN_OK) x.status = cardan_data_create(model, formulation, &data, NULL);
    if (x.status == CARDAN_OK) x.status = cardan_data_copy_state(from, data);
    if (x.status == CARDAN_OK) x.status = cardan_accelerate(data, a, NULL, NULL);
    if (x.status == CARDAN_OK) {
        x.error = cardan_residual_norm(data, a);
        x.nv    = cardan_model_get_view(model).nv;
        cardan_body_motions(data, a, x.body);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    return x;
}

static double distance(const answer* x, const answer* y, int nbody)
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

// Smallest singular value of the constraint's own rows, relative to the largest: near zero no digit is left, which
// proves nothing.
static double steadiness(cardan_data* d)
{
    static double J[6 * 200], sigma[200], work[4000];
    cd_update_rows(d);
    const cd_row_block* b    = &d->constraints.block[d->constraints.nconstraint - 1];
    const int           most = b->nrow < b->nv ? b->nrow : b->nv;
    memcpy(J, b->J, (size_t)(b->nrow * b->nv) * sizeof *J);
    if (b->nv == 0 || cd_lapack_svd_work(b->nrow, b->nv) > 4000 ||
        !cd_lapack_svd(b->nrow, b->nv, J, sigma, NULL, NULL, work))
        return 0;
    return sigma[most - 1] / sigma[0];
}

// One scene; false where some formulation disagrees. *solved counts scenes that have an answer.
static bool check_scene(const char* type, uint64_t seed, int copies, int* solved)
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
        const answer yardstick = solve(s.d, dense, CARDAN_TREE_BREADTH_FIRST, tree);
        const bool   answered  = yardstick.status == CARDAN_OK && yardstick.error < 1e-10 &&
                              steadiness(tree) > 1e-3; // else more rows than motions
        *solved += answered;
        for (int f = 0; answered && f < cardan_formulation_count(); ++f) {
            if (!cardan_formulation_is_exact(f)) continue;
            const answer x = solve(s.d, f, cardan_formulation_tree_policy(f), tree);
            if (x.status == CARDAN_UNSUPPORTED) continue;
            const double difference = distance(&x, &yardstick, n);
            // where the equations hold to 1e-12, what is left of a difference is the conditioning of the state
            if (x.status == CARDAN_OK && x.error < 1e-9 && difference < (x.error < 1e-12 ? 1e-7 : 1e-9)) continue;
            printf("%s, seed %llu, %d of it, %s: %s, agreement %.2g, equations %.2g\n", type, (unsigned long long)seed,
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
    int bad = 0, solved = 0;
    for (uint64_t seed = 1; seed <= COUNT; ++seed) bad += !check_scene(type, seed, copies, &solved);
    printf("%-15s %d time%s: %d have an answer, %d wrong\n", type, copies, copies == 1 ? " " : "s", solved, bad);
    CHECK(solved >= COUNT / 3);
    CHECK(bad == 0);
}

int main(void)
{
    for (int i = 0; i < cd_constraint_type_count(); ++i)
        for (int copies = 1; copies <= 2; ++copies) RUN(test_type(cd_constraint_type_at(i)->name, copies));
    return test_end();
}
