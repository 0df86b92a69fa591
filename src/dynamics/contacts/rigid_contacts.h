// SPDX-License-Identifier: BSD-3-Clause
// Which models have rigid contacts, and what does not support them (rigid_contacts.c).
#pragma once

#include "formulation/formulation.h"

// Whether shapes touch by the rigid law, or joints have rigid limits or dry friction that sticks.
bool cd_model_has_rigid_contacts(const cardan_model* m);
// Report rigid contacts as not supported: "'gripper' has rigid contacts, <reason>".
cardan_status cd_refuse_rigid_contacts(const cardan_model* m, const char* reason, cardan_report* report);
// Report formulations that do not solve for contacts: those with an approximate factor, and residuals.
cardan_status cd_contacts_check_supported(const cardan_model* m, const cd_formulation* f, cardan_report* report);
