// SPDX-License-Identifier: BSD-3-Clause
// Poses of bodies and markers in the design configuration. A frame may be given relative to another, which may be
// defined later; chains of such frames are processed in a loop, so that their length is not limited.
#include "io/yaml/read_model.h"

#include "core/memory.h"
#include "model/parametric_pose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cd_model_element element_of(cd_reader* r, const cd_definition* def)
{
    return (cd_model_element){.reader  = r,
                              .level   = def->level,
                              .node    = def->value,
                              .section = def->is_body ? "body" : "marker",
                              .label   = def->is_body ? "body" : "marker",
                              .name    = def->name};
}

static const cd_yaml* key_of(const cd_definition* def, const char* key) { return cd_yaml_get(def->value, key); }

bool cd_read_frame(const cd_model_element* e, const cd_frame* base, const double origin[3], cd_frame* frame)
{
    const cd_yaml *at = cd_yaml_get(e->node, "at"), *orientation = cd_yaml_get(e->node, "orientation");
    double         p[3], R[3][3]                                 = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(p, origin, sizeof p);
    bool ok = true;
    if (at) ok = cd_read_position(e, at, base, p);
    if (orientation) ok = cd_read_orientation(e, orientation, base, R) && ok;
    *frame = cd_frame_from_base(cd_element_parametric(e), base, p, R, e->level->placement->sign);
    return ok;
}

// Compute the mass centre, which is the origin of a body without `at`.
static bool centre_of(const cd_model_element* e, const cd_frame* base, double world[3])
{
    const cd_yaml* centre = cd_yaml_get(e->node, "centre");
    memcpy(world, base->p, sizeof base->p);
    if (cd_yaml_get(e->node, "rod")) return cd_rod_centre(e, base, world);
    if (cd_yaml_get(e->node, "mesh") || cd_yaml_get(e->node, "hull")) return cd_mesh_centre(e, base, world);
    return !centre || cd_read_position(e, centre, base, world);
}

static bool compute_frame(cd_reader* r, cd_definition* def)
{
    const cd_model_element e = element_of(r, def);
    cd_frame               base =
        def->relative_to ? cd_relative_base(def->level, def->relative_to->frame) : *cd_level_base(def->level);
    double origin[3];
    if (!(def->frame = cd_pool_alloc(&r->pool, 1, sizeof *def->frame))) return cd_reader_fail_no_memory(r);
    memcpy(origin, base.p, sizeof origin);
    def->frame_at_centre = def->is_body && !def->relative_to && !key_of(def, "at");
    if (def->frame_at_centre && !centre_of(&e, &base, origin)) return false;
    if (!cd_read_frame(&e, &base, origin, def->frame)) return false;
    if (def->relative_to) { // restore a rotation matrix against round-off of long chains
        double q[4];
        par_q4_of_matrix(r->description->parametric, (const double*)def->frame->R, q);
        par_q4_matrix(r->description->parametric, q, (double*)def->frame->R);
    }
    return true;
}

// Find the frame that must be evaluated first; *ok is false after an error.
static cd_definition* find_relative_frame(cd_reader* r, cd_definition* def, bool* ok)
{
    const cd_yaml* node = key_of(def, "relative");
    if (!node) return NULL;
    const cd_model_element e = element_of(r, def);
    def->relative_to         = cd_resolve_reference(&e, CD_DEFINITION_FRAME, node, "body or marker");
    *ok                      = def->relative_to != NULL;
    if (*ok && def->relative_to->status == CD_DEFINITION_IN_PROGRESS)
        *ok = cd_element_fail(&e, node, "it is defined relative to '%s', which is defined relative to it",
                              def->relative_to->name);
    return def->relative_to;
}

bool cd_evaluate_frame(cd_reader* r, cd_definition* def)
{
    cd_definition** chain    = NULL;
    int             capacity = 0, count = 0;
    bool            ok = true;
    for (cd_definition* d = def; d && ok && d->status == CD_DEFINITION_UNREAD; d = find_relative_frame(r, d, &ok)) {
        if (!cd_array_grow((void**)&chain, &capacity, count, sizeof(cd_definition*)))
            return free(chain), cd_reader_fail_no_memory(r);
        d->status      = CD_DEFINITION_IN_PROGRESS;
        chain[count++] = d;
    }
    while (count > 0) {
        cd_definition* d = chain[--count];
        ok = ok && !(d->relative_to && d->relative_to->status == CD_DEFINITION_FAILED) && !d->value->has_error &&
             compute_frame(r, d);
        d->status = ok ? CD_DEFINITION_DONE : CD_DEFINITION_FAILED;
        if (!ok) d->value->has_error = true;
    }
    free(chain);
    return def->status == CD_DEFINITION_DONE;
}

bool cd_read_base(const cd_model_element* e, cd_frame* base)
{
    const cd_yaml* node = cd_yaml_get(e->node, "relative");
    *base               = *cd_level_base(e->level);
    if (!node) return true;
    cd_definition* def = cd_resolve_reference(e, CD_DEFINITION_FRAME, node, "body or marker");
    if (!def || !cd_evaluate_frame(e->reader, def)) return false;
    *base = cd_relative_base(e->level, def->frame);
    return true;
}

bool cd_read_body_reference(const cd_model_element* e, const cd_yaml* node, cd_definition** body)
{
    cd_definition* def = cd_resolve_reference(e, CD_DEFINITION_FRAME, node, "body");
    if (!def) return false;
    if (!def->is_body) return cd_element_fail(e, node, "'%s' is a marker; the value must be a body", def->name);
    *body = def;
    return cd_evaluate_frame(e->reader, def);
}
