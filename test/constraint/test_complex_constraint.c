// SPDX-License-Identifier: BSD-3-Clause
// Every constraint type, and every joint type as a lock, on random mechanisms by complex steps: rates from values, J
// from values and rates, second derivatives from rates. Differences (test_constraint.c) have eight digits, complex
// steps all.
#include "complex_motion.h"
#include "constraint/joint_chain.h"
#include "random_constraint.h"

static const double digits = 1e-12;

typedef struct errors {
    double rate, second, J, gamma;
    int    rows, scenes;
} errors;

// Values of the library at the state.
typedef struct library_values {
    double rate[MOST_ROWS], second[MOST_ROWS], size[MOST_ROWS], J[MOST_ROWS][MOST_VELOCITIES], gamma[MOST_ROWS];
    bool   position[MOST_ROWS];
} library_values;

static double extent(spatial a, spatial b)
{
    return fabs(a.a.x.re * b.a.x.re) + fabs(a.a.y.re * b.a.y.re) + fabs(a.a.z.re * b.a.z.re) +
           fabs(a.l.x.re * b.l.x.re) + fabs(a.l.y.re * b.l.y.re) + fabs(a.l.z.re * b.l.z.re);
}

static void evaluate(moved* s, library_values* x)
{
    const cd_constraint_set* c = &s->closure;
    real                     a[MOST_VELOCITIES], gamma[MOST_ROWS];
    moved_settle(s);
    cd_constraint_set_jacobian(s->m, &s->k, &s->world, &s->closure);
    memset(x->J, 0, sizeof x->J);
    for (int i = 0; i < s->m->nv; ++i) a[i] = r_const(0);
    cd_world_accelerations(s->m, &s->k, s->v, a, &s->world);
    cd_constraint_set_gamma(&s->world, c, gamma);
    for (int i = 0; i < s->m->nv; ++i) a[i] = r_const(s->a0[i]);
    cd_world_accelerations(s->m, &s->k, s->v, a, &s->world);
    for (int i = 0; i < c->nconstraint; ++i) {
        const cd_row_block* b = &c->block[i];
        for (int r = 0; r < b->nrow; ++r) {
            const int row    = b->row + r;
            x->position[row] = cd_constraint_row_is_holonomic(c, i, r);
            x->rate[row]     = c->rate[row].re;
            x->gamma[row]    = gamma[row].re;
            x->second[row]   = c->h[row].re;
            x->size[row]     = fabs(c->h[row].re);
            for (int k = 0; k < b->nv; ++k) x->J[row][b->v[k]] = b->J[r * b->nv + k].re;
            for (int n = 0; n < b->nend; ++n) {
                x->second[row] += sv_dot(b->G[r * b->nend + n], s->world.acceleration[b->link[n]]).re;
                x->size[row] += extent(b->G[r * b->nend + n], s->world.acceleration[b->link[n]]);
            }
        }
    }
}

static void compare(moved* s, const library_values* x, errors* worst)
{
    const cd_constraint_set* c = &s->closure;
    moved_to(s, s->v0, s->a0, 1);
    for (int r = 0; r < c->nrow; ++r) {
        double second = -x->gamma[r];
        if (x->position[r]) worst->rate = off_by(worst->rate, slope(c->value[r]), x->rate[r], x->size[r]);
        worst->second = off_by(worst->second, slope(c->rate[r]), x->second[r], x->size[r]);
        for (int v = 0; v < s->m->nv; ++v) second += x->J[r][v] * s->a0[v];
        worst->gamma = off_by(worst->gamma, second, x->second[r], x->size[r]);
    }
    for (int v = 0; v < s->m->nv; ++v) {
        double unit[MOST_VELOCITIES] = {0};
        unit[v]                      = 1;
        moved_to(s, unit, NULL, 0);
        for (int r = 0; r < c->nrow; ++r)
            if (x->position[r]) worst->J = off_by(worst->J, slope(c->value[r]), x->J[r][v], x->size[r]);
        moved_to(s, NULL, unit, 0);
        for (int r = 0; r < c->nrow; ++r) worst->J = off_by(worst->J, slope(c->rate[r]), x->J[r][v], x->size[r]);
    }
    worst->rows += c->nrow;
    ++worst->scenes;
}

static bool compile(const cardan_description* d, uint64_t seed, cardan_model** model)
{
    static const cardan_tree_policy policy[3] = {CARDAN_TREE_BREADTH_FIRST, CARDAN_TREE_DEPTH_FIRST,
                                                 CARDAN_TREE_MAXIMAL};
    cardan_report                   report    = {0};
    if (cardan_model_compile(d, policy[seed % 3], model, &report) == CARDAN_OK) return true;
    const bool same_link = report.message[0].code == CARDAN_CODE_CONSTRAINT_INVALID; // both markers are on one link
    if (!same_link) printf("seed %llu: %s\n", (unsigned long long)seed, report.message[0].text);
    CHECK(same_link);
    return false;
}

// Moves the curve so that the point is on it.
static void move_curve(const cardan_description* d, uint64_t seed, const cardan_constraint* c, double u)
{
    cardan_model* m;
    moved         s;
    if (!compile(d, seed, &m)) return;
    CHECK(moved_create(m, &s));
    moved_state(&s, seed);
    moved_settle(&s);
    const cd_end_state point   = cd_end_state_of(&m->marker[c->marker[0]], &s.world),
                       carrier = cd_end_state_of(&m->marker[c->marker[1]], &s.world);
    const vec3 x =
        v3_sub(m3_tmul(carrier.T.R, v3_sub(point.T.p, carrier.T.p)), cd_curve_evaluate(&c->curve, r_const(u)).p);
    for (int i = 0; i < 3 * c->curve.npoint; ++i) points[i] += v3_component(x, i % 3).re;
    moved_destroy(&s);
    cardan_model_destroy(m);
}

// Velocities along the curve, v - J'(J J')^-1 rate for the last two rows; false if the point has no such motion.
static bool stay_on_curve(moved* s, library_values* x)
{
    evaluate(s, x);
    const int     row = s->closure.nrow - 2;
    const double *J0 = x->J[row], *J1 = x->J[row + 1], r0 = x->rate[row], r1 = x->rate[row + 1];
    double        A[3] = {0};
    for (int k = 0; k < s->m->nv; ++k) A[0] += J0[k] * J0[k], A[1] += J0[k] * J1[k], A[2] += J1[k] * J1[k];
    const double det = A[0] * A[2] - A[1] * A[1];
    if (det < 1e-2 * A[0] * A[2]) return false;
    for (int k = 0; k < s->m->nv; ++k)
        s->v0[k] -= (J0[k] * (A[2] * r0 - A[1] * r1) + J1[k] * (A[0] * r1 - A[1] * r0)) / det;
    return true;
}

static void check_errors(const char* what, const errors* worst, int expected_scenes)
{
    printf("%-28s rate %.1e, J %.1e, second derivative %.1e, gamma %.1e; %d rows in %d scenes\n", what, worst->rate,
           worst->J, worst->second, worst->gamma, worst->rows, worst->scenes);
    CHECK(worst->rate <= digits);
    CHECK(worst->J <= digits);
    CHECK(worst->second <= digits);
    CHECK(worst->gamma <= digits);
    CHECK(worst->scenes * 2 > expected_scenes && worst->rows >= worst->scenes);
}

// The last constraint is a general joint whose iteration converged to another solution: its coordinates are not usable.
static bool is_other_solution(const moved* s)
{
    const int            last = s->closure.nconstraint - 1;
    const cd_constraint* c    = last < 0 ? NULL : &s->closure.constraint[last];
    return c && c->general_joint && c->nrow > 0 && fabs(s->closure.equations[last].value[0].re) > 1e-6;
}

static void compare_scene(const cardan_description* d, uint64_t seed, bool curve, errors* worst)
{
    static library_values x;
    moved                 s;
    cardan_model*         m;
    if (!compile(d, seed, &m)) return;
    CHECK(moved_create(m, &s));
    moved_state(&s, seed);
    if (!curve || stay_on_curve(&s, &x)) {
        errors now = {0};
        evaluate(&s, &x);
        if (!is_other_solution(&s)) compare(&s, &x, &now);
        if (!(now.rate <= digits && now.J <= digits && now.second <= digits))
            printf("seed %llu: rate %.2g, J %.2g, second %.2g\n", (unsigned long long)seed, now.rate, now.J,
                   now.second);
        worst->rate   = fmax(worst->rate, now.rate);
        worst->J      = fmax(worst->J, now.J);
        worst->second = fmax(worst->second, now.second);
        worst->gamma  = fmax(worst->gamma, now.gamma);
        worst->rows += now.rows;
        worst->scenes += now.scenes;
    }
    moved_destroy(&s);
    cardan_model_destroy(m);
}

static void check_type(const char* type, bool loops)
{
    enum { COUNT = 30 };
    errors     worst = {0};
    const bool curve = strcmp(type, "point_on_curve") == 0;
    char       what[64];
    for (uint64_t seed = 1; seed <= COUNT; ++seed) {
        scene s =
            random_scene(seed, loops ? 3 : 0,
                         !loops && seed % 3 < 2); // in maximal coordinates at random states general joints are violated
        cardan_constraint c = constraint_of(&s, type);
        if (curve) move_curve(s.d, seed, &c, c.curve.knot ? knots[c.curve.nknot / 2] + 0.1 : 0.43);
        CHECK(cardan_description_add_constraint(s.d, &c) == 0);
        compare_scene(s.d, seed, curve, &worst);
        cardan_description_destroy(s.d);
    }
    snprintf(what, sizeof what, "%s%s", type, loops ? ", loops" : "");
    check_errors(what, &worst, COUNT);
}

static cardan_pose pose_of(frame T)
{
    cardan_pose x = {.p = {T.p.x.re, T.p.y.re, T.p.z.re}};
    q4_of_matrix((const double[9]){T.R.xx.re, T.R.xy.re, T.R.xz.re, T.R.yx.re, T.R.yy.re, T.R.yz.re, T.R.zx.re,
                                   T.R.zy.re, T.R.zz.re},
                 x.q);
    return x;
}

// The second marker of a joint to ground such that the joint is closed at the state of the scene, at random
// coordinates.
static bool close_joint(const cardan_description* d, uint64_t seed, int body, cardan_joint* j)
{
    cd_compiled_joint info = {0};
    cardan_model*     m;
    moved             s;
    dice              k = {seed + 2000};
    real              q[CARDAN_JOINT_VELOCITIES_MAX];
    if (!compile(d, seed, &m)) return false;
    CHECK(moved_create(m, &s));
    moved_state(&s, seed);
    moved_settle(&s);
    info.nelementary = cd_joint_type_find(j->type)->elementary_joints(j, info.elementary);
    for (int i = 0; i < info.nelementary; ++i) q[i] = r_const(dice_range(&k, -1, 1));
    const cd_joint_chain walk         = cd_joint_chain_evaluate(&info, q, NULL);
    const cardan_pose    displacement = pose_of((frame){walk.R, walk.p}),
                      B               = pose_of(cd_end_state_of(&m->body[body], &s.world).T);
    const cardan_pose back            = j->second_body == body ? displacement : pose_inverse(displacement);
    cardan_pose *     near            = j->second_body == body ? &j->frame_second : &j->frame_first,
                *far                  = j->second_body == body ? &j->frame_first : &j->frame_second;
    *near                             = pose_mul(pose_inverse(B), pose_mul(*far, back));
    moved_destroy(&s);
    cardan_model_destroy(m);
    return true;
}

// At most three translations and three rotations, and at least one locked motion.
static bool are_valid_axes(const cardan_joint* j)
{
    int slides = 0;
    for (int i = 0; i < j->nelementary; ++i) slides += j->elementary[i].is_translation;
    return slides <= 3 && j->nelementary - slides <= 3 && j->nelementary < 6;
}

// A joint of each type between the last body and ground, which closes a loop.
static void check_joint(const char* type)
{
    enum { COUNT = 30 };
    errors worst = {0};
    char   what[64];
    for (uint64_t seed = 1; seed <= COUNT; ++seed) {
        scene        s    = random_scene(seed, 0, seed % 3 < 2);
        const int    body = cardan_description_get_view(s.d).nbody - 1;
        dice         d    = {seed + 1000};
        cardan_joint j;
        do j = random_joint(&d, "last", CARDAN_GROUND, body);
        while (strcmp(j.type, type) != 0 || (j.type[0] == 'g' && !are_valid_axes(&j)));
        j.naxis = 0;
        if (j.type[0] != 'g' || close_joint(s.d, seed, body, &j)) {
            cardan_description_add_joint(s.d, &j);
            compare_scene(s.d, seed, false, &worst);
        }
        cardan_description_destroy(s.d);
    }
    snprintf(what, sizeof what, "joint %s", type);
    check_errors(what, &worst, COUNT);
}

int main(void)
{
    for (int i = 0; i < cd_constraint_type_count(); ++i)
        for (int loops = 0; loops < 2; ++loops) RUN(check_type(cd_constraint_type_at(i)->name, loops));
    for (int i = 0; i < cd_joint_type_count(); ++i)
        if (strcmp(cd_joint_type_at(i)->name, "free") != 0) RUN(check_joint(cd_joint_type_at(i)->name));
    return test_end();
}
