// SPDX-License-Identifier: BSD-3-Clause
// Contact problems of free rigid bodies for tests: Delassus matrix W = J M^-1 J' and velocities q = J v, from points
// and normals. Body -1 is the ground.
#pragma once

#include "impact/contact_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES_MAX = 200, BODY_CONTACTS_MAX = 300, BODY_ROWS_MAX = 4 * BODY_CONTACTS_MAX };

typedef struct test_body {
    double mass, inertia[3]; // in world axes at this instant
    double centre[3], v[6];  // velocity of the centre, angular velocity
} test_body;

typedef struct test_contacts {
    int                nbody, ncontact, nrow;
    test_body          body[BODIES_MAX];
    int                a[BODY_CONTACTS_MAX], b[BODY_CONTACTS_MAX];
    cd_contact_element element[BODY_CONTACTS_MAX];
    double             jacobian[BODY_ROWS_MAX][2][6]; // of bodies a and b: v, w
    double *           W, *q;
    cd_contact_problem problem;
} test_contacts;

static inline void test_cross(const double a[3], const double b[3], double r[3])
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

static inline test_body* test_contacts_add_body(test_contacts* t, double mass, double ix, double iy, double iz,
                                                double x, double y, double z)
{
    test_body* body = &t->body[t->nbody++];
    *body           = (test_body){mass, {ix, iy, iz}, {x, y, z}, {0}};
    return body;
}

// The normal points from body b to body a. t1, t2: any right-handed tangents, turned by `angle` about the normal.
static inline cd_contact_element* test_contacts_add(test_contacts* t, int a, int b, const double point[3],
                                                    const double normal[3], double mu, double angle, int nrow)
{
    const int           k = t->ncontact++;
    cd_contact_element* e = &t->element[k];
    double              frame[3][3], help[3] = {0, 0, 0}, norm = 0;
    int                 least = 0;
    *e                        = (cd_contact_element){.kind = CD_ELEMENT_POINT, .row = t->nrow, .nrow = nrow, .mu = mu};
    t->a[k]                   = a;
    t->b[k]                   = b;
    for (int i = 1; i < 3; ++i)
        if (fabs(normal[i]) < fabs(normal[least]) - 1e-9) least = i;
    help[least] = 1;
    memcpy(frame[0], normal, sizeof frame[0]);
    test_cross(normal, help, frame[1]);
    for (int i = 0; i < 3; ++i) norm += frame[1][i] * frame[1][i];
    for (int i = 0; i < 3; ++i) frame[1][i] /= sqrt(norm);
    test_cross(normal, frame[1], frame[2]);
    for (int i = 0; i < 3; ++i) {
        const double x = frame[1][i], y = frame[2][i];
        frame[1][i] = cos(angle) * x + sin(angle) * y;
        frame[2][i] = -sin(angle) * x + cos(angle) * y;
    }
    for (int r = 0; r < nrow; ++r)
        for (int end = 0; end < 2; ++end) {
            const int    body = end == 0 ? a : b;
            const double sign = end == 0 ? 1 : -1;
            double*      j    = t->jacobian[t->nrow + r][end];
            memset(j, 0, 6 * sizeof *j);
            if (body < 0) continue;
            if (r < 3) {
                double arm[3];
                for (int i = 0; i < 3; ++i) arm[i] = point[i] - t->body[body].centre[i];
                test_cross(arm, frame[r], j + 3);
                for (int i = 0; i < 3; ++i) {
                    j[i] = sign * frame[r][i];
                    j[3 + i] *= sign;
                }
            } else {
                for (int i = 0; i < 3; ++i) j[3 + i] = sign * frame[r - 3][i];
            }
        }
    t->nrow += nrow;
    return e;
}

static inline double test_contacts_inverse_mass(const test_body* body, int i)
{
    return i < 3 ? 1 / body->mass : 1 / body->inertia[i - 3];
}

// W and q from the velocities of the bodies.
static inline void test_contacts_assemble(test_contacts* t)
{
    const int n    = t->nrow;
    t->W           = realloc(t->W, (size_t)n * (size_t)n * sizeof *t->W);
    t->q           = realloc(t->q, (size_t)n * sizeof *t->q);
    double largest = 0;
    for (int k = 0; k < t->ncontact; ++k)
        for (int r = t->element[k].row; r < t->element[k].row + t->element[k].nrow; ++r) {
            t->q[r] = 0;
            for (int end = 0; end < 2; ++end) {
                const int body = end == 0 ? t->a[k] : t->b[k];
                for (int i = 0; body >= 0 && i < 6; ++i) t->q[r] += t->jacobian[r][end][i] * t->body[body].v[i];
            }
            largest = fmax(largest, fabs(t->q[r]));
            for (int l = 0; l < t->ncontact; ++l)
                for (int s = t->element[l].row; s < t->element[l].row + t->element[l].nrow; ++s) {
                    double sum = 0;
                    for (int e = 0; e < 2; ++e)
                        for (int f = 0; f < 2; ++f) {
                            const int body = e == 0 ? t->a[k] : t->b[k];
                            if (body < 0 || body != (f == 0 ? t->a[l] : t->b[l])) continue;
                            for (int i = 0; i < 6; ++i)
                                sum += t->jacobian[r][e][i] * t->jacobian[s][f][i] *
                                       test_contacts_inverse_mass(&t->body[body], i);
                        }
                    t->W[(long)r * n + s] = sum;
                }
        }
    for (int r = 0; r < n; ++r)
        for (int s = 0; s < r; ++s) t->W[(long)s * n + r] = t->W[(long)r * n + s];
    t->problem = (cd_contact_problem){n, t->ncontact, t->W, t->q, t->element, largest > 0 ? largest : 1};
}

// v += M^-1 J'p
static inline void test_contacts_apply(test_contacts* t, const double* p)
{
    for (int k = 0; k < t->ncontact; ++k)
        for (int r = t->element[k].row; r < t->element[k].row + t->element[k].nrow; ++r)
            for (int end = 0; end < 2; ++end) {
                const int body = end == 0 ? t->a[k] : t->b[k];
                for (int i = 0; body >= 0 && i < 6; ++i) {
                    t->body[body].v[i] += t->jacobian[r][end][i] * p[r] * test_contacts_inverse_mass(&t->body[body], i);
                }
            }
}

static inline double test_contacts_energy(const test_contacts* t)
{
    double energy = 0;
    for (int b = 0; b < t->nbody; ++b)
        for (int i = 0; i < 6; ++i)
            energy += t->body[b].v[i] * t->body[b].v[i] / test_contacts_inverse_mass(&t->body[b], i) / 2;
    return energy;
}

static inline void test_contacts_release(test_contacts* t)
{
    free(t->W);
    free(t->q);
    t->W = t->q = NULL;
}

// Deterministic numbers in [-1, 1].
static inline double test_contacts_random(unsigned long long* seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}
