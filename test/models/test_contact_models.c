// SPDX-License-Identifier: BSD-3-Clause
// Models with contacts against closed forms, by several formulations: bouncing ball, block on an incline, wedge, cam and
// follower, Painleve's rod, rattleback.
#include "contact_models.h"

static contact_run r;

// Impacts at t1 (1 + 2 e + ... + 2 e^k), limit t1 (1 + e)/(1 - e).
static void test_bouncing_ball(const char* formulation)
{
    const double e = 0.8, t1 = sqrt(2 / g);
    if (contact_run_until(&r, "models/bouncing_ball", formulation, NULL, NULL, 5)) {
        double t = t1, p[3];
        for (int k = 0; k < 20; ++k) {
            const cardan_event* impact = contact_run_event_of(&r, CARDAN_EVENT_IMPACT, k);
            CHECK_NEAR(impact->t, t, 1e-10);
            CHECK_NEAR(impact->speed, g * t1 * pow(e, k), 1e-10);
            t += 2 * t1 * pow(e, k + 1);
        }
        CHECK_NEAR(contact_run_event_of(&r, CARDAN_EVENT_BOUNCES_END, 0)->value, t1 * (1 + e) / (1 - e), 1e-9);
        body_position(&r, "ball", p);
        CHECK_NEAR(p[2], 0.1, 1e-12);
        CHECK_NEAR(r.summary.contacts.impact_loss, 0.5 * g * 1, 1e-9);
    }
    fixture_close(&r.f);
}

// It stops after v/(g (sin + mu_k cos)); beyond the limit angle it then slides down with g (sin - mu_k cos).
static void test_incline(const char* formulation, const char* slope)
{
    const double a = atof(slope), v = 3, rise = g * (sin(a) + 0.4 * cos(a)), stop = v / rise, end = 6;
    const double fall = tan(a) > 0.5 ? g * (sin(a) - 0.4 * cos(a)) : 0;
    if (contact_run_until(&r, "models/incline", formulation, "slope", slope, end)) {
        double p[3];
        body_position(&r, "block", p);
        CHECK_NEAR(p[0] * cos(a) - p[2] * sin(a), -v * stop / 2 + fall / 2 * (end - stop) * (end - stop), 1e-9);
        CHECK_NEAR(p[0] * sin(a) + p[2] * cos(a), 0.1, 1e-12);
        if (fall == 0) CHECK_NEAR(contact_run_event_of(&r, CARDAN_EVENT_STICK, 0)->t, stop, 1e-10);
    }
    fixture_close(&r.f);
}

// Relative to the wedge the block slides with (M + m) g sin/(M + m sin^2); the common centre stays.
static void test_wedge(const char* formulation)
{
    NEEDS_PART("Qhull");
    const double a = 3.14159265358979323846 / 6, m = 1, M = 2, t = 0.4;
    const double wedge = m * g * sin(a) * cos(a) / (M + m * sin(a) * sin(a));
    if (contact_run_until(&r, "models/wedge", formulation, NULL, NULL, t)) {
        const double l = 1, s = 0.8 * l / cos(a), x0[2] = {2.0 / 3 * l, s * cos(a) - 0.05 * sin(a)};
        const double z0 = s * sin(a) + 0.05 * cos(a), slide = (M + m) * g * sin(a) / (M + m * sin(a) * sin(a));
        double       p[2][3];
        body_position(&r, "wedge", p[0]);
        body_position(&r, "block", p[1]);
        CHECK_NEAR(p[0][0], x0[0] + wedge * t * t / 2, 1e-9);
        CHECK_NEAR(p[1][0], x0[1] - M / m * wedge * t * t / 2, 1e-9);
        CHECK_NEAR(p[1][2], z0 - slide * sin(a) * t * t / 2, 1e-9);
        CHECK(r.summary.energy_error < 1e-9);
    }
    fixture_close(&r.f);
}

typedef struct cam {
    double e, speed, leaves;
} cam;

static double height_above_cam(double tau, void* user)
{
    const cam* c = user;
    return c->e * (sin(c->speed * c->leaves) - sin(c->speed * (c->leaves + tau))) +
           c->e * c->speed * cos(c->speed * c->leaves) * tau - g * tau * tau / 2;
}

// The follower leaves where e speed^2 sin(speed t) = g, flies freely, and is hit by the cam again.
static void test_cam(const char* formulation)
{
    cam c    = {.e = 0.01, .speed = 40};
    c.leaves = asin(g / (c.e * c.speed * c.speed)) / c.speed;
    if (contact_run_until(&r, "models/cam_follower", formulation, NULL, NULL, 0.14)) {
        const double flight = find_root(height_above_cam, &c, 0.005, 0.1), returns = c.leaves + flight;
        const double fall = c.e * c.speed * cos(c.speed * c.leaves) - g * flight;
        CHECK(height_above_cam(0.004, &c) > 0);
        CHECK_NEAR(contact_run_event_of(&r, CARDAN_EVENT_LIFT, 0)->t, c.leaves, 1e-9);
        const cardan_event* impact = contact_run_event_of(&r, CARDAN_EVENT_IMPACT, 0);
        CHECK_NEAR(impact->t, returns, 1e-9);
        CHECK_NEAR(impact->speed, c.e * c.speed * cos(c.speed * returns) - fall, 1e-8);
    }
    fixture_close(&r.f);
    if (contact_run_until(&r, "models/cam_follower", formulation, "speed", "31", 0.5)) // critical: 31.32
        CHECK(contact_run_count(&r, CARDAN_EVENT_LIFT) == 0);
    fixture_close(&r.f);
}

// ---- Painleve's rod: N = m (g - l/2 sin theta theta'^2)/p, p = 1 + 3 cos theta (cos theta + s mu sin theta) with the
// radius of its end added to the lever arm of friction.

typedef struct rod {
    double mu, side; // friction; side: sign of the sliding velocity
} rod;

// x: theta, its rate, velocity of the contact point along x
static void rod_rates(const double* x, double* dx, void* user)
{
    const rod*   k = user;
    const double h = 0.5, radius = 0.001, I = 1 / 12.0, c = cos(x[0]), s = sin(x[0]), arm = h * s + radius;
    // centre (x, radius + h sin), contact point below the end: N up, friction -side mu N along x
    const double p  = 1 + h * c / I * (h * c + k->side * k->mu * arm);
    const double N  = (g - h * s * x[1] * x[1]) / p;
    const double tt = -N * (h * c + k->side * k->mu * arm) / I;
    dx[0]           = x[1];
    dx[1]           = tt;
    dx[2] = -k->side * k->mu * N + tt * arm + x[1] * x[1] * h * c; // velocity of the contact point: x' + theta' arm
}

static void record_start(contact_run* run, const cardan_sample* s)
{
    if (run->nsample > 0) return;
    const cardan_motion m = body_motion(run, "rod", s->a);
    run->observed[0]      = m.a[2];
    run->observed[1]      = -m.alpha[1];
}

static void test_painleve(const char* formulation, double side)
{
    rod          k     = {.mu = 0.5, .side = side};
    const double theta = 3.14159265358979323846 / 3;
    double       x[3] = {theta, 0, 0.5 * side}, t = 0, h = 1e-5, dx[3], before[3] = {0};
    char         speed[32];
    rod_rates(x, dx, &k);
    const double z = 0.5 * cos(theta) * dx[1], alpha = dx[1];
    while (x[2] * side > 0 && t < 1) {
        memcpy(before, x, sizeof before);
        rk4_step(rod_rates, &k, x, 3, h);
        t += h;
    }
    const double last = before[2] / (before[2] - x[2]); // fraction of the last step; linear within 1e-5 s
    const double stop = t - h + last * h;
    snprintf(speed, sizeof speed, "%g", 0.5 * side);
    r.at_sample = record_start;
    if (contact_run_until(&r, "models/painleve_rod", formulation, "speed", speed, stop + 0.02)) {
        CHECK_NEAR(r.observed[0], z, 1e-9); // of the centre
        CHECK_NEAR(r.observed[1], alpha, 1e-9);
        CHECK_NEAR(contact_run_event_of(&r, CARDAN_EVENT_STICK, 0)->t, stop, 1e-8);
    }
    r.at_sample = NULL;
    fixture_close(&r.f);
}

// ---- rattleback: an ellipsoid rolls without sliding on z = 0

static const double semi[3] = {0.2, 0.03, 0.02}, below = 0.01, inertia[6] = {2e-4, 1.6e-3, 1.7e-3, 2e-5, 0, 0};

static void cross(const double* a, const double* b, double* c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// x: the upward direction n in body axes, angular velocity w in body axes. With r from the contact point to the mass
// centre, v = w x r: I w' + w x I w = -m r x (a - g), a = w' x r + w x r' + w x (w x r) by components in body axes.
static void celt_rates(const double* x, double* dx, void* user)
{
    const double *n = x, *w = x + 3, m = 1;
    double        d[3], size = 0, r0[3], dn[3], dr[3], wr[3], t[3], u[3], Iw[3], right[3], A[3][4];
    (void)user;
    cross(n, w, dn); // n' = n x w in body axes
    for (int i = 0; i < 3; ++i) {
        d[i] = semi[i] * semi[i] * n[i];
        size += d[i] * n[i];
    }
    size          = sqrt(size);
    double change = 0;
    for (int i = 0; i < 3; ++i) change += d[i] * dn[i] / size; // rate of size
    for (int i = 0; i < 3; ++i) {
        // centre of the ellipsoid is `below` above the mass centre
        r0[i] = d[i] / size - (i == 2 ? below : 0);
        dr[i] = semi[i] * semi[i] * dn[i] / size - d[i] * change / (size * size);
    }
    // a - g = w' x r + w x r' (rate in body axes) + w x (w x r) + g n
    cross(w, r0, wr);
    cross(w, wr, t);
    cross(w, dr, u);
    for (int i = 0; i < 3; ++i) t[i] += u[i] + g * n[i];
    Iw[0] = inertia[0] * w[0] + inertia[3] * w[1];
    Iw[1] = inertia[3] * w[0] + inertia[1] * w[1];
    Iw[2] = inertia[2] * w[2];
    cross(w, Iw, u);
    cross(r0, t, right);
    for (int i = 0; i < 3; ++i) A[i][3] = -u[i] - m * right[i];
    const double rr = r0[0] * r0[0] + r0[1] * r0[1] + r0[2] * r0[2];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double I = i == j ? inertia[i] : i + j == 1 ? inertia[3] : 0;
            A[i][j]        = I + m * ((i == j ? rr : 0) - r0[i] * r0[j]);
        }
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) {
            if (i == k) continue;
            const double factor = A[i][k] / A[k][k];
            for (int j = 0; j < 4; ++j) A[i][j] -= factor * A[k][j];
        }
    for (int i = 0; i < 3; ++i) {
        dx[i]     = dn[i];
        dx[3 + i] = A[i][3] / A[i][i];
    }
}

static double reference_time, reference_spin[401], reversal;

static void compare_spin(contact_run* run, const cardan_sample* s)
{
    const double spin = body_motion(run, "celt", NULL).w[2];
    const int    i    = (int)lround(s->t / reference_time * 400);
    run->observed[0]  = fmax(run->observed[0], fabs(spin - reference_spin[i]));
}

static void test_rattleback(const char* formulation)
{
    const double roll = 0.5 * 3.14159265358979323846 / 180, end = 6;
    double       x[6] = {0, sin(roll), cos(roll), 0, 5 * sin(roll), 5 * cos(roll)};
    reference_time    = end;
    reversal          = NAN;
    for (int i = 0; i <= 400; ++i) {
        reference_spin[i] = x[0] * x[3] + x[1] * x[4] + x[2] * x[5];
        if (i > 0 && reference_spin[i - 1] > 0 && reference_spin[i] <= 0) reversal = i * end / 400;
        for (int k = 0; k < 50; ++k) rk4_step(celt_rates, NULL, x, 6, end / 20000);
    }
    CHECK(reversal > 0.1 && reversal < end); // the spin changes its sign
    r.at_sample   = compare_spin;
    r.observed[0] = 0;
    if (contact_run_until(&r, "models/rattleback", formulation, NULL, NULL, end)) {
        CHECK(r.observed[0] < 1e-5);
        CHECK(r.summary.energy_error < 1e-6);
        CHECK(contact_run_count(&r, CARDAN_EVENT_SLIP) + contact_run_count(&r, CARDAN_EVENT_LIFT) == 0);
    }
    if (!(r.observed[0] < 1e-5)) printf("%s: difference of spin %g rad/s\n", formulation, r.observed[0]);
    r.at_sample = NULL;
    fixture_close(&r.f);
}

int main(void)
{
    static const char* const formulations[] = {"lagrange", "reduction", "order-n", "cholesky", "dense"};
    for (size_t i = 0; i < sizeof formulations / sizeof *formulations; ++i) {
        RUN(test_bouncing_ball(formulations[i]));
        RUN(test_incline(formulations[i], "0.35"));
        RUN(test_incline(formulations[i], "0.55"));
        RUN(test_wedge(formulations[i]));
        if (i != 3) RUN(test_cam(formulations[i])); // cholesky is for trees without constraints
        RUN(test_painleve(formulations[i], 1));
        RUN(test_painleve(formulations[i], -1));
    }
    RUN(test_rattleback("lagrange"));
    RUN(test_rattleback("order-n"));
    return test_end();
}
