// SPDX-License-Identifier: BSD-3-Clause
// Error scales of coordinates, velocities and user states, from the units of the model.
#include "simulation/ode/ode_system.h"

#include "math/norm_inf.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Mark the velocities first to last as components of one vector.
static void join_components(cd_ode_system* system, int first, int last)
{
    for (int i = first; i <= last; ++i) {
        system->scale.z_vector_first[i] = first;
        system->scale.z_vector_last[i]  = last;
    }
}

// Set the error scales of one joint. Angles: 1 rad, whatever the winding number. Lengths and speeds: their magnitude,
// and at least 0.1 m (/s), or the length scale of the mechanism if that is smaller. Consecutive speeds of one joint
// are components of one velocity, in axes that do not rotate with it; angular velocities rotate with the body, and
// components that are small compared with the spin are scaled by themselves.
static void scale_joint(cd_ode_system* system, int joint, cardan_index_range range)
{
    const double length = fmin(0.1, system->data->units.length_scale);
    int          first  = range.v; // first of the speeds before i
    for (int i = 0, iq = range.q; i < range.nv;) {
        const int v = range.v + i;
        if (system->q_of_v[v] < CARDAN_NONE) {
            system->quaternion_q[CARDAN_NONE - 1 - system->q_of_v[v]] = iq;
            system->q_of_v[v]                                         = CARDAN_NONE;
            i += 3;
            iq += 4;
            first = range.v + i;
            continue;
        }
        const bool angle             = strncmp(cardan_model_v_unit(system->model, joint, i), "rad", 3) == 0;
        system->q_of_v[v]            = iq;
        system->scale.q_floor[iq]    = angle ? 1 : length;
        system->scale.q_relative[iq] = angle ? 0 : 1;
        system->scale.z_floor[v]     = angle ? 1 : length;
        if (angle)
            first = v + 1;
        else
            join_components(system, first, v);
        ++i;
        ++iq;
    }
}

void cd_ode_system_set_error_scales(cd_ode_system* system)
{
    const cardan_model_view view = cardan_model_get_view(system->model);
    for (int i = 0; i < system->nv; ++i) system->q_of_v[i] = CARDAN_NONE;
    // marked for scale_joint
    for (int i = 0; i < system->nquaternion; ++i) system->q_of_v[system->quaternion_v[i]] = CARDAN_NONE - 1 - i;
    for (int i = 0; i < system->nq; ++i) {
        system->scale.q_floor[i]    = 1;
        system->scale.q_relative[i] = 0;
    }
    for (int i = 0; i < system->nz; ++i) {
        system->scale.z_floor[i]    = i < system->nv ? 1 : 0.1;
        system->scale.z_relative[i] = 1;
        join_components(system, i, i);
    }
    for (int j = 0; j < view.ntree_range; ++j)
        if (view.tree_range[j].v >= 0) scale_joint(system, j, view.tree_range[j]);
    // the work is only reported: its scale is a thousand times larger
    system->scale.z_floor[system->nz - 1]    = 1000;
    system->scale.z_relative[system->nz - 1] = 1000;
}

// The scale is at least the round-off of the value.
double cd_q_error_scale(const cd_ode_system* system, int i, double magnitude)
{
    return fmax(system->settings.tolerance * (system->scale.q_floor[i] + system->scale.q_relative[i] * magnitude),
                10 * DBL_EPSILON * magnitude);
}

double cd_z_error_scale(const cd_ode_system* system, int i, double magnitude)
{
    return fmax(system->settings.tolerance * (system->scale.z_floor[i] + system->scale.z_relative[i] * magnitude),
                10 * DBL_EPSILON * magnitude);
}

double cd_z_magnitude(const cd_ode_system* system, int i, const double* z)
{
    const int first = system->scale.z_vector_first[i], last = system->scale.z_vector_last[i];
    if (first == last) return fabs(z[i]);
    double sum = 0;
    for (int k = first; k <= last; ++k) sum += z[k] * z[k];
    return sqrt(sum);
}

// In maximal coordinates the first three velocities of every body are lengths per second.
double cd_velocity_scale(const cd_ode_system* system, const double* v)
{
    const double inv_length = 1 / system->data->units.length_scale;
    double       largest[6] = {0}, velocity_scale = 0;
    for (int i = 0; system->model->all_links_free && i < system->nv; i += 6)
        for (int k = 0; k < 6; ++k) largest[k] = cd_max(largest[k], fabs(v[i + k]));
    for (int k = 0; k < 6; ++k) velocity_scale = cd_max(velocity_scale, k < 3 ? largest[k] * inv_length : largest[k]);
    for (int i = 0; !system->model->all_links_free && i < system->nv; ++i)
        velocity_scale = cd_max(velocity_scale, fabs(v[i]) * (system->scale.z_floor[i] < 1 ? inv_length : 1));
    return velocity_scale;
}
