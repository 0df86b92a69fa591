// SPDX-License-Identifier: BSD-3-Clause
// The models of paper 000: their sizes against section 6 and table 2, constraint violations after a run, tasks against
// inverse kinematics in closed form, and the power balance of motors, worms, muscles and resistances.
#include "constraint/constraint_set.h"
#include "fixture.h"

// ---- sizes

typedef struct size {
    const char* path;
    int         bodies, nv, rows, dof;
} size;

static void test_size(size s)
{
    fixture f;
    if (fixture_open(&f, s.path, "lagrange", 0, NULL)) {
        CHECK(f.m.nbody == s.bodies);
        CHECK(f.m.nv == s.nv && s.nv == 6 * s.bodies);
        CHECK(cd_constraint_row_count(f.model) == s.rows);
    }
    fixture_close(&f);
    cardan_diagnosis* found = NULL;
    if (fixture_open(&f, s.path, "dense", 0, NULL)) {
        CHECK(cardan_data_assemble(f.data, NULL, NULL, NULL, NULL, &f.report) == CARDAN_OK);
        CHECK(cardan_diagnosis_create(f.data, &found, &f.report) == CARDAN_OK);
        CHECK(f.report.errors == 0);
        CHECK(found && found->rank_computed && found->dof == s.dof && found->redundant == 0 && found->assemblable);
    }
    cardan_diagnosis_destroy(found);
    fixture_close(&f);
}

static int extra_constraints(const cardan_diagnosis* d, const char* type)
{
    int count = 0;
    for (int i = 0; i < d->nextra; ++i) count += strcmp(d->extra[i].type, type) == 0;
    return count;
}

// The eight links of the shoulder are six joints, the lock and the thrust bearing; the gears are two couplers and two
// worms.
static void test_links(void)
{
    fixture           f;
    cardan_diagnosis* d = NULL;
    if (fixture_open(&f, "models/shoulder", "dense", 0, NULL) &&
        cardan_diagnosis_create(f.data, &d, &f.report) == CARDAN_OK) {
        CHECK(cardan_description_get_view(f.description).njoint + extra_constraints(d, "lock") +
                  extra_constraints(d, "point_in_plane") ==
              8);
        CHECK(extra_constraints(d, "coupler") == 2 && extra_constraints(d, "worm") == 2 && d->nextra == 6);
    }
    cardan_diagnosis_destroy(d);
    fixture_close(&f);
    if (fixture_open(&f, "models/rider", "dense", 0, NULL))
        CHECK(cardan_description_get_view(f.description).njoint == 18);
    fixture_close(&f);
}

// ---- runs

static int joint_index(const fixture* f, const char* name)
{
    for (int j = 0; j < f->m.njoint; ++j)
        if (strcmp(cardan_model_joint_name(f->model, j), name) == 0) return j;
    printf("there is no joint %s\n", name);
    test_broken = true;
    return 0;
}

static double angle_of(fixture* f, const char* name, double* speed)
{
    double q[CARDAN_JOINT_VELOCITIES_MAX + 1] = {0}, v[CARDAN_JOINT_VELOCITIES_MAX] = {0};
    cardan_data_joint_state(f->data, joint_index(f, name), q, v);
    if (speed) *speed = v[0];
    return q[0];
}

static double output_of(fixture* f, const char* name)
{
    double                        value[16];
    const cardan_description_view view = cardan_description_get_view(f->description);
    cardan_data_evaluate_outputs(f->data, value);
    for (int i = 0; i < view.noutput; ++i)
        if (strcmp(view.output[i].name, name) == 0) return value[i];
    printf("there is no output %s\n", name);
    test_broken = true;
    return NAN;
}

static cardan_run_summary simulate(fixture* f, double end, double output, cardan_sample_callback row, void* user)
{
    cardan_run_settings run = cardan_run_default();
    cardan_run_summary  summary;
    run.end             = end;
    run.output_interval = output;
    run.sample_callback = row;
    run.user            = user;
    const bool good     = cardan_simulate(f->data, &run, &summary, &f->report) == CARDAN_OK;
    CHECK(good);
    if (!good && f->report.count) printf("%s\n", f->report.message[f->report.count - 1].text);
    return summary;
}

typedef struct end_state {
    fixture* f;
    int      n;
    double   body[6 * 32];
} end_state;

static bool keep_bodies(void* user, cardan_data* data, const cardan_sample* row)
{
    end_state*    e = user;
    cardan_motion body[32];
    (void)row;
    e->n = e->f->m.nbody;
    cardan_data_body_motions(data, NULL, body);
    for (int i = 0; i < e->n; ++i) {
        memcpy(e->body + 6 * i, body[i].p, sizeof body[i].p);
        memcpy(e->body + 6 * i + 3, body[i].v, sizeof body[i].v);
    }
    return true;
}

// Two formulations from the same start to the same end state; constraints satisfied, small energy error.
static void test_run(const char* path, double end)
{
    fixture   f[2];
    end_state e[2];
    for (int i = 0; i < 2; ++i) {
        if (!fixture_open(&f[i], path, i ? "lagrange" : "dense", 0, NULL)) return;
        e[i]                       = (end_state){.f = &f[i]};
        const cardan_run_summary s = simulate(&f[i], end, 0.05, keep_bodies, &e[i]);
        CHECK(s.max_position_violation <= 1e-10 && s.max_velocity_violation <= 1e-8);
        CHECK(s.energy_error <= 1e-6);
    }
    for (int i = 0; i < 6 * e[0].n; ++i) CHECK_NEAR(e[0].body[i], e[1].body[i], 1e-6);
    for (int i = 0; i < 2; ++i) fixture_close(&f[i]);
}

// ---- tasks

static double blend(double t, double time)
{
    const double u = fmin(fmax(t / time, 0), 1);
    return u * u * u * (10 + u * (-15 + 6 * u));
}

// Inverse kinematics of the arm in closed form: abduction rotates the plane of the arm about x, flexion and elbow move
// in it.
static void check_angles(fixture* f, const double p[3])
{
    const double upper = 0.186 * 1.77, fore = 0.146 * 1.77, down = hypot(p[1], p[2]), far2 = p[0] * p[0] + down * down;
    const double elbow     = acos((far2 - upper * upper - fore * fore) / (2 * upper * fore));
    const double flexion   = atan2(p[0], down) - atan2(fore * sin(elbow), upper + fore * cos(elbow));
    const double abduction = atan2(p[1], -p[2]);
    CHECK_NEAR(angle_of(f, "elbow", NULL), elbow, 1e-9);
    CHECK_NEAR(angle_of(f, "flexion", NULL), flexion, 1e-9);
    CHECK_NEAR(angle_of(f, "abduction", NULL), abduction, 1e-9);
    CHECK_NEAR(angle_of(f, "left.gear", NULL), flexion + abduction, 1e-9);
    CHECK_NEAR(angle_of(f, "right.gear", NULL), flexion - abduction, 1e-9);
    CHECK_NEAR(angle_of(f, "left.motor", NULL), 60 * (flexion + abduction), 1e-9);
    CHECK_NEAR(angle_of(f, "right.motor", NULL), 60 * (flexion - abduction), 1e-9);
}

static void check_wrist(fixture* f, const double p[3])
{
    CHECK_NEAR(output_of(f, "wrist_x"), p[0], 1e-10);
    CHECK_NEAR(output_of(f, "wrist_y"), p[1], 1e-10);
    CHECK_NEAR(output_of(f, "wrist_z"), p[2], 1e-10);
    check_angles(f, p);
}

static bool on_line(void* user, cardan_data* data, const cardan_sample* row)
{
    const double from[3] = {0.20, -0.05, -0.42}, to[3] = {0.38, 0.16, -0.22}, s = blend(row->t, 3);
    double       p[3];
    (void)data;
    for (int i = 0; i < 3; ++i) p[i] = from[i] + s * (to[i] - from[i]);
    check_wrist(user, p);
    return true;
}

// Basis function of a B-spline by the recursion of Cox and de Boor.
static double basis(const double* knot, int i, int degree, double u)
{
    if (degree == 0) return knot[i] <= u && u < knot[i + 1];
    const double a = knot[i + degree] - knot[i], b = knot[i + degree + 1] - knot[i + 1];
    return (a > 0 ? (u - knot[i]) / a * basis(knot, i, degree - 1, u) : 0) +
           (b > 0 ? (knot[i + degree + 1] - u) / b * basis(knot, i + 1, degree - 1, u) : 0);
}

static bool on_book(void* user, cardan_data* data, const cardan_sample* row)
{
    static const double knot[11] = {0, 0, 0, 0, 0.25, 0.5, 0.75, 1, 1, 1, 1}, weight[7] = {1, 1, 1.5, 3, 1.5, 1, 1};
    static const double point[7][3] = {{0.20, 0.02, -0.42}, {0.22, -0.08, -0.30}, {0.40, 0.00, -0.14},
                                       {0.46, 0.14, -0.16}, {0.36, 0.22, -0.22},  {0.26, 0.12, -0.30},
                                       {0.24, 0.05, -0.36}};
    const double        u           = fmin(blend(row->t, 4), 1 - 1e-15);
    double              p[3] = {0}, sum = 0;
    (void)data;
    for (int i = 0; i < 7; ++i) {
        const double share = weight[i] * basis(knot, i, 3, u);
        sum += share;
        for (int k = 0; k < 3; ++k) p[k] += share * point[i][k];
    }
    for (int k = 0; k < 3; ++k) p[k] /= sum;
    check_wrist(user, p);
    CHECK_NEAR(angle_of(user, "flexion", NULL) + angle_of(user, "elbow", NULL) + angle_of(user, "wrist", NULL), acos(0),
               1e-9); // horizontal
    return true;
}

static void test_task(const char* path, const char* formulation, double time, cardan_sample_callback row)
{
    fixture f;
    if (fixture_open(&f, path, formulation, 0, NULL)) {
        CHECK(cd_constraint_row_count(f.model) == (strcmp(formulation, "lagrange") == 0 ? 54 : 15));
        const cardan_run_summary s = simulate(&f, time, time / 400, row, &f);
        CHECK(s.samples == 401 && s.max_position_violation <= 1e-10);
    }
    fixture_close(&f);
}

// ---- power

static const double motor_k = 3.7 * 0.0235, motor_R = 2.3, worm_inertia = 3e-6 + 1.1e-6 * 3.7 * 3.7, interval = 5e-4;

typedef struct power_balance {
    fixture* f;
    double   forward, backward;
    int      count;
    double   energy[2], power, worst, most, lost;
} power_balance;

// Power loss of a worm: a fraction of the power of its shaft if the worm drives, a fraction of the power of the wheel
// if the wheel drives.
static double loss_of(const power_balance* b, double power, double speed)
{
    const double s = tanh(fabs(speed));
    if (power >= 0) return (1 - b->forward) * s * power;
    return -power / (1 - (1 - b->backward) * s) + power;
}

// Compare the central difference of the energy at the previous sample with the power there.
static bool check_power(void* user, cardan_data* data, const cardan_sample* row)
{
    power_balance* b     = user;
    const double   total = row->energy.kinetic + row->energy.potential;
    if (b->count >= 2) b->worst = fmax(b->worst, fabs((total - b->energy[0]) / (2 * interval) - b->power));
    b->energy[0] = b->energy[1];
    b->energy[1] = total;
    ++b->count;

    static const char* name[2] = {"left.motor", "right.motor"};
    const double       volt[2] = {6 * blend(row->t, 0.2), 0};
    cardan_motion      body[16];
    cardan_data_body_motions(data, row->a, body);
    b->power = 0;
    for (int i = 0; i < 2; ++i) {
        double speed;
        angle_of(b->f, name[i], &speed);
        const cardan_motion* worm = &body[i == 0 ? 4 : 6];
        const double *       q = worm->q, z[3] = {2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]),
                                                  1 - 2 * (q[1] * q[1] + q[2] * q[2])};
        const double spin = (i == 0 ? 1 : -1) * (worm->alpha[0] * z[0] + worm->alpha[1] * z[1] + worm->alpha[2] * z[2]);
        const double torque = motor_k / motor_R * (volt[i] - motor_k * speed);
        const double lost   = loss_of(b, (torque - worm_inertia * spin) * speed, speed);
        b->power += torque * speed - lost;
        b->lost += lost * interval;
    }
    b->most = fmax(b->most, fabs(b->power));
    return true;
}

// d/dt energy = power of the motors - losses of the worms, with and without losses.
static void test_power(bool lossy)
{
    const cardan_parameter_setting set[2] = {{"forward", "1"}, {"backward", "1"}};
    const double                   lead = atan(0.1), rho = atan(0.06 / cos(acos(-1) / 9));
    fixture                        f;
    if (fixture_open(&f, "models/shoulder", "lagrange", lossy ? 0 : 2, set)) {
        power_balance b = {.f        = &f,
                           .forward  = lossy ? tan(lead) / tan(lead + rho) : 1,
                           .backward = lossy ? tan(lead - rho) / tan(lead) : 1};
        simulate(&f, 0.5, interval, check_power, &b);
        CHECK(b.most > 0.1);
        CHECK(b.worst < (lossy ? 1e-3 : 1e-4) * b.most); // differences are less accurate where a worm starts to drive
        if (lossy)
            CHECK(b.lost > 0.02);
        else
            CHECK_NEAR(b.lost, 0, 1e-15);
    }
    fixture_close(&f);
}

// ---- rider

typedef struct ride {
    fixture* f;
    int      rows;
    double   start[4];            // crank, rear wheel [rad], position [m]
    double   muscles, resistance; // work [J]
    double   energy_start, energy;
    double   power[2];
} ride;

static bool check_ride(void* user, cardan_data* data, const cardan_sample* row)
{
    ride*              r       = user;
    static const char* knee[2] = {"left_leg.knee", "right_leg.knee"};
    cardan_motion      body[20], trunk;
    const double       crank = angle_of(r->f, "crank", NULL), rear = angle_of(r->f, "rear", NULL);
    const double       step = row->t == 0 ? 0 : 0.002;
    cardan_data_body_motions(data, NULL, body);
    trunk          = body[5];
    double muscles = 0;
    for (int i = 0; i < 2; ++i) {
        double              speed;
        const double        angle = crank + (i ? acos(-1) : 0);
        const cardan_motion thigh = body[i ? 10 : 7];
        angle_of(r->f, knee[i], &speed);
        muscles +=
            -17.0 / 2 * (1 + cos(angle + 0.6)) * speed + 38.0 / 2 * (1 + cos(angle - 0.4)) * (thigh.w[1] - trunk.w[1]);
    }
    const double air     = 0.36 * pow(fabs(trunk.v[0]), 3),
                 rolling = 0.006 * 9.81 * 94.2 * body[0].v[0] * tanh(body[0].v[0] / 0.1);
    if (r->rows++ == 0) {
        const double start[4] = {crank, rear, body[0].p[0], 0};
        memcpy(r->start, start, sizeof start);
        r->energy_start = row->energy.kinetic + row->energy.potential;
        r->power[0]     = muscles;
        r->power[1]     = air + rolling;
    }
    r->muscles += step * (muscles + r->power[0]) / 2;
    r->resistance += step * (air + rolling + r->power[1]) / 2;
    r->power[0] = muscles;
    r->power[1] = air + rolling;
    r->energy   = row->energy.kinetic + row->energy.potential;
    CHECK_NEAR(rear - r->start[1], (crank - r->start[0]) * 44 / 18, 1e-9); // chain
    CHECK_NEAR(body[0].p[0] - r->start[2], 0.341 * (rear - r->start[1]),
               2e-4); // rolling; the steering oscillates slightly
    CHECK(fabs(body[0].p[1]) < 0.05 && body[0].v[0] > 4.5 && body[0].v[0] < 5.5); // straight line
    const double sink = output_of(r->f, "sink");
    CHECK(sink > 0.010 && sink < 0.035);
    return true;
}

// The legs rotate the cranks nearly five times in 5 s; the work of the muscles is dissipated by air and rolling
// resistance, and less than 15 % by dampers.
static void test_ride(void)
{
    fixture f;
    if (fixture_open(&f, "models/rider", "lagrange", 0, NULL)) {
        ride                     r = {.f = &f};
        const cardan_run_summary s = simulate(&f, 5, 0.002, check_ride, &r);
        CHECK(s.max_position_violation <= 1e-10 && s.energy_error <= 1e-7);
        const double dampers = r.muscles - r.resistance - (r.energy - r.energy_start);
        CHECK(angle_of(&f, "crank", NULL) - r.start[0] > 9 * acos(-1));
        CHECK(r.muscles > 250 && r.resistance > 250);
        CHECK(dampers > 0 && dampers < 0.15 * r.muscles);
    }
    fixture_close(&f);
}

int main(void)
{
    RUN(test_size((size){"models/shoulder", 7, 42, 40, 2}));
    RUN(test_size((size){"models/prosthetic_arm", 9, 54, 50, 4}));
    RUN(test_size((size){"models/rider", 17, 102, 92, 10}));
    RUN(test_links());
    RUN(test_run("models/shoulder", 0.5));
    RUN(test_run("models/prosthetic_arm", 0.5));
    RUN(test_run("models/rider", 0.5));
    RUN(test_task("models/prosthetic_arm/line.yaml", "dense", 3, on_line));
    RUN(test_task("models/prosthetic_arm/line.yaml", "lagrange", 3, on_line));
    RUN(test_task("models/prosthetic_arm/book.yaml", "dense", 4, on_book));
    RUN(test_task("models/prosthetic_arm/book.yaml", "lagrange", 4, on_book));
    RUN(test_power(false));
    RUN(test_power(true));
    RUN(test_ride());
    return test_end();
}
