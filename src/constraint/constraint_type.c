// SPDX-License-Identifier: BSD-3-Clause
// The table of constraint types, and what their files share.
#include "constraint/constraint.h"

#include "model/carried.h"
#include "model/description.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CD_CONSTRAINT_TYPE(name) extern const cd_constraint_type cd_constraint_##name;
#include "constraint/constraint_types.def"
#undef CD_CONSTRAINT_TYPE

static const cd_constraint_type* const table[] = {
#define CD_CONSTRAINT_TYPE(name) &cd_constraint_##name,
#include "constraint/constraint_types.def"
#undef CD_CONSTRAINT_TYPE
};

int                       cd_constraint_type_count(void) { return (int)(sizeof table / sizeof *table); }
const cd_constraint_type* cd_constraint_type_at(int i) { return table[i]; }

const cd_constraint_type* cd_constraint_type_find(const char* name)
{
    for (int i = 0; i < cd_constraint_type_count(); ++i)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}

bool cd_refuse(const cd_prepare* p, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->why, p->size, format, arguments);
    va_end(arguments);
    return false;
}

bool cd_take_markers(const cd_prepare* p, cd_constraint* c)
{
    for (int k = 0; k < 2; ++k) {
        const int marker = p->described->marker[1 - k]; // the carrier first
        if (marker >= p->m->nmarker) return cd_refuse(p, "there is no marker number %d", marker);
        c->end[k]  = p->m->marker[marker < 0 ? 0 : marker];
        c->body[k] = marker < 0 ? CARDAN_GROUND : p->m->view.marker[marker].body;
    }
    if (c->end[0].link == c->end[1].link) return cd_refuse(p, "both its markers are fixed to the same body");
    c->nend = 2;
    return true;
}

void cd_take_rest(const cd_prepare* p, cd_constraint* c)
{
    cd_ledger*         l    = p->m->description->ledger;
    const cardan_pose* rest = &p->described->rest;
    cardan_pose        carrier;
    double             held[4], back[4], axes[4];
    memcpy(carrier.p, c->end[0].p, sizeof carrier.p);
    carried_of_matrix(l, c->end[0].R, carrier.q);
    carried_pose_point(l, carrier, rest->p, c->end[0].p);
    carried_of_matrix(l, c->end[1].R, held);
    q4_conjugate(rest->q, back);
    carried_mul(l, held, back, axes);
    carried_matrix(l, axes, c->end[1].R);
}

bool cd_take_law(const cd_prepare* p, int i, cd_constraint* c)
{
    if (p->described->law[i] == CARDAN_NONE) return false;
    int before = 0;
    for (int k = 0; k < i; ++k) before += p->described->law[k] != CARDAN_NONE;
    c->law[i]  = 1 + p->first_law + before;
    c->follows = true;
    return true;
}

cd_law_values cd_law_of(const cd_constraint* c, const cd_moment* now, int i)
{
    if (!c->law[i]) return (cd_law_values){r_lift(0), r_lift(0), r_lift(0)};
    const real* law = now->law + 3 * (c->law[i] - 1);
    return (cd_law_values){law[0], law[1], law[2]};
}

bool cd_take_coordinates(const cd_prepare* p, int least, int most, cd_constraint* c)
{
    const cardan_constraint* d = p->described;
    cd_coupled*              k = p->coupled;
    if (d->njoint < least || d->njoint > most)
        return cd_refuse(p, "%d joints are given, and it couples %d%s", d->njoint, least,
                         least == most ? "" : " or more");
    *k         = (cd_coupled){.n = d->njoint, .offset = d->offset};
    c->coupled = k;
    for (int i = 0; i < d->njoint; ++i) {
        if (!cd_coordinate_of(p, d->joint[i], d->axis[i], &k->coordinate[i], i == 0 ? c->end : &k->end[2 * i - 2]))
            return false;
        for (int n = 0; n < i; ++n)
            if (d->joint[i] == d->joint[n] && d->axis[i] == d->axis[n])
                return cd_refuse(p, "it couples joint '%s' with itself", p->m->joint[d->joint[i]].name);
        int* body    = i == 0 ? c->body : &k->body[2 * i - 2];
        body[0]      = p->m->view.joint[d->joint[i]].first;
        body[1]      = p->m->view.joint[d->joint[i]].second;
        k->factor[i] = 1;
    }
    c->nend = 2 * d->njoint;
    c->nrow = c->nposition = 1;
    return true;
}
