// SPDX-License-Identifier: BSD-3-Clause
// Every constraint type on random trees, with and without joints that close loops: values, rates, rows and second
// derivatives against finite differences along random motions.
#include "dynamics/state.h"
#include "random_constraint.h"
#include "finite_difference_check.h"

static bool open_probe(const cardan_description* d, cardan_tree_policy policy, uint64_t seed, probe* p,
                       cardan_model** model)
{
    cardan_report report = {0};
    *p                   = (probe){.t = 0.37};
    *model               = NULL;
    bool good            = cardan_model_compile(d, policy, model, &report) == CARDAN_OK;
    good = good && cardan_data_create(*model, cardan_formulation_find("dense"), &p->d, &report) == CARDAN_OK;
    if (!good) {
        const bool same_link = report.message[0].code == CARDAN_CODE_CONSTRAINT_INVALID; // both markers are on one link
        if (!same_link) printf("seed %llu: %s\n", (unsigned long long)seed, report.message[0].text);
        CHECK(same_link);
        return false;
    }
    p->m   = *model;
    dice k = {seed + 77};
    random_state(&k, *model, p->q, p->v);
    for (int i = 0; i < p->m->nv; ++i) p->a[i] = dice_range(&k, -3, 3);
    return true;
}

// Moves the curve so that the point is on it.
static void move_curve(const probe* p, cardan_constraint* c, double u)
{
    cd_update_world(p->d);
    const cd_end_state point   = cd_end_state_of(&p->m->marker[c->marker[0]], &p->d->world),
                       carrier = cd_end_state_of(&p->m->marker[c->marker[1]], &p->d->world);
    const vec3 x = m3_tmul(carrier.T.R, v3_sub(point.T.p, carrier.T.p)), C = cd_curve_evaluate(&c->curve, u).p;
    for (int i = 0; i < c->curve.npoint; ++i) {
        points[3 * i] += x.x - C.x;
        points[3 * i + 1] += x.y - C.y;
        points[3 * i + 2] += x.z - C.z;
    }
}

// Velocities along the curve: v - J'(J J')^-1 rate for the two rows of the constraint at `row`. False if the point has
// no such motion.
static bool stay_on_curve(probe* p, int row)
{
    probe_at(p, 0);
    const cd_row_block* b = NULL;
    for (int i = 0; i < p->d->constraints.nconstraint; ++i)
        if (p->d->constraints.block[i].row == row) b = &p->d->constraints.block[i];
    double A[3] = {0}, *J0 = b->J, *J1 = b->J + b->nv;
    for (int k = 0; k < b->nv; ++k) {
        A[0] += J0[k] * J0[k];
        A[1] += J0[k] * J1[k];
        A[2] += J1[k] * J1[k];
    }
    const double r0 = p->d->constraints.rate[row], r1 = p->d->constraints.rate[row + 1],
                 det = A[0] * A[2] - A[1] * A[1];
    if (det < 1e-2 * A[0] * A[2]) return false;
    for (int k = 0; k < b->nv; ++k)
        p->v[b->v[k]] -= (J0[k] * (A[2] * r0 - A[1] * r1) + J1[k] * (A[0] * r1 - A[1] * r0)) / det;
    return true;
}

static bool disagrees(const probe* p)
{
    return !(p->worst_rate <= 1e-8 && p->worst_second <= 1e-8 && p->worst_twice <= 1e-5 && p->worst_J <= 1e-8);
}

static void check_type(const char* type, bool loops)
{
    enum { COUNT = 60 };
    double     rate = 0, second = 0, twice = 0, J = 0;
    int        jumps = 0, rows = 0, skipped = 0;
    const bool curve = strcmp(type, "point_on_curve") == 0;
    for (uint64_t seed = 1; seed <= COUNT; ++seed) {
        scene                    s      = random_scene(seed, loops ? 3 : 0, !loops);
        cardan_constraint        c      = constraint_of(&s, type);
        const cardan_tree_policy policy = seed % 2 ? CARDAN_TREE_BREADTH_FIRST : CARDAN_TREE_DEPTH_FIRST;
        probe                    p;
        cardan_model*            model;
        if (curve && open_probe(s.d, policy, seed, &p, &model)) {
            probe_at(&p, 0);
            move_curve(&p, &c, c.curve.knot ? knots[c.curve.nknot / 2] + 0.1 : 0.43);
            cardan_data_destroy(p.d);
            cardan_model_destroy(model);
        }
        CHECK(cardan_description_add_constraint(s.d, &c) == 0);
        const bool good = open_probe(s.d, policy, seed, &p, &model);
        if (good && (!curve || stay_on_curve(&p, p.d->constraints.nrow - 2))) {
            probe_rows(&p, 1e-3);
            if (disagrees(&p)) { // a knot or a singular angle within the range of the differences: use smaller steps
                p.worst_rate = p.worst_second = p.worst_twice = p.worst_J = 0;
                probe_rows(&p, 1e-4);
            }
            if (curve)
                CHECK_NEAR(hypot(p.value[p.d->constraints.nrow - 2], p.value[p.d->constraints.nrow - 1]), 0, 1e-12);
            if (disagrees(&p))
                printf("%s, seed %llu: rate %.2g, second %.2g, twice %.2g, J %.2g\n", type, (unsigned long long)seed,
                       p.worst_rate, p.worst_second, p.worst_twice, p.worst_J);
            rate   = fmax(rate, p.worst_rate);
            second = fmax(second, p.worst_second);
            twice  = fmax(twice, p.worst_twice);
            J      = fmax(J, p.worst_J);
            jumps += p.jumps;
            rows += p.d->constraints.nrow;
        } else {
            ++skipped;
        }
        cardan_data_destroy(p.d);
        cardan_model_destroy(model);
        cardan_description_destroy(s.d);
    }
    printf("%-15s %s: rate %.1e, second derivative %.1e, twice differenced %.1e, J %.1e; %d rows, %d jumped, %d scenes "
           "welded\n",
           type, loops ? "loops" : "tree ", rate, second, twice, J, rows, jumps, skipped);
    CHECK(rate <= 1e-8);
    CHECK(second <= 1e-7); // strongly curved curves limit the differences to 1e-8
    CHECK(twice <= 1e-5);
    CHECK(J <= 1e-8);
    CHECK(rows > 50 && jumps * 50 < rows && skipped * 4 < COUNT);
}

// The orientation of an end is written into its own matrix only.
static void check_pose(void)
{
    const cd_link_frame at = {.link = 0, .R = {0, -1, 0, 1, 0, 0, 0, 0, 1}, .p = {0.1, 0.2, 0.3}};
    const frame T = {.R = m3_const((const double[9]){0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6}), .p = v3_zero()};
    cd_end_state end;
    memset(&end, 0, sizeof end);
    end.T.p = v3(7, 8, 9);
    cd_end_pose(&T, &at, &end);
    const mat3 R = m3_mul_m3(T.R, m3_const(at.R));
    const vec3 r = m3_mul(T.R, v3_const(at.p));
    CHECK(memcmp(&end.T.R, &R, sizeof R) == 0);
    CHECK(end.T.p.x == 7 && end.T.p.y == 8 && end.T.p.z == 9);
    CHECK_NEAR(end.r.x, r.x, 1e-15);
    CHECK_NEAR(end.r.y, r.y, 1e-15);
    CHECK_NEAR(end.r.z, r.z, 1e-15);
    const mat3 axes = vec3x3_matrix(&end.axes);
    CHECK(memcmp(&axes, &R, sizeof R) == 0);
}

int main(void)
{
    for (int i = 0; i < cd_constraint_type_count(); ++i)
        for (int loops = 0; loops < 2; ++loops) RUN(check_type(cd_constraint_type_at(i)->name, loops));
    RUN(check_pose());
    return test_end();
}
