// SPDX-License-Identifier: BSD-3-Clause
// A chain of rods with ball joints that hits a plane with the ends of every rod: contact problem with the joints
// eliminated, W = Jc K^-1 Jc'. Many contacts that are coupled and redundant.
#pragma once

#include "contact_bodies.h"

#include "math/lapack.h"

// mass_ratio: of every second link to the others. bend: heights of the joints vary by it, velocities as well.
static inline void test_contact_chain(test_contacts* t, int links, double mass_ratio, double bend, double mu)
{
    const double length = 0.1, up[3] = {0, 0, 1};
    double *     W = t->W, *q = t->q;
    *t   = (test_contacts){0};
    t->W = W, t->q = q;
    for (int i = 0; i < links; ++i) {
        const double mass = i % 2 ? mass_ratio : 1, inertia = mass * length * length / 12;
        test_body*   body = test_contacts_add_body(t, mass, 0.05 * inertia, inertia, inertia, length * i, 0, 0.01);
        body->v[0]        = 0.3 * sin(0.7 * i);
        body->v[1]        = 0.5;
        body->v[2]        = -1 + bend * sin(1.3 * i);
    }
    for (int i = 0; i < links; ++i)
        for (int end = -1; end <= 1; end += 2)
            test_contacts_add(t, i, -1, (double[3]){length * i + end * 0.45 * length, 0, 0}, up, mu, 0, 3);
    const int contacts = t->nrow;
    for (int i = 0; i + 1 < links; ++i)
        test_contacts_add(t, i, i + 1, (double[3]){length * (i + 0.5), 0, 0.01}, up, 0, 0, 3);
    test_contacts_assemble(t);
    // Schur complement of the joints
    const int n = t->nrow, joints = n - contacts;
    double*   C = malloc((size_t)joints * (size_t)joints * sizeof *C);
    double*   X = malloc((size_t)joints * sizeof *X);
    for (int i = 0; i < joints; ++i)
        for (int j = 0; j < joints; ++j) C[(long)i * joints + j] = t->W[(long)(contacts + i) * n + contacts + j];
    cd_lapack_cholesky(joints, C, 0, NULL);
    double* reduced = malloc((size_t)contacts * (size_t)contacts * sizeof *reduced);
    for (int r = 0; r <= contacts; ++r) { // the last one: q
        for (int i = 0; i < joints; ++i) X[i] = r < contacts ? t->W[(long)r * n + contacts + i] : t->q[contacts + i];
        cd_lapack_cholesky_solve(joints, C, X);
        for (int s = 0; s < contacts; ++s) {
            double sum = r < contacts ? t->W[(long)r * n + s] : t->q[s];
            for (int i = 0; i < joints; ++i) sum -= t->W[(long)s * n + contacts + i] * X[i];
            if (r < contacts)
                reduced[(long)r * contacts + s] = sum;
            else
                t->q[s] = sum;
        }
    }
    for (int r = 0; r < contacts; ++r)
        for (int s = 0; s < contacts; ++s)
            t->W[(long)r * contacts + s] = (reduced[(long)r * contacts + s] + reduced[(long)s * contacts + r]) / 2;
    t->nrow     = contacts;
    t->ncontact = 2 * links;
    t->problem  = (cd_contact_problem){contacts, 2 * links, t->W, t->q, t->element, 1};
    free(C);
    free(X);
    free(reduced);
}
