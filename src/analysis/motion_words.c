// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/motion_words.h"

#include "math/quaternion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cd_turns(const cardan_model* m, int joint, int i)
{
    return strcmp(cardan_model_v_unit(m, joint, i), "rad/s") == 0;
}

void cd_coordinate_name(const cardan_model* m, int joint, int axis, char* text, size_t size)
{
    const cardan_slot place = m->place[joint];
    const char*       type  = cardan_model_joint_type(m, joint);
    const char*       name  = cardan_model_joint_name(m, joint);
    const bool        turn  = cd_turns(m, joint, axis);
    if (place.nv == 1)
        snprintf(text, size, "'%s'", name);
    else if (strcmp(type, "free") == 0 || strcmp(type, "spherical") == 0)
        snprintf(text, size, "'%s' %s %c", name, turn ? "about" : "along", "xyz"[axis % 3]);
    else if (strcmp(type, "cylindrical") == 0)
        snprintf(text, size, "'%s' %s its axis", name, turn ? "about" : "along");
    else if (strcmp(type, "planar") == 0)
        snprintf(text, size, "'%s' %s %c", name, turn ? "about" : "along", "xyz"[axis]);
    else
        snprintf(text, size, "'%s' coordinate %d", name, axis + 1);
}

void cd_joint_motion(cardan_data* d, const double* v, double length, double* joint_v)
{
    const cardan_model* m = d->m;
    cd_set_velocity(d, v);
    cardan_joint_values(d, NULL, NULL, joint_v, NULL);
    if (m->policy == CARDAN_TREE_FLAT) memset(joint_v, 0, (size_t)m->nv * sizeof *joint_v);
    for (int j = 0; j < m->njoint; ++j)
        for (int i = 0; m->place[j].v >= 0 && i < m->place[j].nv; ++i)
            if (!cd_turns(m, j, i)) joint_v[m->place[j].v + i] /= length;
}

int cd_joint_entries(const cardan_model* m, int* entry)
{
    int count = 0;
    for (int j = 0; j < m->njoint; ++j)
        for (int i = 0; m->place[j].v >= 0 && i < m->place[j].nv; ++i) entry[count++] = m->place[j].v + i;
    return count;
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

static double row_square(int rows, int count, const double* Z, int row)
{
    double sum = 0;
    for (int k = 0; k < count; ++k)
        sum += Z[(size_t)k * (size_t)rows + (size_t)row] * Z[(size_t)k * (size_t)rows + (size_t)row];
    return sum;
}

// Takes the direction of one row out of all.
static void take_out(int nentry, const int* entry, int rows, int count, double* Z, int row, double square)
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

int cd_telling_rows(int nentry, const int* entry, int rows, int count, double* Z, int* chosen)
{
    int    found = 0;
    double first = 0;
    for (; found < count; ++found) {
        int    row  = -1;
        double most = 1e-12 * first;
        for (int e = 0; e < nentry; ++e) {
            const double square = row_square(rows, count, Z, entry[e]);
            if (square > 1.001 * most) most = square, row = entry[e];
        }
        if (row < 0) break;
        if (found == 0) first = most;
        take_out(nentry, entry, rows, count, Z, row, most);
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

bool cd_motion_names(cardan_data* d, int count, const double* motion, double length, char* text, size_t size)
{
    const cardan_model* m     = d->m;
    const int           rows  = m->nv_all;
    double*             Z     = cd_allocate((size_t)rows * (size_t)count + (size_t)m->nv + 1, sizeof *Z);
    int*                entry = cd_allocate((size_t)rows + (size_t)count + 1, sizeof *entry);
    if (!Z || !entry) return free(Z), free(entry), false;
    const int nentry = cd_joint_entries(m, entry);
    double*   kept   = Z + (size_t)rows * (size_t)count;
    memcpy(kept, d->v, (size_t)m->nv * sizeof *kept);
    for (int k = 0; k < count; ++k)
        cd_joint_motion(d, motion + (size_t)k * (size_t)m->nv, length, Z + (size_t)k * (size_t)rows);
    cd_set_velocity(d, kept);
    size_t used      = 0;
    text[0]          = 0;
    int*      chosen = entry + rows;
    const int found  = cd_telling_rows(nentry, entry, rows, count, Z, chosen);
    for (int k = 0; k < found && used < size; ++k) {
        int  joint, axis;
        char name[160];
        if (!find_entry(m, chosen[k], &joint, &axis)) continue;
        cd_coordinate_name(m, joint, axis, name, sizeof name);
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", name);
    }
    free(Z);
    free(entry);
    return true;
}

void cd_way_word(const double u[3], bool turn, bool sign, char* text, size_t size)
{
    const double n     = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    const char*  word  = turn ? "about" : "along";
    int          first = 0;
    for (int i = 0; i < 3; ++i)
        if (fabs(u[i]) > fabs(u[first]) * (1 + 1e-6)) first = i;
    for (int i = 0; i < 3; ++i)
        if (fabs(u[i]) > 0.97 * n) {
            snprintf(text, size, "%s %s%c", word, sign && !turn && u[i] < 0 ? "-" : "", "xyz"[i]);
            return;
        }
    double c[3];
    for (int i = 0; i < 3; ++i) {
        c[i] = (!sign && u[first] < 0 ? -u[i] : u[i]) / n;
        if (fabs(c[i]) < 0.005) c[i] = 0;
    }
    snprintf(text, size, "%s (%.2f, %.2f, %.2f)", word, c[0], c[1], c[2]);
}

// m |v|^2 and w'I w of a body.
static void energies(const cardan_body* body, const cardan_motion* motion, double* way, double* turn)
{
    double        e[4], w[3];
    const double* I = body->inertia;
    q4_conjugate(motion->q, e);
    q4_rotate(e, motion->w, w);
    *way  = body->mass * (motion->v[0] * motion->v[0] + motion->v[1] * motion->v[1] + motion->v[2] * motion->v[2]);
    *turn = I[0] * w[0] * w[0] + I[1] * w[1] * w[1] + I[2] * w[2] * w[2] +
            2 * (I[3] * w[0] * w[1] + I[4] * w[0] * w[2] + I[5] * w[1] * w[2]);
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
            cd_way_word(turn > way ? body[b].w : body[b].v, turn > way, true, how, sizeof how);
            snprintf(text, size, "'%s' %s", m->view.body[b].name, how);
        }
    }
    const bool good = body && kept;
    free(body);
    free(kept);
    return good;
}

typedef struct share {
    int    body;
    double energy;
    bool   turn;
    double way[3]; // of its velocity or angular velocity
} share;

static int by_energy(const void* a, const void* b)
{
    const share *x = a, *y = b;
    if (fabs(x->energy - y->energy) > 1e-6 * fabs(x->energy + y->energy)) return x->energy < y->energy ? 1 : -1;
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

// Energies of both parts in one list; ways are those of the larger part, of the first where they are alike.
static void gather_shares(cardan_data* d, const double* part[2], cardan_motion* body, share* list)
{
    const cardan_model* m = d->m;
    for (int b = 0; b < m->nbody; ++b) list[b] = (share){.body = b};
    for (int p = 0; p < 2; ++p) {
        cd_set_velocity(d, part[p]);
        cardan_bodies(d, NULL, body);
        for (int b = 0; b < m->nbody; ++b) {
            double way, turn;
            energies(&m->view.body[b], &body[b], &way, &turn);
            if (way + turn > (1 + 1e-6) * list[b].energy) {
                list[b].turn = turn > way;
                memcpy(list[b].way, turn > way ? body[b].w : body[b].v, sizeof list[b].way);
            }
            list[b].energy += way + turn;
        }
    }
    qsort(list, (size_t)m->nbody, sizeof *list, by_energy);
}

bool cd_shape_words(cardan_data* d, const double* M, const double* re, const double* im, const double* states,
                    char* text, size_t size)
{
    const cardan_model* m     = d->m;
    const double        total = twice_kinetic(d, M, re) + twice_kinetic(d, M, im);
    cardan_motion*      body  = cd_allocate((size_t)m->nbody + 1, sizeof *body);
    share*              list  = cd_allocate((size_t)m->nbody + 1, sizeof *list);
    size_t              used  = 0;
    text[0]                   = 0;
    if (!(total > 0)) {
        int most = 0;
        for (int i = 1; i < m->nstate; ++i)
            if (states[i] > states[most]) most = i;
        snprintf(text, size, "state '%s'", m->nstate > 0 ? m->view.state[most].name : "");
    } else if (body && list) {
        gather_shares(d, (const double* [2]){re, im}, body, list);
        double told = 0, known = 0;
        for (int b = 0; b < m->nbody; ++b) known += list[b].energy;
        for (int b = 0, n = 0; b < m->nbody && n < 3 && used < size; ++b, ++n) {
            char         how[80];
            const double part = 100 * list[b].energy / total;
            if (part < (n == 0 ? 0.5 : 5) || told > 0.95 * total) break;
            cd_way_word(list[b].way, list[b].turn, false, how, sizeof how);
            used += (size_t)snprintf(text + used, size - used, "%s%s %.0f %% %s", n ? ", " : "",
                                     m->view.body[list[b].body].name, part, how);
            told += list[b].energy;
        }
        if (known < 0.9 * total && used < size)
            snprintf(text + used, size - used, "%srotors %.0f %%", used ? ", " : "", 100 * (1 - known / total));
    }
    const bool good = body && list;
    free(body);
    free(list);
    return good;
}
