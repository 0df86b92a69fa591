// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cardan/describe.h>

// Largest quantity in SI units, so that products of several stay finite; a mass or inertia smaller than its inverse
// must be zero.
static const double cd_quantity_max = 1e60;

// Check that names are printable text on one line. Part of cd_check_description.
cardan_status cd_check_names(const cardan_description_view* view, cardan_report* report);
// Check whether a description can be compiled; report every error with its location.
cardan_status cd_check_description(const cardan_description_view* view, cardan_report* report);

// check_contacts.c: values of shapes that touch, materials, pairs of materials and settings.
cardan_status cd_check_contacts(const cardan_description_view* view, cardan_report* report);
// Rigid stops and friction that sticks of one coordinate.
cardan_status cd_check_dry_friction(const cardan_joint* joint, int axis, cardan_report* report);
// Indices of materials and bodies, and names of materials. Part of cd_check_references.
cardan_status cd_check_contact_references(const cardan_description* description, cardan_report* report);

// check_references.c: check that every index refers to an existing element, and that numbers of forces, constraints,
// shapes and states are finite. Functions that read a description which is not compiled rely on it.
cardan_status cd_check_references(const cardan_description* description, cardan_report* report);
