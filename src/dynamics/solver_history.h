// SPDX-License-Identifier: BSD-3-Clause
// What solves at earlier states leave behind for later ones. Results are functions of the state and of this history;
// after cd_solver_history_reset they are functions of the state.
#pragma once

#include "formulation/formulation.h"

typedef struct cd_solver_history {
    bool   use_sharp_rank_test; // redundant rows are decided by geometry, not by pivots (CD_GEOMETRIC_RANK_PERSISTENT)
    bool   has_factor;          // the formulation has a factor, of this or of an earlier state
    bool   all_motions_determined; // with the constraints enabled at present (undetermined_motion.h)
    bool   row_units_known;        // units of the rows are computed at the first state (unit_scales.h)
    double position_scale;         // [length_unit] size of the positions, scale of their round-off; 0: not computed yet
    double max_min_pivot_rel;      // largest min_pivot_rel of the run so far; 0: unknown
    cd_pivot_conditioning conditioning; // of the rows at the last accelerations
} cd_solver_history;

struct cardan_data;
// Discard the history, with that of the formulation, and invalidate all cached quantities. What assembly decided about
// the description (redundancy_error) and winding numbers remain.
void cd_solver_history_reset(struct cardan_data* d);
