// SPDX-License-Identifier: BSD-3-Clause
// Contacts with brushes (shape_bristles.c).
#pragma once

#include "model/model.h"

// Fail with CARDAN_UNSUPPORTED if contacts have brushes. Message: "contacts of 'M' have brushes, <reason>".
cardan_status cd_refuse_bristles(const cardan_model* m, const char* reason, cardan_report* report);
