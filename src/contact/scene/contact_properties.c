// SPDX-License-Identifier: BSD-3-Clause
// Properties of a pair of materials: its entry in the description, completed by the settings.
#include "contact/scene/scene_compiler.h"

static cardan_contact_stiffness completed(cardan_contact_stiffness own, const cardan_contact_stiffness* settings)
{
    if (!(own.stiffness > 0)) own.stiffness = settings->stiffness;
    if (!(own.exponent > 0)) own.exponent = settings->exponent;
    if (!(own.exponent > 0)) own.exponent = 1.5;
    if (!(own.damping > 0)) own.damping = settings->damping;
    if (!(own.restitution_speed > 0)) own.restitution_speed = settings->restitution_speed;
    return own;
}

bool cd_contact_properties_find(const cardan_model* m, int first, int second, cd_contact_properties* p)
{
    const cardan_contact_settings* settings = m->view.contact_settings;
    for (int i = 0; i < m->view.nmaterial_pair; ++i) {
        const cardan_material_pair* pair = &m->view.material_pair[i];
        if (!((pair->material[0] == first && pair->material[1] == second) ||
              (pair->material[0] == second && pair->material[1] == first)))
            continue;
        *p = (cd_contact_properties){.material         = {first, second},
                                     .static_friction  = pair->static_friction,
                                     .kinetic_friction = pair->kinetic_friction,
                                     .stribeck_speed   = pair->stribeck_speed,
                                     .rolling          = pair->rolling_friction,
                                     .spinning         = pair->spinning_friction,
                                     .restitution = pair->restitution < 0 ? settings->restitution : pair->restitution,
                                     .compliance  = completed(pair->compliance, &settings->compliance)};
        for (int k = 0; k < 2; ++k) {
            p->young_modulus[k] = m->view.material[p->material[k]].young_modulus;
            p->poisson_ratio[k] = m->view.material[p->material[k]].poisson_ratio;
        }
        return true;
    }
    return false;
}
