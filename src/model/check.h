// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cardan/describe.h>

// Masses, inertias, joint types, axes and start values that can be compiled; otherwise every fault with its place.
cardan_status cd_check_view(const cardan_view* view, cardan_report* report);
