// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cardan/describe.h>

// Can it be compiled? Otherwise every fault with its place.
cardan_status cd_check_view(const cardan_view* view, cardan_report* report);
