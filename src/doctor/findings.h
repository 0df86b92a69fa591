// SPDX-License-Identifier: BSD-3-Clause
// Findings about the pose: each looks for one thing, and tells it where it is there. NO_MEMORY where that could not be
// done, or not be told in full.
#pragma once

#include "doctor/doctor.h"

// The loops cannot close: which joints stay open, and how far. Always INCONSISTENT.
cardan_status cd_tell_open(cd_patient* p, const cd_loops* loops, cardan_report* report);
// They stay open by no more than assembly takes for closed.
cardan_status cd_tell_rounded(cd_patient* p, cardan_report* report);
// True if no pose nearby closes although motions are possible at first order.
bool cd_shaky(const cardan_diagnosis* g, int nv);
// How far the pose was from closed.
void cd_tell_closing(const cardan_diagnosis* g, cd_text* text);
// Less rank here than nearby; or motions that the loops allow at first order only.
cardan_status cd_tell_singular(cd_patient* p, const cardan_diagnosis* g, const cd_loops* loops, cd_text* text,
                               cardan_report* report);
// Laws of time that repeated equations contradict.
cardan_status cd_tell_laws(cd_patient* p, cardan_report* report);
// Motions that the constraints leave and no inertia resists.
cardan_status cd_tell_inertia(cd_patient* p, cardan_report* report);
// Couplings that together leave their joints no motion: a warning, and OK.
cardan_status cd_tell_locked(cd_patient* p, cardan_report* report);
// The same without an examination, at the state of the data in whatever coordinates.
cardan_status cd_warn_locked(cardan_data* d, cardan_report* report);
// Motions of a single body between its joints that move nothing else.
void cd_tell_idle(cd_patient* p, cardan_report* report);
