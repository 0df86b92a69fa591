// SPDX-License-Identifier: BSD-3-Clause
// Baumgarte's stabilization: the constraint rows require
//
//     cddot + 2 p cdot + p^2 c = 0,      p = 1 / (4 steps)
//
// instead of cddot = 0, so that every violation decays within some ten steps. It costs nothing; violations stay of
// the order of the method's error, and the terms disturb the motion by that order: a higher rate reduces violations
// more and disturbs more. All methods of the table are stable at p h = 1/4; semi-implicit Euler, the least stable
// one, up to p h = 0.8.
#include "simulation/stabilization/stabilization.h"

const cd_stabilization cd_stabilization_baumgarte = {
    .name = "baumgarte",
    .summary =
        "the equations reduce constraint violations within a few steps; no extra cost, accuracy depends on the step",
    .citation         = "Baumgarte 1972, Comput. Methods Appl. Mech. Eng. 1(1)",
    .baumgarte_factor = 0.25,
};
