// SPDX-License-Identifier: BSD-3-Clause
// Scene of a model: shapes with a material, and the pairs of them that may touch, with the properties of their materials.
#include "contact/scene/scene_compiler.h"

#include "contact/shape/shape.h"
#include "math/quaternion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIR_POINTS_MAX = 16, SET_POINTS_MAX = 256 };

static const char* body_name(const cardan_model* m, int body)
{
    return body == CARDAN_GROUND ? "ground" : m->view.body[body].name;
}

static void layout(cd_contact_scene* s)
{
    CD_ARENA_ARRAY(&s->arena, s->shape, s->nshape);
    CD_ARENA_ARRAY(&s->arena, s->pair, s->npair);
    CD_ARENA_ARRAY(&s->arena, s->properties, s->nproperties);
}

// Frame of a shape on the link of its body: frames of the body times that of the shape in it.
static cd_link_frame frame_on_link(const cardan_model* m, const cardan_shape* shape)
{
    static const cd_link_frame ground = {.link = -1, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const cd_link_frame*       body   = shape->body == CARDAN_GROUND ? &ground : &m->body[shape->body];
    cd_link_frame              f      = {.link = body->link};
    double                     R[9];
    q4_matrix(shape->pose.q, R);
    for (int i = 0; i < 3; ++i) {
        f.p[i] = body->p[i];
        for (int k = 0; k < 3; ++k) {
            f.p[i] += body->R[3 * i + k] * shape->pose.p[k];
            for (int j = 0; j < 3; ++j) f.R[3 * i + k] += body->R[3 * i + j] * R[3 * j + k];
        }
    }
    return f;
}

static int points_of_pair(const cd_shape_geometry* a, const cd_shape_geometry* b)
{
    const bool round  = a->kind == CD_SHAPE_SPHERE || b->kind == CD_SHAPE_SPHERE;
    const bool convex = cd_shape_type_of(a)->convex && cd_shape_type_of(b)->convex;
    return round && convex ? 1 : PAIR_POINTS_MAX;
}

// Whether two shapes form a pair.
static bool is_pair(const cardan_model* m, const cardan_shape* a, const cardan_shape* b)
{
    return a->material && b->material && cd_bodies_may_touch(m, a->body, b->body);
}

static cardan_status fail_properties(const cardan_model* m, const cardan_shape* a, const cardan_shape* b,
                                     cardan_report* report)
{
    return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, b->location,
                       "'%s' and '%s' may touch, but the pair of materials '%s' and '%s' has no entry: add '[%s, %s]: "
                       "{mu: ...}' under "
                       "'friction', or the bodies under 'contacts: ignore'",
                       body_name(m, a->body), body_name(m, b->body), a->material, b->material, a->material,
                       b->material);
}

// Index of the properties of two materials; adds them if they are new.
static int properties_of(const cardan_model* m, cd_contact_scene* s, int first, int second)
{
    for (int i = 0; i < s->nproperties; ++i)
        if (s->properties[i].material[0] == first && s->properties[i].material[1] == second) return i;
    return cd_contact_properties_find(m, first, second, &s->properties[s->nproperties]) ? s->nproperties++
                                                                                        : CARDAN_NONE;
}

static cardan_status compile_shapes(const cardan_model* m, cd_contact_scene* s, cardan_report* report)
{
    s->nshape = 0;
    for (int i = 0; i < m->view.nshape; ++i) {
        const cardan_shape* shape = &m->view.shape[i];
        if (!shape->material) continue;
        cd_scene_shape* to = &s->shape[s->nshape];
        *to                = (cd_scene_shape){.frame    = frame_on_link(m, shape),
                                              .body     = shape->body,
                                              .shape    = i,
                                              .material = cardan_description_find_material(m->description, shape->material)};
        if (to->material == CARDAN_NONE)
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, shape->location,
                               "a shape of '%s': there is no material '%s'", body_name(m, shape->body),
                               shape->material);
        const cardan_status status = cd_scene_geometry_create(m, i, &to->geometry, report);
        if (status != CARDAN_OK) return status;
        ++s->nshape;
        const double length = cd_shape_length(&to->geometry);
        if (shape->body != CARDAN_GROUND && isfinite(length)) s->length = fmax(s->length, length);
    }
    return CARDAN_OK;
}

// A model may be compiled several times with one report.
static bool is_reported(const cardan_report* report, cardan_code code, cardan_location location)
{
    for (int i = 0; report && i < report->count; ++i) {
        const cardan_message* message = &report->message[i];
        if (message->code == code && message->location.line == location.line &&
            message->location.column == location.column)
            return true;
    }
    return false;
}

static void warn_no_pair(const cardan_model* m, const cd_scene_shape* a, const cd_scene_shape* b, cardan_report* report)
{
    const cardan_location location = m->view.shape[b->shape].location;
    if (is_reported(report, CARDAN_CODE_CONTACT_NOT_COMPUTED, location)) return;
    cardan_warn(report, CARDAN_CODE_CONTACT_NOT_COMPUTED, location,
                "contact of '%s' (%s) and '%s' (%s) is not computed: there is none between these shapes",
                body_name(m, a->body), cd_shape_type_of(&a->geometry)->name, body_name(m, b->body),
                cd_shape_type_of(&b->geometry)->name);
}

// Warn of a body whose shapes may touch nothing, at its first shape; if pairs are listed, others are expected.
static void warn_of_bodies_that_touch_nothing(const cardan_model* m, cardan_report* report)
{
    if (m->view.contact_settings->listed_pairs_only) return;
    for (int a = 0; a < m->view.nshape; ++a) {
        const cardan_shape* shape   = &m->view.shape[a];
        bool                touches = !shape->material || shape->body == CARDAN_GROUND;
        for (int b = 0; !touches && b < m->view.nshape; ++b)
            touches = is_pair(m, shape, &m->view.shape[b]) || // the body has an earlier shape: reported there
                      (b < a && m->view.shape[b].body == shape->body && m->view.shape[b].material);
        if (!touches && !is_reported(report, CARDAN_CODE_MODEL_DOUBTFUL, shape->location))
            cardan_warn(
                report, CARDAN_CODE_MODEL_DOUBTFUL, shape->location,
                "the shape of '%s' has a material, but may touch nothing: no other body has such a shape, or joints "
                "connect them; list pairs that touch nevertheless under 'contacts: also'",
                body_name(m, shape->body));
    }
}

static cardan_status compile_pairs(const cardan_model* m, cd_contact_scene* s, cardan_report* report)
{
    s->npair = s->nproperties = s->capacity = 0;
    for (int a = 0; a < s->nshape; ++a)
        for (int b = a + 1; b < s->nshape; ++b) {
            const cardan_shape *first = &m->view.shape[s->shape[a].shape], *second = &m->view.shape[s->shape[b].shape];
            if (!is_pair(m, first, second)) continue;
            if (!cd_can_collide(s->shape[a].geometry.kind, s->shape[b].geometry.kind)) {
                warn_no_pair(m, &s->shape[a], &s->shape[b], report);
                continue;
            }
            cd_scene_pair* pair = &s->pair[s->npair++];
            *pair               = (cd_scene_pair){{a, b},
                                                  properties_of(m, s, s->shape[a].material, s->shape[b].material),
                                                  points_of_pair(&s->shape[a].geometry, &s->shape[b].geometry)};
            s->capacity += pair->max_points;
            if (pair->properties == CARDAN_NONE) return fail_properties(m, first, second, report);
        }
    if (s->capacity > SET_POINTS_MAX) s->capacity = SET_POINTS_MAX;
    return CARDAN_OK;
}

static cardan_status fail_memory(const cardan_model* m, cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory for the contacts of '%s'", m->view.name);
}

cardan_status cd_contact_scene_create(const cardan_model* m, cd_contact_scene** scene, cardan_report* report)
{
    cd_contact_scene count = {0};
    *scene                 = NULL;
    for (int a = 0; a < m->view.nshape; ++a) {
        count.nshape += m->view.shape[a].material != NULL;
        for (int b = a + 1; b < m->view.nshape; ++b) count.npair += is_pair(m, &m->view.shape[a], &m->view.shape[b]);
    }
    warn_of_bodies_that_touch_nothing(m, report);
    if (count.npair == 0) return CARDAN_OK;
    cd_contact_scene* s = cd_allocate(1, sizeof *s);
    if (!s) return fail_memory(m, report);
    *s             = count;
    s->nproperties = s->npair;
    s->settings    = *m->view.contact_settings;
    layout(s);
    cardan_status status = cd_arena_reserve(&s->arena) ? CARDAN_OK : fail_memory(m, report);
    if (status == CARDAN_OK) {
        layout(s);
        status = compile_shapes(m, s, report);
    }
    if (status == CARDAN_OK) status = compile_pairs(m, s, report);
    if (status == CARDAN_OK && s->npair > 0) {
        *scene = s;
        return CARDAN_OK;
    }
    cd_contact_scene_destroy(s);
    return status;
}

void cd_contact_scene_destroy(cd_contact_scene* s)
{
    if (!s) return;
    for (int i = 0; s->shape && i < s->nshape; ++i) cd_scene_geometry_release(&s->shape[i].geometry);
    cd_arena_release(&s->arena);
    free(s);
}
