// SPDX-License-Identifier: BSD-3-Clause
// Baumgarte's stabilization: the constraint rows ask for
//
//     cddot + 2 p cdot + p^2 c = 0,      p = 1 / (4 steps)
//
// instead of cddot = 0, so that every gap dies out within some ten steps. It costs nothing, gaps stay at the error of
// the method, and it feeds that error into the motion: a stronger pull closes better and disturbs more. All methods of
// the table are stable at p h = 1/4; semi-implicit Euler, the least so, up to p h = 0.8.
#include "simulation/stabilization/stabilization.h"

const cd_stabilization cd_stabilization_baumgarte = {
    .name     = "baumgarte",
    .summary  = "gaps are pulled back within a few steps by the equations themselves; costs nothing, closes as well as "
                "the step",
    .citation = "Baumgarte 1972, Comput. Methods Appl. Mech. Eng. 1(1)",
    .baumgarte_factor = 0.25,
};
