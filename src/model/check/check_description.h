// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cardan/describe.h>

// Squares and products of what mechanisms are made of must stay numbers: more than this, in SI units, is none, and a
// mass or inertia of less than its inverse is zero or a mistake.
static const double cd_quantity_max = 1e60;

// Are its names printable text on one line? Part of cd_check_description.
cardan_status cd_check_names(const cardan_view* view, cardan_report* report);
// Can it be compiled? Otherwise every fault with its place.
cardan_status cd_check_description(const cardan_view* view, cardan_report* report);

// check_references.c: every index refers to something that exists; numbers of forces, constraints, shapes and states are
// finite. Whoever looks into a description that is not compiled may rely on that.
cardan_status cd_check_references(const cardan_description* description, cardan_report* report);
