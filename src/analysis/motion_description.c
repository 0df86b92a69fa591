// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/motion_description.h"
#include "analysis/analysis_tolerances.h"

#include "dynamics/state.h"
#include "math/quaternion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cd_describe_coordinate(const cardan_model* m, int joint, int axis, char* text, size_t size)
{
    const cardan_index_range range       = m->joint_range[joint];
    const char*              type        = cardan_model_joint_type(m, joint);
    const char*              name        = cardan_model_joint_name(m, joint);
    const bool               is_rotation = cd_joint_velocity_is_rotation(m, joint, axis);
    if (range.nv == 1)
        snprintf(text, size, "'%s'", name);
    else if (strcmp(type, "free") == 0 || strcmp(type, "spherical") == 0)
        snprintf(text, size, "'%s' %s %c", name, is_rotation ? "about" : "along", "xyz"[axis % 3]);
    else if (strcmp(type, "cylindrical") == 0)
        snprintf(text, size, "'%s' %s its axis", name, is_rotation ? "about" : "along");
    else if (strcmp(type, "planar") == 0)
        snprintf(text, size, "'%s' %s %c", name, is_rotation ? "about" : "along", "xyz"[axis]);
    else
        snprintf(text, size, "'%s' coordinate %d", name, axis + 1);
}

void cd_joint_velocities(cardan_data* d, const double* v, double length, double* joint_v)
{
    const cardan_model* m = d->m;
    cd_data_set_velocity(d, v);
    cardan_data_joint_motions(d, NULL, NULL, joint_v, NULL);
    if (m->policy == CARDAN_TREE_MAXIMAL) memset(joint_v, 0, (size_t)m->nv * sizeof *joint_v);
    for (int j = 0; j < m->njoint; ++j)
        for (int i = 0; m->joint_range[j].v >= 0 && i < m->joint_range[j].nv; ++i)
            if (!cd_joint_velocity_is_rotation(m, j, i)) joint_v[m->joint_range[j].v + i] /= length;
}

int cd_joint_entries(const cardan_model* m, int* entry)
{
    int count = 0;
    for (int j = 0; j < m->njoint; ++j)
        for (int i = 0; m->joint_range[j].v >= 0 && i < m->joint_range[j].nv; ++i)
            entry[count++] = m->joint_range[j].v + i;
    return count;
}

// Find the joint and axis of entry i of an array over all joint velocities.
static bool find_entry(const cardan_model* m, int i, int* joint, int* axis)
{
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_index_range range = m->joint_range[j];
        if (range.v < 0 || i < range.v || i >= range.v + range.nv) continue;
        *joint = j;
        *axis  = i - range.v;
        return true;
    }
    return false;
}

static double row_norm_sq(int rows, int count, const double* Z, int row)
{
    double sum = 0;
    for (int k = 0; k < count; ++k)
        sum += Z[(size_t)k * (size_t)rows + (size_t)row] * Z[(size_t)k * (size_t)rows + (size_t)row];
    return sum;
}

// Orthogonalize all rows against `row` (squared norm `square`); set `row` to zero.
static void orthogonalize_rows(int nentry, const int* entry, int rows, int count, double* Z, int row, double square)
{
    for (int e = 0; e < nentry; ++e) {
        if (entry[e] == row) continue;
        double dot = 0;
        for (int k = 0; k < count; ++k)
            dot += Z[(size_t)k * (size_t)rows + (size_t)entry[e]] * Z[(size_t)k * (size_t)rows + (size_t)row];
        for (int k = 0; k < count; ++k)
            Z[(size_t)k * (size_t)rows + (size_t)entry[e]] -= dot / square * Z[(size_t)k * (size_t)rows + (size_t)row];
    }
    for (int k = 0; k < count; ++k) Z[(size_t)k * (size_t)rows + (size_t)row] = 0;
}

int cd_distinguishing_rows(int nentry, const int* entry, int rows, int count, double* Z, int* chosen)
{
    int    found = 0;
    double first = 0;
    for (; found < count; ++found) {
        int    row  = -1;
        double most = cd_distinguishing_row_sq * first;
        for (int e = 0; e < nentry; ++e) {
            const double square = row_norm_sq(rows, count, Z, entry[e]);
            if (square > cd_distinguishing_tie_factor * most) most = square, row = entry[e];
        }
        if (row < 0) break;
        if (found == 0) first = most;
        orthogonalize_rows(nentry, entry, rows, count, Z, row, most);
        chosen[found] = row;
    }
    int sorted = 0;
    for (int e = 0; e < nentry; ++e)
        for (int k = sorted; k < found; ++k)
            if (chosen[k] == entry[e]) {
                chosen[k]        = chosen[sorted];
                chosen[sorted++] = entry[e];
                break;
            }
    return found;
}

bool cd_describe_motions(cardan_data* d, int count, const double* motion, double length, char* text, size_t size)
{
    const cardan_model* m     = d->m;
    const int           rows  = m->nv_joint;
    double*             Z     = cd_allocate((size_t)rows * (size_t)count + (size_t)m->nv + 1, sizeof *Z);
    int*                entry = cd_allocate((size_t)rows + (size_t)count + 1, sizeof *entry);
    if (!Z || !entry) return free(Z), free(entry), false;
    const int nentry  = cd_joint_entries(m, entry);
    double*   saved_v = Z + (size_t)rows * (size_t)count;
    memcpy(saved_v, d->v, (size_t)m->nv * sizeof *saved_v);
    for (int k = 0; k < count; ++k)
        cd_joint_velocities(d, motion + (size_t)k * (size_t)m->nv, length, Z + (size_t)k * (size_t)rows);
    cd_data_set_velocity(d, saved_v);
    size_t used      = 0;
    text[0]          = 0;
    int*      chosen = entry + rows;
    const int found  = cd_distinguishing_rows(nentry, entry, rows, count, Z, chosen);
    for (int k = 0; k < found && used < size; ++k) {
        int  joint, axis;
        char name[160];
        if (!find_entry(m, chosen[k], &joint, &axis)) continue;
        cd_describe_coordinate(m, joint, axis, name, sizeof name);
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", name);
    }
    free(Z);
    free(entry);
    return true;
}

void cd_describe_direction(const double u[3], bool is_rotation, bool with_sign, char* text, size_t size)
{
    const double n     = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    const char*  word  = is_rotation ? "about" : "along";
    int          first = 0;
    for (int i = 0; i < 3; ++i)
        if (fabs(u[i]) > fabs(u[first]) * cd_tie_factor) first = i;
    for (int i = 0; i < 3; ++i)
        if (fabs(u[i]) > 0.97 * n) {
            snprintf(text, size, "%s %s%c", word, with_sign && !is_rotation && u[i] < 0 ? "-" : "", "xyz"[i]);
            return;
        }
    double c[3];
    for (int i = 0; i < 3; ++i) {
        c[i] = (!with_sign && u[first] < 0 ? -u[i] : u[i]) / n;
        if (fabs(c[i]) < 0.005) c[i] = 0;
    }
    snprintf(text, size, "%s (%.2f, %.2f, %.2f)", word, c[0], c[1], c[2]);
}

// m |v|^2 and w'I w of a body: twice its kinetic energies.
static void body_energies(const cardan_body* body, const cardan_motion* motion, double* translational,
                          double* rotational)
{
    double        e[4], w[3];
    const double* I = body->inertia;
    q4_conjugate(motion->q, e);
    q4_rotate(e, motion->w, w);
    *translational =
        body->mass * (motion->v[0] * motion->v[0] + motion->v[1] * motion->v[1] + motion->v[2] * motion->v[2]);
    *rotational = I[0] * w[0] * w[0] + I[1] * w[1] * w[1] + I[2] * w[2] * w[2] +
                  2 * (I[3] * w[0] * w[1] + I[4] * w[0] * w[2] + I[5] * w[1] * w[2]);
}

bool cd_describe_dominant_body(cardan_data* d, const double* v, char* text, size_t size)
{
    const cardan_model* m       = d->m;
    cardan_motion*      body    = cd_allocate((size_t)m->nbody + 1, sizeof *body);
    double*             saved_v = cd_allocate((size_t)m->nv + 1, sizeof *saved_v);
    if (body && saved_v) {
        memcpy(saved_v, d->v, (size_t)m->nv * sizeof *saved_v);
        cd_data_set_velocity(d, v);
        cardan_data_body_motions(d, NULL, body);
        cd_data_set_velocity(d, saved_v);
        double most = -1;
        for (int b = 0; b < m->nbody; ++b) {
            double translational, rotational;
            char   direction[100];
            body_energies(&m->view.body[b], &body[b], &translational, &rotational);
            if (translational + rotational <= most * cd_tie_factor) continue;
            most = translational + rotational;
            cd_describe_direction(rotational > translational ? body[b].w : body[b].v, rotational > translational, true,
                                  direction, sizeof direction);
            snprintf(text, size, "'%s' %s", m->view.body[b].name, direction);
        }
    }
    const bool good = body && saved_v;
    free(body);
    free(saved_v);
    return good;
}

typedef struct energy_share {
    int    body;
    double energy;
    bool   is_rotation;
    double direction[3]; // of the velocity or the angular velocity
} energy_share;

static int by_energy(const void* a, const void* b)
{
    const energy_share *x = a, *y = b;
    if (fabs(x->energy - y->energy) > cd_tie_tolerance * fabs(x->energy + y->energy))
        return x->energy < y->energy ? 1 : -1;
    return x->body - y->body;
}

static double twice_kinetic(const cardan_data* d, const double* M, const double* v)
{
    const int nv  = d->m->nv;
    double    sum = 0;
    for (int i = 0; i < nv; ++i)
        for (int j = 0; j < nv; ++j) sum += v[i] * M[(size_t)i * (size_t)nv + (size_t)j] * v[j];
    return sum;
}

// Add the energies of real and imaginary part per body. The direction is that of the part with the larger energy, of
// the real part if both are equal.
static void collect_energy_shares(cardan_data* d, const double* part[2], cardan_motion* body, energy_share* list)
{
    const cardan_model* m = d->m;
    for (int b = 0; b < m->nbody; ++b) list[b] = (energy_share){.body = b};
    for (int p = 0; p < 2; ++p) {
        cd_data_set_velocity(d, part[p]);
        cardan_data_body_motions(d, NULL, body);
        for (int b = 0; b < m->nbody; ++b) {
            double translational, rotational;
            body_energies(&m->view.body[b], &body[b], &translational, &rotational);
            if (translational + rotational > cd_tie_factor * list[b].energy) {
                list[b].is_rotation = rotational > translational;
                memcpy(list[b].direction, rotational > translational ? body[b].w : body[b].v, sizeof list[b].direction);
            }
            list[b].energy += translational + rotational;
        }
    }
    qsort(list, (size_t)m->nbody, sizeof *list, by_energy);
}

bool cd_describe_mode_shape(cardan_data* d, const double* M, const double* re, const double* im, const double* states,
                            char* text, size_t size)
{
    const cardan_model* m     = d->m;
    const double        total = twice_kinetic(d, M, re) + twice_kinetic(d, M, im);
    cardan_motion*      body  = cd_allocate((size_t)m->nbody + 1, sizeof *body);
    energy_share*       list  = cd_allocate((size_t)m->nbody + 1, sizeof *list);
    size_t              used  = 0;
    text[0]                   = 0;
    if (!(total > 0)) {
        int most = 0;
        for (int i = 1; i < m->nstate; ++i)
            if (states[i] > states[most]) most = i;
        snprintf(text, size, "state '%s'", m->nstate > 0 ? m->view.state[most].name : "");
    } else if (body && list) {
        collect_energy_shares(d, (const double* [2]){re, im}, body, list);
        double described = 0, body_energy = 0;
        for (int b = 0; b < m->nbody; ++b) body_energy += list[b].energy;
        for (int b = 0, n = 0; b < m->nbody && n < 3 && used < size; ++b, ++n) {
            char         direction[80];
            const double part = 100 * list[b].energy / total;
            if (part < (n == 0 ? 0.5 : 5) || described > 0.95 * total) break;
            cd_describe_direction(list[b].direction, list[b].is_rotation, false, direction, sizeof direction);
            used += (size_t)snprintf(text + used, size - used, "%s%s %.0f %% %s", n ? ", " : "",
                                     m->view.body[list[b].body].name, part, direction);
            described += list[b].energy;
        }
        if (body_energy < 0.9 * total && used < size)
            snprintf(text + used, size - used, "%srotors %.0f %%", used ? ", " : "", 100 * (1 - body_energy / total));
    }
    const bool good = body && list;
    free(body);
    free(list);
    return good;
}
