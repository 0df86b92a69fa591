// SPDX-License-Identifier: BSD-3-Clause
// Checks of shapes that touch, materials, pairs of materials, contact settings, rigid stops and friction that sticks.
// Which pairs of materials can touch is determined where the pairs of bodies are compiled (contact/scene).
#include "core/text.h"
#include "model/check/check_description.h"
#include "model/description.h"

#include <math.h>

static bool is_in(double x, double lower, double upper) { return x >= lower && x <= upper; }
static bool is_quantity(double x) { return is_in(x, 0, cd_quantity_max); }

static bool is_index(int i, int count) { return i >= 0 && i < count; }

static const char* body_name(const cardan_description_view* view, int body)
{
    return body >= 0 && body < view->nbody ? view->body[body].name : "ground";
}

// ---- references

static const char* material_at(void* user, int i)
{
    const cardan_description* d = user;
    return i < d->nmaterial ? d->material[i].name : NULL;
}

static cardan_status check_shape_material(const cardan_description* d, const cardan_shape* s, cardan_report* report)
{
    if (!s->material || cardan_description_find_material(d, s->material) >= 0) return CARDAN_OK;
    const char* suggestion = cd_nearest_name(s->material, material_at, (void*)d);
    return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, s->location,
                       "shape of '%s': there is no material '%s'%s%s%s",
                       s->body >= 0 && s->body < d->nbody ? d->body[s->body].name : "ground", s->material,
                       suggestion ? " (did you mean '" : "", suggestion ? suggestion : "", suggestion ? "'?)" : "");
}

cardan_status cd_check_contact_references(const cardan_description* d, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < d->nshape; ++i) {
        const cardan_height_grid* f = &d->shape[i].field;
        if (check_shape_material(d, &d->shape[i], report) != CARDAN_OK) status = CARDAN_BAD_INPUT;
        if (d->shape[i].kind == CARDAN_SHAPE_HEIGHT_FIELD && !(f->nx >= 2 && f->ny >= 1 && f->height))
            status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, d->shape[i].location,
                                 "a height field needs at least 2 x 2 heights, a profile 2, not %d x %d", f->nx, f->ny);
    }
    for (int i = 0; i < d->nmaterial_pair; ++i)
        for (int k = 0; k < 2; ++k)
            if (d->material_pair[i].material[k] < 0 || d->material_pair[i].material[k] >= d->nmaterial)
                status =
                    cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, d->material_pair[i].location,
                                "pair of materials: there is no material number %d", d->material_pair[i].material[k]);
    for (int i = 0; i < d->ncontact_pair; ++i)
        for (int k = 0; k < 2; ++k)
            if (d->contact_pair[i].body[k] < CARDAN_GROUND || d->contact_pair[i].body[k] >= d->nbody)
                status =
                    cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, d->contact_pair[i].location,
                                "pair of bodies that touch: there is no body number %d", d->contact_pair[i].body[k]);
    return status;
}

// ---- values

// Number of entries of `size` that must be positive.
static int size_count(cardan_shape_kind kind)
{
    switch (kind) {
    case CARDAN_SHAPE_BOX:
    case CARDAN_SHAPE_ELLIPSOID:
        return 3;
    case CARDAN_SHAPE_ROD:
    case CARDAN_SHAPE_TORUS:
        return 2;
    case CARDAN_SHAPE_SPHERE:
        return 1;
    default:
        return 0;
    }
}

static const char* shape_defect(const cardan_shape* s)
{
    bool good = true;
    for (int i = 0; i < size_count(s->kind); ++i) good &= s->size[i] > 0;
    if (s->kind == CARDAN_SHAPE_CAPSULE) good = s->size[0] >= 0 && s->size[1] > 0;
    if (s->kind == CARDAN_SHAPE_HEIGHT_FIELD) good = s->field.spacing[0] > 0 && s->field.spacing[1] > 0;
    if (!good) return "it has no size: all its lengths must be positive";
    if (s->kind == CARDAN_SHAPE_POINTS) return "a line cannot touch; use a capsule or a cylinder";
    if (s->kind == CARDAN_SHAPE_MESH && s->ntriangle < 1) return "its mesh has no triangles";
    if (s->kind == CARDAN_SHAPE_HULL && s->npoint < 4) return "a hull needs four points";
    if (!isfinite(s->rounding)) return "its rounding is not finite";
    for (int i = 0; s->kind == CARDAN_SHAPE_HEIGHT_FIELD && s->field.height && i < s->field.nx * s->field.ny; ++i)
        if (!is_in(s->field.height[i], -cd_quantity_max, cd_quantity_max)) return "a height is not finite";
    return NULL;
}

static bool is_compliance(const cardan_contact_stiffness* c)
{
    return is_quantity(c->stiffness) && (c->exponent == 0 || is_in(c->exponent, 1, 10)) && is_quantity(c->damping) &&
           is_quantity(c->restitution_speed);
}

static const char* pair_defect(const cardan_material_pair* p)
{
    if (!is_quantity(p->static_friction) || !is_quantity(p->kinetic_friction))
        return "a coefficient of friction is negative or not finite";
    if (p->static_friction < p->kinetic_friction) return "the static coefficient of friction is below the kinetic one";
    if (!is_quantity(p->rolling_friction) || !is_quantity(p->spinning_friction) || !is_quantity(p->stribeck_speed))
        return "a lever arm of rolling or spinning friction, or the Stribeck speed, is negative or not finite";
    if (!(p->restitution <= 1)) return "the restitution exceeds 1";
    if (!is_compliance(&p->compliance))
        return "a stiffness, damping or restitution speed is negative or not finite, or the exponent is below 1";
    return NULL;
}

static const char* settings_defect(const cardan_contact_settings* s)
{
    if (!is_in(s->restitution, 0, 1)) return "the restitution must be between 0 and 1";
    if (!is_quantity(s->restitution_speed) || !is_quantity(s->margin) || !is_quantity(s->friction_speed) ||
        !is_quantity(s->tangential_stiffness) || !is_quantity(s->tangential_damping))
        return "a speed, the margin, or a tangential stiffness or damping is negative or not finite";
    if (!is_compliance(&s->compliance))
        return "a stiffness, damping or restitution speed is negative or not finite, or the exponent is below 1";
    return NULL;
}

cardan_status cd_check_contacts(const cardan_description_view* view, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < view->nshape; ++i) {
        const cardan_shape* s      = &view->shape[i];
        const char*         defect = s->material ? shape_defect(s) : NULL;
        if (defect)
            status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, s->location,
                                 "shape of '%s' with material '%s': %s", body_name(view, s->body), s->material, defect);
    }
    for (int i = 0; i < view->nmaterial; ++i) {
        const cardan_material* m = &view->material[i];
        if (!is_quantity(m->young_modulus) || !is_in(m->poisson_ratio, -1, 0.5))
            status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, m->location,
                                 "material '%s': Young's modulus must not be negative, and Poisson's ratio must be "
                                 "between -1 and 0.5",
                                 m->name);
    }
    for (int i = 0; i < view->nmaterial_pair; ++i) {
        const cardan_material_pair* p      = &view->material_pair[i];
        const char*                 defect = pair_defect(p);
        const bool known = is_index(p->material[0], view->nmaterial) && is_index(p->material[1], view->nmaterial);
        if (defect && known)
            status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, p->location,
                                 "friction of '%s' and '%s': %s", view->material[p->material[0]].name,
                                 view->material[p->material[1]].name, defect);
    }
    const char* defect = settings_defect(view->contact_settings);
    if (defect)
        status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, view->contact_settings->location,
                             "contacts: %s", defect);
    return status;
}

cardan_status cd_check_dry_friction(const cardan_joint* j, int axis, cardan_report* report)
{
    const cardan_axis_properties* a      = &j->axis[axis];
    const char*                   defect = NULL;
    if (a->rigid_stop && (a->stop_stiffness != 0 || a->stop_damping != 0))
        defect = "a rigid stop has no stiffness or damping";
    else if (!is_in(a->stop_restitution, 0, 1))
        defect = "the restitution of a stop must be between 0 and 1";
    else if (a->sticking_friction &&
             (!is_quantity(a->static_friction_forward) || !is_quantity(a->static_friction_backward) ||
              !(a->friction_forward >= 0) || !(a->friction_backward >= 0) || !is_quantity(a->load_radius) ||
              !is_quantity(a->load_friction_static) || !(a->load_friction_kinetic >= 0)))
        defect = "a level, coefficient or radius of friction that sticks is negative or not finite";
    else if (a->sticking_friction &&
             (a->static_friction_forward < a->friction_forward || a->static_friction_backward < a->friction_backward ||
              a->load_friction_static < a->load_friction_kinetic))
        defect = "static friction is below kinetic friction";
    if (!defect) return CARDAN_OK;
    return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, j->location,
                       "joint '%s', coordinate %d: %s", j->name, axis + 1, defect);
}
