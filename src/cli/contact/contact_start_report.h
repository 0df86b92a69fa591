// SPDX-License-Identifier: BSD-3-Clause
// Contacts at the start in the report of `cardan check`. Nothing is written for a model whose shapes touch nothing.
#pragma once

#include "core/json.h"

#include <cardan/describe.h>
#include <cardan/dynamics.h>

// The data are at the start (NULL: unknown); states of its contacts are changed.
void cd_contact_check_print(cardan_data* data, const cardan_description_view* view);
void cd_contact_check_write_json(cd_json_writer* json, cardan_data* data, const cardan_description_view* view);
