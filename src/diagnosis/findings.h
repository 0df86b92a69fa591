// SPDX-License-Identifier: BSD-3-Clause
// Findings about the configuration: each function tests for one condition and reports it. All return CARDAN_NO_MEMORY
// if the test or the complete report was not possible.
#pragma once

#include "diagnosis/diagnosis.h"

// Report that the loops cannot be closed: which joints are violated, and by how much. Always
// returns CARDAN_INCONSISTENT.
cardan_status cd_report_not_assemblable(cd_rank_analysis* p, const cd_kinematic_loops* loops, cardan_report* report);
// Warn of a violation that assembly still accepts.
cardan_status cd_report_small_violation(cd_rank_analysis* p, cardan_report* report);
// Return whether no nearby configuration satisfies the constraints although the tangent space is not empty.
bool cd_is_infinitesimally_mobile(const cardan_diagnosis* g, int nv);
// Describe the violation before and after assembly.
void cd_describe_violation(const cardan_diagnosis* g, cd_text* text);
// Report a lower rank than nearby, or infinitesimal mobility.
cardan_status cd_report_singular(cd_rank_analysis* p, const cardan_diagnosis* g, const cd_kinematic_loops* loops,
                                 cd_text* text, cardan_report* report);
// Report driver functions that contradict redundant rows.
cardan_status cd_report_driver_conflicts(cd_rank_analysis* p, cardan_report* report);
// Report motions that satisfy the constraints and have zero inertia.
cardan_status cd_report_zero_inertia(cd_rank_analysis* p, cardan_report* report);
// Warn of couplings that together lock their joints; returns CARDAN_OK.
cardan_status cd_report_locked_couplings(cd_rank_analysis* p, cardan_report* report);
// The same without rank analysis, at the state of the data in any coordinates.
cardan_status cd_warn_locked_couplings(cardan_data* d, cardan_report* report);
// Note motions of a single body between its joints that move no other body.
void cd_report_idle_motions(cd_rank_analysis* p, cardan_report* report);
