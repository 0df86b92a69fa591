// SPDX-License-Identifier: BSD-3-Clause
// Findings about the pose: each looks for one thing, and tells it where it is there. NO_MEMORY where that could not be
// done, or not be told in full.
#pragma once

#include "diagnosis/diagnosis.h"

// The loops cannot close: which joints stay open, and how far. Always INCONSISTENT.
cardan_status cd_report_not_assemblable(cd_rank_analysis* p, const cd_kinematic_loops* loops, cardan_report* report);
// They stay open by no more than assembly takes for closed.
cardan_status cd_report_small_violation(cd_rank_analysis* p, cardan_report* report);
// True if no pose nearby closes although motions are possible at first order.
bool cd_is_infinitesimally_mobile(const cardan_diagnosis* g, int nv);
// How far the pose was from closed.
void cd_describe_violation(const cardan_diagnosis* g, cd_text* text);
// Less rank here than nearby; or motions that the loops allow at first order only.
cardan_status cd_report_singular(cd_rank_analysis* p, const cardan_diagnosis* g, const cd_kinematic_loops* loops,
                                 cd_text* text, cardan_report* report);
// Laws of time that repeated equations contradict.
cardan_status cd_report_driver_conflicts(cd_rank_analysis* p, cardan_report* report);
// Motions that the constraints leave and no inertia resists.
cardan_status cd_report_zero_inertia(cd_rank_analysis* p, cardan_report* report);
// Couplings that together leave their joints no motion: a warning, and OK.
cardan_status cd_report_locked_couplings(cd_rank_analysis* p, cardan_report* report);
// The same without an examination, at the state of the data in whatever coordinates.
cardan_status cd_warn_locked_couplings(cardan_data* d, cardan_report* report);
// Motions of a single body between its joints that move nothing else.
void cd_report_idle_motions(cd_rank_analysis* p, cardan_report* report);
