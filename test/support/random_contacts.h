// SPDX-License-Identifier: BSD-3-Clause
// Random contact problems of free bodies that touch each other and the ground, some of them redundant; variants of one
// problem: mirrored, scaled, with doubled contacts.
#pragma once

#include "contact_bodies.h"

typedef struct test_contacts_variant {
    double length, mass, time; // factors of the units
    bool   is_mirrored;        // x -> -x
    int    copies;             // of every contact
} test_contacts_variant;

static const test_contacts_variant test_contacts_plain = {1, 1, 1, false, 1};

static inline void test_contacts_random_problem(test_contacts* t, unsigned long long seed, int bodies, int contacts,
                                                double most_friction, int nrow, test_contacts_variant variant)
{
    double *     W = t->W, *q = t->q;
    const double L = variant.length, M = variant.mass, V = variant.length / variant.time;
    const double x_sign = variant.is_mirrored ? -1 : 1;
    *t                  = (test_contacts){0};
    t->W = W, t->q = q;
    for (int b = 0; b < bodies; ++b) {
        double r[13];
        for (int i = 0; i < 13; ++i) r[i] = test_contacts_random(&seed);
        const double inertia = M * L * L;
        test_body*   body    = test_contacts_add_body(t, M * exp(r[0]), inertia * exp(r[1]), inertia * exp(r[2]),
                                                      inertia * exp(r[3]), x_sign * L * r[4], L * r[5], L * (1 + r[6]));
        body->v[0] = x_sign * V * r[7], body->v[1] = V * r[8], body->v[2] = V * (r[9] - 1);
        body->v[3] = r[10] / variant.time, body->v[4] = x_sign * r[11] / variant.time;
        body->v[5] = x_sign * r[12] / variant.time;
    }
    for (int k = 0; k < contacts; ++k) {
        double point[3], normal[3], norm = 0;
        int    a = (int)((test_contacts_random(&seed) + 1) / 2 * bodies);
        int    b = (int)((test_contacts_random(&seed) + 1) / 2 * (bodies + 1)) - 1;
        if (a == b) b = -1;
        for (int i = 0; i < 3; ++i) {
            point[i]  = L * test_contacts_random(&seed);
            normal[i] = test_contacts_random(&seed) + (b < 0 && i == 2 ? 2 : 0);
            norm += normal[i] * normal[i];
        }
        for (int i = 0; i < 3; ++i) normal[i] /= sqrt(norm);
        point[0] *= x_sign;
        normal[0] *= x_sign;
        const double mu    = most_friction * (test_contacts_random(&seed) + 1) / 2,
                     angle = 3 * test_contacts_random(&seed);
        for (int copy = 0; copy < variant.copies; ++copy) {
            cd_contact_element* e = test_contacts_add(t, a, b, point, normal, k % 5 == 4 ? 0 : mu, angle + copy, nrow);
            e->spinning           = nrow == 6 ? 0.05 * L * mu : 0;
            e->rolling            = nrow == 6 && k % 2 ? 0.02 * L : 0;
        }
    }
    test_contacts_assemble(t);
    t->problem.velocity_scale = V;
}

// Largest violation of the cone law, relative to the velocity scale and the largest scaled impulse; written for this
// test from the three cases of Coulomb's law.
static inline double test_cone_law(const test_contacts* t, const double* p, const double* u)
{
    const double v     = t->problem.velocity_scale;
    double       worst = 0, largest = 1;
    for (int k = 0; k < t->ncontact; ++k) {
        const cd_contact_element* e   = &t->element[k];
        const int                 row = e->row;
        const double d = t->W[(long)row * t->nrow + row], p_n = p[row] * d / v, u_n = (u[row] + e->shift) / v;
        largest               = fmax(largest, p_n);
        worst                 = fmax(worst, fmax(-p_n, -u_n));
        worst                 = fmax(worst, fmin(p_n, u_n));
        const int    first[3] = {1, 3, 4}, size[3] = {2, 1, 2};
        const double limit[3] = {e->mu, e->spinning, e->rolling};
        for (int set = 0; set < (e->nrow == 6 ? 3 : 1); ++set) {
            // moments and rates in units of forces and velocities by the length of the diagonal of W
            const double  length = set == 0 ? 1 : sqrt(d / t->W[(long)(row + first[set]) * (t->nrow + 1)]);
            const double *f = p + row + first[set], *w = u + row + first[set];
            const double  f1 = size[set] == 2 ? f[1] : 0, w1 = size[set] == 2 ? w[1] : 0;
            const double  force = hypot(f[0], f1) * d / v / length, rate = hypot(w[0], w1) * length / v;
            const double  most = limit[set] * p_n / length;
            worst              = fmax(worst, force - most);
            if (rate == 0) continue;
            const double x = f[0] * d / v / length * rate + most * w[0] * length / v;
            const double y = f1 * d / v / length * rate + most * w1 * length / v;
            worst          = fmax(worst, hypot(x, y));
        }
    }
    return worst / largest;
}
