// SPDX-License-Identifier: BSD-3-Clause
// Constants of the compliant law for the pairs of a scene (compliant_laws.c).
#pragma once

#include "contact/scene/contact_scene.h"
#include "force/compliant_law.h"

// Fill law (scene->npair). Failures name the bodies, their materials and what is missing.
cardan_status cd_compliant_laws(const cardan_model* m, const cd_contact_scene* scene, cd_compliant_law* law,
                                cardan_report* report);
// v_d of regularized friction [m/s]: that of the settings, else 1e-4 of the speed of a fall from twice the size of the largest
// body that touches.
double cd_chosen_friction_speed(const cardan_model* m, const cd_contact_scene* scene);
