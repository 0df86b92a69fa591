// SPDX-License-Identifier: BSD-3-Clause
// Where bodies and markers stand in the design position. A frame may be placed relative to another, which may be
// defined later; chains of such frames are followed in a loop, however long they are.
#include "io/read.h"

#include "core/memory.h"
#include "model/carried.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cd_def* cd_definition(cd_reader* r, cd_def_kind kind, const cd_level* level, const cd_yaml_entry* entry)
{
    if (entry->key->broken) return NULL;
    const cd_element e    = {.reader = r, .level = level, .node = entry->value};
    const char*      name = cd_substitute(&e, entry->key);
    char             full[1024];
    if (!name || snprintf(full, sizeof full, "%s%s", level->prefix, name) >= (int)sizeof full) return NULL;
    return cd_find_full(r, kind, full);
}

static cd_element element_of(cd_reader* r, const cd_def* def)
{
    return (cd_element){.reader  = r,
                        .level   = def->level,
                        .node    = def->value,
                        .section = def->body ? "body" : "marker",
                        .label   = def->body ? "body" : "marker",
                        .name    = def->name};
}

static const cd_yaml* key_of(const cd_def* def, const char* key) { return cd_yaml_get(def->value, key); }

bool cd_placed_frame(const cd_element* e, const cd_frame* base, const double origin[3], cd_frame* frame)
{
    const cd_yaml *at = cd_yaml_get(e->node, "at"), *orientation = cd_yaml_get(e->node, "orientation");
    double         p[3], R[3][3]                                 = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(p, origin, sizeof p);
    bool ok = true;
    if (at) ok = cd_position(e, at, base, p);
    if (orientation) ok = cd_orientation(e, orientation, base, R) && ok;
    *frame = cd_frame_in(cd_ledger_at(e), base, p, R, e->level->placement->sign);
    return ok;
}

// Without a place of its own a body's frame stands at its mass centre.
static bool centre_of(const cd_element* e, const cd_frame* base, double world[3])
{
    const cd_yaml* centre = cd_yaml_get(e->node, "centre");
    memcpy(world, base->p, sizeof base->p);
    if (cd_yaml_get(e->node, "rod")) return cd_rod_centre(e, base, world);
    return !centre || cd_position(e, centre, base, world);
}

static bool compute(cd_reader* r, cd_def* def)
{
    const cd_element e = element_of(r, def);
    cd_frame base = def->relative ? cd_relative_base(def->level, def->relative->frame) : *cd_level_base(def->level);
    double   origin[3];
    if (!(def->frame = cd_pool_take(&r->pool, 1, sizeof *def->frame))) return cd_reader_no_memory(r);
    memcpy(origin, base.p, sizeof origin);
    def->fresh = def->body && !def->relative && !key_of(def, "at");
    if (def->fresh && !centre_of(&e, &base, origin)) return false;
    if (!cd_placed_frame(&e, &base, origin, def->frame)) return false;
    if (def->relative) { // however long the chain, a rotation
        double q[4];
        carried_of_matrix(r->description->ledger, (const double*)def->frame->R, q);
        carried_matrix(r->description->ledger, q, (double*)def->frame->R);
    }
    return true;
}

// The frame that must be known first; *ok is false after a mistake.
static cd_def* needed(cd_reader* r, cd_def* def, bool* ok)
{
    const cd_yaml* node = key_of(def, "relative");
    if (!node) return NULL;
    const cd_element e = element_of(r, def);
    def->relative      = cd_refer(&e, CD_DEF_FRAME, node, "body or marker");
    *ok                = def->relative != NULL;
    if (*ok && def->relative->stage == CD_READING)
        *ok = cd_element_fail(&e, node, "it is placed relative to '%s', which is placed relative to it",
                              def->relative->name);
    return def->relative;
}

bool cd_frame_of(cd_reader* r, cd_def* def)
{
    cd_def** chain    = NULL;
    int      capacity = 0, count = 0;
    bool     ok = true;
    for (cd_def* d = def; d && ok && d->stage == CD_UNREAD; d = needed(r, d, &ok)) {
        if (!cd_grow((void**)&chain, &capacity, count, sizeof(cd_def*))) return free(chain), cd_reader_no_memory(r);
        d->stage       = CD_READING;
        chain[count++] = d;
    }
    while (count > 0) {
        cd_def* d = chain[--count];
        ok        = ok && !(d->relative && d->relative->stage == CD_FAILED) && !d->value->broken && compute(r, d);
        d->stage  = ok ? CD_READ : CD_FAILED;
        if (!ok) d->value->broken = true;
    }
    free(chain);
    return def->stage == CD_READ;
}

bool cd_base_of(const cd_element* e, cd_frame* base)
{
    const cd_yaml* node = cd_yaml_get(e->node, "relative");
    *base               = *cd_level_base(e->level);
    if (!node) return true;
    cd_def* def = cd_refer(e, CD_DEF_FRAME, node, "body or marker");
    if (!def || !cd_frame_of(e->reader, def)) return false;
    *base = cd_relative_base(e->level, def->frame);
    return true;
}

bool cd_body_of(const cd_element* e, const cd_yaml* node, cd_def** body)
{
    cd_def* def = cd_refer(e, CD_DEF_FRAME, node, "body");
    if (!def) return false;
    if (!def->body) return cd_element_fail(e, node, "'%s' is a marker, and a body is needed here", def->name);
    *body = def;
    return cd_frame_of(e->reader, def);
}
