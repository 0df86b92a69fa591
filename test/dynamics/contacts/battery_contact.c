// SPDX-License-Identifier: BSD-3-Clause
// Contacts in every formulation that supports them, on mechanisms with and without loops, driven joints and redundant contacts:
// rows and bias against motions of bodies and finite differences, accelerations and impacts against dense equations, and
// all formulations against each other.
#include "contact_models.h"
#include "random_tree.h"
#include "test.h"

#include "dynamics/contacts/contact_rows.h"
#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/state.h"
#include "math/lapack.h"

enum { NV_MAX = 40, NROW_MAX = 60, NC_MAX = 60, N_MAX = NV_MAX + NROW_MAX };

typedef struct mechanism {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        d;
} mechanism;

static bool open_mechanism(mechanism* p, const contact_mechanism* from, int formulation)
{
    cardan_report report = {0};
    *p                   = (mechanism){.description = from->describe()};
    bool good = cardan_model_compile(p->description, cardan_formulation_tree_policy(formulation), &p->model, &report) ==
                CARDAN_OK;
    const cardan_status status = good ? cardan_data_create(p->model, formulation, &p->d, &report) : CARDAN_BAD_INPUT;
    if (status == CARDAN_UNSUPPORTED) return false;
    for (int i = 0; status != CARDAN_OK && i < report.count; ++i)
        printf("%s: %s\n", from->name, report.message[i].text);
    CHECK(status == CARDAN_OK);
    return status == CARDAN_OK;
}

static void close_mechanism(mechanism* p)
{
    cardan_data_destroy(p->d);
    cardan_model_destroy(p->model);
    cardan_description_destroy(p->description);
}

// Start state with the velocities of the description times `speed`, projected onto the constraints; all found contacts in the
// given state.
static void set_start(cardan_data* d, double speed, cd_contact_mode mode)
{
    double v[NV_MAX], q[64];
    for (int i = 0; i < d->m->nv; ++i) v[i] = d->m->v_start[i] * speed;
    memcpy(q, d->m->q_start, (size_t)d->m->nq * sizeof *q);
    cardan_data_set_state(d, 0, q, v, d->m->state_start);
    CHECK(cardan_data_project(d, NULL, q, v, NULL, NULL) == CARDAN_OK);
    cardan_data_set_state(d, 0, q, v, d->m->state_start);
    cd_contacts_search(d, 1e-6);
    for (int i = 0; i < cd_contacts_count(d); ++i) {
        const cd_contact* point = cd_contacts_point(d, i);
        cd_contact_state  s     = {.mode = mode, .direction = {1, 0, 0}};
        if (point && mode == CD_CONTACT_SLIP) memcpy(s.direction, point->tangent[0], sizeof s.direction);
        cd_contacts_set_state(d, i, &s);
    }
}

// Velocities of the bodies, which do not depend on the coordinates.
static void body_velocities(cardan_data* d, double* out)
{
    cardan_motion motion[16];
    cardan_data_body_motions(d, NULL, motion);
    for (int i = 0; i < d->m->nbody; ++i)
        for (int k = 0; k < 3; ++k) {
            out[6 * i + k]     = motion[i].v[k];
            out[6 * i + 3 + k] = motion[i].w[k];
        }
}

// Trees differ in the start velocities of loops: whether two have the same.
static bool is_same_motion(int nbody, const double* a, const double* b)
{
    for (int i = 0; i < 6 * nbody; ++i)
        if (fabs(a[i] - b[i]) > 1e-12) return false;
    return true;
}

// Velocity of the material point x of a body, and its angular velocity.
static void body_velocity(const cardan_data* d, const cardan_motion* motion, int body, const double x[3], double w[3],
                          double v[3])
{
    memset(w, 0, 3 * sizeof *w);
    memset(v, 0, 3 * sizeof *v);
    if (body == CARDAN_GROUND) return;
    const cardan_motion* m    = &motion[body];
    const double         r[3] = {x[0] - m->p[0], x[1] - m->p[1], x[2] - m->p[2]};
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        w[i] = m->w[i];
        v[i] = m->v[i] + m->w[j] * r[k] - m->w[k] * r[j];
    }
    (void)d;
}

// Relative velocities of all closed contact points at the state, by the motions of the bodies.
static void velocities_by_bodies(cardan_data* d, double* u)
{
    cardan_motion      motion[16];
    const cd_contacts* c = d->contacts;
    cardan_data_body_motions(d, NULL, motion);
    for (int e = 0; e < c->nelement; ++e) {
        const cd_contact* point = cd_contacts_point(d, c->contact_of[e]);
        if (!point) continue;
        double wa[3], va[3], wb[3], vb[3];
        body_velocity(d, motion, point->body[0], point->point, wa, va);
        body_velocity(d, motion, point->body[1], point->point, wb, vb);
        for (int i = 0; i < c->element[e].nrow; ++i) {
            const double* axis = i % 3 == 0 ? point->normal : point->tangent[i % 3 - 1];
            double        sum  = 0;
            for (int k = 0; k < 3; ++k) sum += axis[k] * (i < 3 ? va[k] - vb[k] : wa[k] - wb[k]);
            u[c->element[e].row + i] = sum;
        }
    }
}

// Jc v by bodies, and bias = u' at a = 0 by central differences along q (+) h v with constant v.
static void check_rows(cardan_data* d)
{
    cd_contacts* c = d->contacts;
    double q[64], v[NV_MAX], u[NC_MAX] = {0}, ahead[NC_MAX] = {0}, behind[NC_MAX] = {0}, bias[NC_MAX], product[NC_MAX];
    const double h = 1e-5;
    cd_contacts_update_rows(d);
    velocities_by_bodies(d, u);
    memcpy(q, d->q, (size_t)d->m->nq * sizeof *q);
    memcpy(v, d->v, (size_t)d->m->nv * sizeof *v);
    memcpy(bias, c->bias, (size_t)c->nrow * sizeof *bias);
    cd_contacts_times(d, v, product);
    for (int e = 0; e < c->nelement; ++e)
        for (int i = 0; i < c->element[e].nrow; ++i) {
            const int r = c->element[e].row + i;
            if (cd_contacts_point(d, c->contact_of[e])) CHECK_NEAR(c->velocity[r], u[r], 1e-13);
            CHECK_NEAR(product[r], c->velocity[r], 1e-13);
        }
    for (int side = -1; side <= 1; side += 2) {
        double moved[64], step[NV_MAX];
        for (int i = 0; i < d->m->nv; ++i) step[i] = side * h * v[i];
        cardan_model_integrate_position(d->m, q, step, moved);
        cd_data_set_state(d, side * h, moved, v, d->state);
        cd_contacts_update_rows(d);
        velocities_by_bodies(d, side > 0 ? ahead : behind);
    }
    cd_data_set_state(d, 0, q, v, d->state);
    cd_contacts_update_rows(d);
    double largest = 1;
    for (int i = 0; i < c->nrow; ++i) largest = fmax(largest, fabs(bias[i]));
    for (int e = 0; e < c->nelement; ++e)
        for (int i = 0; cd_contacts_point(d, c->contact_of[e]) && i < c->element[e].nrow; ++i) {
            const int r = c->element[e].row + i;
            CHECK_NEAR(bias[r] / largest, (ahead[r] - behind[r]) / (2 * h) / largest, 1e-8);
        }
}

static void test_rows(void)
{
    for (int k = 0; k < CONTACT_MECHANISMS; ++k)
        for (int f = 0; f < cardan_formulation_count(); ++f) {
            mechanism p;
            if (open_mechanism(&p, &contact_mechanisms[k], f)) {
                set_start(p.d, 1, CD_CONTACT_STICK);
                CHECK(p.d->contacts->set.n > 0);
                if (cardan_formulation_find("order-n") == f || cardan_formulation_find("lagrange") == f)
                    check_rows(p.d);
            }
            close_mechanism(&p);
        }
}

// Dense [M J' -B; J 0; C 0] [a; lambda; y] with B y = p, C'u' = 0, solved by least squares.
typedef struct dense_result {
    double a[NV_MAX], p[NC_MAX];
} dense_result;

static void dense_accelerations(cardan_data* d, bool slip, dense_result* out)
{
    const int          nv = d->m->nv, nr = d->rows.nrow;
    const cd_contacts* c = d->contacts;
    static double      M[NV_MAX * NV_MAX], A[200 * 200], b[200], work[60000], Jc[NC_MAX * NV_MAX], J[NROW_MAX * NV_MAX];
    static int         pivot[200];
    double             B[NC_MAX][NC_MAX] = {{0}}, known[NC_MAX] = {0};
    int                row[NC_MAX], ny                          = 0;
    cd_update_rows(d);
    cd_contacts_update_rows(d);
    cardan_data_mass_matrix(d, M);
    memset(Jc, 0, sizeof Jc);
    memset(J, 0, sizeof J);
    for (int e = 0; e < c->nelement; ++e)
        for (int i = 0; i < c->block[e].nrow; ++i)
            for (int k = 0; k < c->block[e].nv; ++k)
                Jc[(c->block[e].row + i) * nv + c->block[e].v[k]] = c->block[e].J[i * c->block[e].nv + k];
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_row_block block = cd_joint_space_block(d, &d->constraints, i);
        for (int r = 0; r < block.nrow; ++r)
            for (int k = 0; k < block.nv; ++k) J[(block.row + r) * nv + block.v[k]] = block.J[r * block.nv + k];
    }
    for (int e = 0; e < c->nelement; ++e) {
        const cd_contact_element* element = &c->element[e];
        const bool                point   = element->kind == CD_ELEMENT_POINT;
        if (element->kind == CD_ELEMENT_FRICTION && slip) {
            known[element->row] = -element->bound * c->element_state[e].slip[0];
            continue;
        }
        B[element->row][ny] = 1;
        for (int k = 0; point && slip && k < 2; ++k)
            B[element->row + 1 + k][ny] = -element->mu * c->element_state[e].slip[k];
        row[ny++] = element->row;
        for (int k = slip ? 3 : 1; point && k < element->nrow; ++k) { // spinning and rolling friction stick
            B[element->row + k][ny] = 1;
            row[ny++]               = element->row + k;
        }
    }
    const int n = nv + nr + ny;
    CHECK(n <= 200);
    memset(A, 0, sizeof A);
    memset(b, 0, sizeof b);
    cardan_data_inverse_dynamics(d, d->scratch.zero_nv, b); // c - Q
    for (int i = 0; i < nv; ++i) {
        b[i] = -b[i];
        for (int k = 0; k < c->nrow; ++k) b[i] += Jc[k * nv + i] * known[k];
        for (int k = 0; k < nv; ++k) A[k * n + i] = M[i * nv + k];
        for (int k = 0; k < nr; ++k) A[(nv + k) * n + i] = A[i * n + nv + k] = J[k * nv + i];
        for (int y = 0; y < ny; ++y) {
            for (int k = 0; k < c->nrow; ++k) A[(nv + nr + y) * n + i] -= Jc[k * nv + i] * B[k][y];
            A[i * n + nv + nr + y] = Jc[row[y] * nv + i];
        }
    }
    for (int k = 0; k < nr; ++k) b[nv + k] = d->solve.gamma[k];
    for (int y = 0; y < ny; ++y) b[nv + nr + y] = -c->bias[row[y]];
    CHECK(cd_lapack_least_squares(n, A, b, 1e-12, work, pivot) > 0);
    memcpy(out->a, b, (size_t)nv * sizeof *b);
    for (int k = 0; k < c->nrow; ++k) {
        out->p[k] = known[k];
        for (int y = 0; y < ny; ++y) out->p[k] += B[k][y] * b[nv + nr + y];
    }
}

// Accelerations of the bodies, which do not depend on the coordinates.
static void body_accelerations(cardan_data* d, const double* a, double* out)
{
    cardan_motion motion[16];
    cardan_data_body_motions(d, a, motion);
    for (int i = 0; i < d->m->nbody; ++i)
        for (int k = 0; k < 3; ++k) {
            out[6 * i + k]     = motion[i].a[k];
            out[6 * i + 3 + k] = motion[i].alpha[k];
        }
}

static bool is_last_broken(const char* name, int formulation, const char* what)
{
    if (test_broken) printf("  %s, %s, %s\n", name, cardan_formulation_name(formulation), what);
    return test_broken;
}

// Accelerations of contacts that stick (slip false) or slip: against dense equations, and against the first formulation with
// the same motion.
static bool check_accelerations(mechanism* p, bool slip, double* motion, double* reference, double* forces)
{
    cardan_report report = {0};
    double        a[NV_MAX], bodies[96], velocities[96];
    dense_result  dense;
    cd_contacts*  c = p->d->contacts;
    double        gap, velocity;
    set_start(p->d, 1, slip ? CD_CONTACT_SLIP : CD_CONTACT_STICK);
    CHECK(cd_contact_correct(p->d, &gap, &velocity) == CARDAN_OK);
    const cardan_status status = cardan_data_accelerate(p->d, a, NULL, &report);
    for (int i = 0; i < report.count; ++i) printf("%s\n", report.message[i].text);
    CHECK(status == CARDAN_OK);
    dense_accelerations(p->d, slip, &dense);
    double scale = 1, force = 1;
    for (int i = 0; i < p->d->m->nv; ++i) scale = fmax(scale, fabs(dense.a[i]));
    for (int i = 0; i < c->nrow; ++i) force = fmax(force, fabs(dense.p[i]));
    for (int i = 0; i < p->d->m->nv; ++i) CHECK_NEAR(a[i] / scale, dense.a[i] / scale, 1e-10);
    for (int e = 0; e < c->nelement; ++e)
        for (int i = 0; c->is_unique[e] && i < c->element[e].nrow; ++i)
            CHECK_NEAR(c->p[c->element[e].row + i] / force, dense.p[c->element[e].row + i] / force, 1e-9);
    CHECK(cardan_data_residual_norm(p->d, a) < 1e-10);
    body_accelerations(p->d, a, bodies);
    body_velocities(p->d, velocities);
    if (reference[0] != reference[0]) {
        memcpy(reference, bodies, sizeof bodies);
        memcpy(motion, velocities, sizeof velocities);
        memcpy(forces, c->p, (size_t)c->nrow * sizeof *forces);
    }
    if (!is_same_motion(p->d->m->nbody, motion, velocities)) return false;
    for (int i = 0; i < 6 * p->d->m->nbody; ++i) CHECK_NEAR(bodies[i] / scale, reference[i] / scale, 1e-9);
    for (int e = 0; e < c->nelement; ++e)
        for (int i = 0; c->is_unique[e] && i < c->element[e].nrow; ++i)
            CHECK_NEAR(c->p[c->element[e].row + i] / force, forces[c->element[e].row + i] / force, 1e-7);
    return true;
}

static void test_accelerations(void)
{
    for (int k = 0; k < CONTACT_MECHANISMS; ++k)
        for (int slip = 0; slip < 2; ++slip) {
            double reference[96] = {NAN}, motion[96], forces[NC_MAX];
            int    compared      = 0;
            for (int f = 0; f < cardan_formulation_count() && !test_broken; ++f) {
                mechanism p;
                if (open_mechanism(&p, &contact_mechanisms[k], f))
                    compared += check_accelerations(&p, slip, motion, reference, forces);
                close_mechanism(&p);
                if (is_last_broken(contact_mechanisms[k].name, f, slip ? "slip" : "stick")) return;
            }
            CHECK(compared >= 4);
        }
}

// Velocities after an impact: M (v+ - v-) = J'L + Jc'p with the impulses of the library, by the momentum equations and the
// constraints; energy; then against the first formulation.
static bool check_impact(mechanism* p, cardan_impact_law law, double* before, double* after, double* impulses)
{
    cardan_data*             d = p->d;
    cd_contacts*             c = d->contacts;
    cd_contact_impact_result result;
    double                   v[NV_MAX], M[NV_MAX * NV_MAX], residual[NV_MAX], bodies[96], start[96], position, velocity;
    set_start(d, 1, CD_CONTACT_STICK);
    body_velocities(d, start);
    memcpy(v, d->v, (size_t)d->m->nv * sizeof *v);
    const double T = cardan_data_energy(d).kinetic;
    CHECK(cd_contact_impact(d, law, false, &result) == CARDAN_OK);
    CHECK(result.status == CD_CONTACT_SOLVED && result.residual <= 1e-9);
    CHECK(result.energy_lost >= -1e-12 * T);
    CHECK_NEAR(fmin(result.largest_approach, 0.05), 0.05, 1e-15);
    CHECK_NEAR(T - cardan_data_energy(d).kinetic, result.energy_lost, d->m->ndriver_function ? 1e9 : 1e-11);
    cardan_data_constraint_violation(d, &position, &velocity);
    CHECK(velocity < 1e-12);
    cardan_data_mass_matrix(d, M);
    for (int i = 0; i < d->m->nv; ++i) {
        residual[i] = 0;
        for (int j = 0; j < d->m->nv; ++j) residual[i] += M[i * d->m->nv + j] * (d->v[j] - v[j]);
    }
    for (int e = 0; e < c->nelement; ++e)
        for (int i = 0; i < c->block[e].nrow; ++i)
            for (int k = 0; k < c->block[e].nv; ++k)
                residual[c->block[e].v[k]] -= c->block[e].J[i * c->block[e].nv + k] * c->p[c->block[e].row + i];
    // the residual is J'L: it has no power along velocities that the constraints permit, such as the responses X
    for (int r = 0; r < c->nbasis; ++r) {
        double power = 0, size = 1;
        for (int i = 0; i < d->m->nv; ++i) {
            power += residual[i] * c->delassus.X[r * d->m->nv + i];
            size = fmax(size, fabs(c->delassus.X[r * d->m->nv + i]));
        }
        CHECK_NEAR(power / size, 0, 1e-11);
    }
    body_velocities(d, bodies);
    if (after[0] != after[0]) {
        memcpy(before, start, sizeof start);
        memcpy(after, bodies, sizeof bodies);
        memcpy(impulses, c->p, (size_t)c->nrow * sizeof *impulses);
    }
    if (!is_same_motion(d->m->nbody, before, start)) return false;
    for (int i = 0; i < 6 * d->m->nbody; ++i) CHECK_NEAR(bodies[i], after[i], 1e-9);
    for (int e = 0; e < c->nelement && result.is_unique; ++e)
        for (int i = 0; i < c->element[e].nrow; ++i)
            CHECK_NEAR(c->p[c->element[e].row + i], impulses[c->element[e].row + i], 1e-7);
    return true;
}

static void test_impacts(void)
{
    const cardan_impact_law law[] = {CARDAN_IMPACT_NEWTON, CARDAN_IMPACT_POISSON, CARDAN_IMPACT_SEQUENCE,
                                     CARDAN_IMPACT_AUTOMATIC};
    for (int k = 0; k < CONTACT_MECHANISMS; ++k)
        for (int n = 0; n < 4; ++n) {
            double before[96], after[96] = {NAN}, impulses[NC_MAX];
            int    compared = 0;
            for (int f = 0; f < cardan_formulation_count() && !test_broken; ++f) {
                mechanism p;
                if (open_mechanism(&p, &contact_mechanisms[k], f)) {
                    if (strcmp(contact_mechanisms[k].name, "box") == 0) p.model->v_start[2] = -1;
                    compared += check_impact(&p, law[n], before, after, impulses);
                }
                close_mechanism(&p);
                if (is_last_broken(contact_mechanisms[k].name, f, "impact")) return;
            }
            CHECK(compared >= 4);
        }
}

// Momentum of two free balls through an impact.
static void test_momentum(void)
{
    mechanism                p;
    double                   P[2][3], L[2][3];
    cd_contact_impact_result result;
    CHECK(open_mechanism(&p, &contact_mechanisms[CONTACT_MECHANISMS - 1], cardan_formulation_find("order-n")));
    set_start(p.d, 1, CD_CONTACT_STICK);
    cardan_data_momentum(p.d, P[0], L[0]);
    CHECK(cd_contact_impact(p.d, CARDAN_IMPACT_AUTOMATIC, false, &result) == CARDAN_OK);
    CHECK(result.law == CARDAN_IMPACT_ENERGETIC && result.energy_lost > 0.01);
    cardan_data_momentum(p.d, P[1], L[1]);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(P[1][i], P[0][i], 1e-13);
        CHECK_NEAR(L[1][i], L[0][i], 1e-13);
    }
    close_mechanism(&p);
}

// Positions moved off the contacts: gaps and constraints return to zero, then velocities of contacts that stick.
static void test_correction(void)
{
    for (int k = 0; k < CONTACT_MECHANISMS; ++k)
        for (int f = 0; f < cardan_formulation_count() && !test_broken; ++f) {
            mechanism p;
            if (open_mechanism(&p, &contact_mechanisms[k], f)) {
                dice   g = {7};
                double q[64], step[NV_MAX], gap, velocity, position, rate;
                set_start(p.d, 1, CD_CONTACT_STICK);
                for (int i = 0; i < p.d->m->nv; ++i) step[i] = dice_range(&g, -1e-7, 1e-7);
                cardan_model_integrate_position(p.d->m, p.d->q, step, q);
                cardan_data_set_state(p.d, 0, q, p.d->v, p.d->state);
                CHECK(cd_contact_correct(p.d, &gap, &velocity) == CARDAN_OK);
                CHECK_NEAR(gap, 0, 1e-13);
                CHECK_NEAR(velocity, 0, 1e-13);
                cardan_data_constraint_violation(p.d, &position, &rate);
                CHECK(position < 1e-11 && rate < 1e-11);
                for (int i = 0; i < cd_contacts_count(p.d); ++i) {
                    const cd_contact_motion m = cd_contacts_velocity(p.d, i);
                    CHECK(fabs(m.gap) <= 1e-13);
                    for (int r = 0; r < (m.nrow < 3 ? 1 : 3); ++r) CHECK(fabs(m.velocity[r]) <= 1e-13);
                }
            }
            close_mechanism(&p);
            if (is_last_broken(contact_mechanisms[k].name, f, "correction")) return;
        }
}

int main(void)
{
    RUN(test_rows());
    RUN(test_accelerations());
    RUN(test_impacts());
    RUN(test_momentum());
    RUN(test_correction());
    return test_end();
}
