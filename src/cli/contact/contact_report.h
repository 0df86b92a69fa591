// SPDX-License-Identifier: BSD-3-Clause
// Rigid contacts in the summary of a run.
#pragma once

#include "core/json.h"

#include <cardan/describe.h>
#include <cardan/simulate.h>

// Both write nothing for a run without contacts.
void cd_contact_print_summary(const cardan_contact_summary* contacts, const cardan_description_view* view);
void cd_contact_write_json(cd_json_writer* json, const cardan_contact_summary* contacts,
                           const cardan_description_view* view);
