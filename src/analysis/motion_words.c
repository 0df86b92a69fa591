// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/motion_words.h"

#include "math/quaternion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cd_turns(const cardan_model* m, int joint, int i) { return strcmp(cardan_model_v_unit(m, joint, i), "rad/s") == 0; }

void cd_coordinate_name(const cardan_model* m, int joint, int axis, char* text, size_t size)
{
    const cardan_slot place = m->place[joint];
    const char*       type  = cardan_model_joint_type(m, joint);
    const char*       name  = cardan_model_joint_name(m, joint);
    const bool        turn  = cd_turns(m, joint, axis);
    if (place.nv == 1) snprintf(text, size, "'%s'", name);
    else if (strcmp(type, "free") == 0 || strcmp(type, "spherical") == 0) snprintf(text, size, "'%s' %s %c", name, turn ? "about" : "along", "xyz"[axis % 3]);
    else if (strcmp(type, "cylindrical") == 0) snprintf(text, size, "'%s' %s its axis", name, turn ? "about" : "along");
    else if (strcmp(type, "planar") == 0) snprintf(text, size, "'%s' %s %c", name, turn ? "about" : "along", "xyz"[axis]);
    else snprintf(text, size, "'%s' coordinate %d", name, axis + 1);
}

void cd_joint_motion(cardan_data* d, const double* v, double length, double* joint_v)
{
    const cardan_model* m = d->m;
    cd_set_velocity(d, v);
    cardan_joint_values(d, NULL, NULL, joint_v, NULL);
    for (int j = 0; j < m->njoint; ++j)
        for (int i = 0; m->place[j].v >= 0 && i < m->place[j].nv; ++i)
            if (!cd_turns(m, j, i)) joint_v[m->place[j].v + i] /= length;
}

// Joint and axis of entry i of the longer arrays.
static bool find_entry(const cardan_model* m, int i, int* joint, int* axis)
{
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_slot place = m->place[j];
        if (place.v < 0 || i < place.v || i >= place.v + place.nv) continue;
        *joint = j;
        *axis  = i - place.v;
        return true;
    }
    return false;
}

// The next pivot of Z (rows x count): its column is taken out of the others and becomes zero. Returns its row, or -1.
static int eliminate(int rows, int count, double* Z)
{
    int    row = -1, column = -1;
    double most = 0;
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < count; ++k)
            if (fabs(Z[(size_t)k * (size_t)rows + (size_t)i]) > 1.001 * most) most = fabs(Z[(size_t)k * (size_t)rows + (size_t)i]), row = i, column = k;
    if (row < 0) return -1;
    double* pivot = Z + (size_t)column * (size_t)rows;
    for (int k = 0; k < count; ++k) {
        double* other = Z + (size_t)k * (size_t)rows;
        if (k == column) continue;
        const double factor = other[row] / pivot[row];
        for (int i = 0; i < rows; ++i) other[i] -= factor * pivot[i];
    }
    memset(pivot, 0, (size_t)rows * sizeof *pivot);
    return row;
}

bool cd_motion_names(cardan_data* d, int count, const double* motion, double length, char* text, size_t size)
{
    const cardan_model* m    = d->m;
    const int           rows = m->nv_all;
    double*             Z    = cd_allocate((size_t)rows * (size_t)count + (size_t)m->nv + 1, sizeof *Z);
    if (!Z) return false;
    double* kept = Z + (size_t)rows * (size_t)count;
    memcpy(kept, d->v, (size_t)m->nv * sizeof *kept);
    for (int k = 0; k < count; ++k) cd_joint_motion(d, motion + (size_t)k * (size_t)m->nv, length, Z + (size_t)k * (size_t)rows);
    cd_set_velocity(d, kept);
    size_t used = 0;
    text[0]     = 0;
    for (int k = 0; k < count && used < size; ++k) {
        int       joint, axis;
        char      name[160];
        const int row = eliminate(rows, count, Z);
        if (row < 0 || !find_entry(m, row, &joint, &axis)) continue;
        cd_coordinate_name(m, joint, axis, name, sizeof name);
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", name);
    }
    free(Z);
    return true;
}

void cd_way_word(const double u[3], bool turn, char* text, size_t size)
{
    const double n    = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    const char*  word = turn ? "about" : "along";
    for (int i = 0; i < 3; ++i)
        if (fabs(u[i]) > 0.995 * n) {
            snprintf(text, size, "%s %s%c", word, !turn && u[i] < 0 ? "-" : "", "xyz"[i]);
            return;
        }
    snprintf(text, size, "%s (%.2g, %.2g, %.2g)", word, u[0] / n, u[1] / n, u[2] / n);
}

// m |v|^2 and w'I w of a body.
static void energies(const cardan_body* body, const cardan_motion* motion, double* way, double* turn)
{
    double        e[4], w[3];
    const double* I = body->inertia;
    q4_conjugate(motion->q, e);
    q4_rotate(e, motion->w, w);
    *way  = body->mass * (motion->v[0] * motion->v[0] + motion->v[1] * motion->v[1] + motion->v[2] * motion->v[2]);
    *turn = I[0] * w[0] * w[0] + I[1] * w[1] * w[1] + I[2] * w[2] * w[2] + 2 * (I[3] * w[0] * w[1] + I[4] * w[0] * w[2] + I[5] * w[1] * w[2]);
}

bool cd_mover_name(cardan_data* d, const double* v, char* text, size_t size)
{
    const cardan_model* m    = d->m;
    cardan_motion*      body = cd_allocate((size_t)m->nbody + 1, sizeof *body);
    double*             kept = cd_allocate((size_t)m->nv + 1, sizeof *kept);
    if (body && kept) {
        memcpy(kept, d->v, (size_t)m->nv * sizeof *kept);
        cd_set_velocity(d, v);
        cardan_bodies(d, NULL, body);
        cd_set_velocity(d, kept);
        double most = -1;
        for (int b = 0; b < m->nbody; ++b) {
            double way, turn;
            char   how[100];
            energies(&m->view.body[b], &body[b], &way, &turn);
            if (way + turn <= most * (1 + 1e-6)) continue;
            most = way + turn;
            cd_way_word(turn > way ? body[b].w : body[b].v, turn > way, how, sizeof how);
            snprintf(text, size, "'%s' %s", m->view.body[b].name, how);
        }
    }
    const bool good = body && kept;
    free(body);
    free(kept);
    return good;
}
