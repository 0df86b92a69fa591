// SPDX-License-Identifier: BSD-3-Clause
// Contact problem in the space of the contact rows: impulses p (or forces) and relative velocities u (or accelerations)
//
//   u = W p + q,        W: Delassus matrix, symmetric, positive semidefinite, possibly rank-deficient
//
// and a law for each element. With K = { |p_t| <= mu p_n } and w = (shift, 0, 0), a point contact satisfies exactly
//
//   K contains p   perpendicular to   u + w + mu |u_t| n   in K*           (De Saxce & Feng 1998)
//
// Sign: p pushes the bodies apart (p_n >= 0), u_n > 0 separates. Elements with rolling or spinning friction have the
// rows (n, t1, t2, spin, roll1, roll2) and the bounds |m_s| <= spinning p_n, |m_r| <= rolling p_n; the relative angular
// velocities take the place of u_t.
#pragma once

#include <stdbool.h>

typedef enum cd_contact_element_kind {
    CD_ELEMENT_POINT,    // contact point: rows n, t1, t2 (nrow 3), with rolling and spinning friction nrow 6
    CD_ELEMENT_LIMIT,    // unilateral constraint without friction: one row
    CD_ELEMENT_FRICTION, // dry friction of a joint: one row, |p| <= bound, opposite to u
    CD_ELEMENT_SLIDING,  // contact point that slides in a given direction: rows n, t1, t2; p_t = -mu p_n direction.
                         // Only in problems of accelerations: u_t is not restricted
    CD_ELEMENT_BILATERAL // equality u = 0: all rows
} cd_contact_element_kind;

typedef struct cd_contact_element {
    cd_contact_element_kind kind;
    int                     row, nrow;
    double                  mu, spinning, rolling; // friction coefficient; lever arms [m]
    double                  bound;                 // CD_ELEMENT_FRICTION [N s or N]
    double                  direction[2];          // CD_ELEMENT_SLIDING: unit, of the sliding velocity
    double                  shift;                 // w_n: e u_n- of impacts (negative), else 0
    double preload; // normal impulse that acts in addition to p_n and is in q already: |p_t| <= mu (p_n + preload)
} cd_contact_element;

typedef struct cd_contact_problem {
    int                       nrow, nelement;
    const double*             W; // (nrow x nrow) both triangles, equal bits
    const double*             q; // (nrow)
    const cd_contact_element* element;
    double                    velocity_scale; // [m/s] v_ref: residuals are relative to it; of accelerations [m/s^2]
} cd_contact_problem;

typedef struct cd_contact_solution {
    double* p;         // (nrow) in: start values (warm start, or zeros); out: impulses
    double* u;         // (nrow) out: W p + q
    bool*   is_unique; // (nelement) out: the impulse of the element is determined
    double  residual;  // out: largest d |p - P_K(p - (u + w + mu |u_t| n)/d)| over the elements, in units of u
    int     iterations;
} cd_contact_solution;

typedef enum cd_contact_status {
    CD_CONTACT_SOLVED,        // residual <= tolerance * velocity_scale, or round-off of W p
    CD_CONTACT_NOT_CONVERGED, // the best p found is returned, with its residual
    CD_CONTACT_INFEASIBLE,    // no p exists: bodies are squeezed, or, for accelerations, Painleve's configuration
} cd_contact_status;
