// SPDX-License-Identifier: BSD-3-Clause
// Constants of the compliant law from the description: stiffness as given or by Hertz, damping as given or from the
// restitution, and the scales of regularized friction and of the brush:
//
//   v_d = 1e-4 sqrt(4 |g| L),  w_d = v_d/L     L: size of the largest body that touches; without gravity v_d = 1e-4 L/s
//   k_t = n k d^(n-1) at d = 1 mm,  c_t = sqrt(k_t m)     m: the smaller mass of both bodies
//
// Hertz's law needs curvatures that are the same at every point of contact. An ellipsoid counts with the radii at the end of
// its shortest axis, a torus with those at its outermost circle. The angle between principal directions of two surfaces is
// not known, so that one of both must be a sphere, a capsule or a plane.
#include "dynamics/contacts/compliant_laws.h"

#include "contact/hertz.h"
#include "contact/restitution_damping.h"
#include "dynamics/dynamics_tolerances.h"

#include <math.h>

typedef struct named_pair {
    const cardan_model*          m;
    const cd_contact_properties* p;
    const char*                  body[2];
} named_pair;

static cardan_status fail(const named_pair* n, const char* what, cardan_report* report)
{
    const cardan_material *a = &n->m->view.material[n->p->material[0]], *b = &n->m->view.material[n->p->material[1]];
    return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, b->location,
                       "compliant contact of '%s' (material '%s') and '%s' (material '%s'): %s", n->body[0], a->name,
                       n->body[1], b->name, what);
}

// Principal curvatures of a surface; false: they differ from point to point.
static bool curvatures(const cd_shape_geometry* g, double k[2])
{
    double a, b, c;
    switch (g->kind) {
    case CD_SHAPE_PLANE:
        k[0] = k[1] = 0;
        return true;
    case CD_SHAPE_SPHERE:
    case CD_SHAPE_CAPSULE:
        k[0] = k[1] = 1 / g->size[0];
        return true;
    case CD_SHAPE_TORUS:
        k[0] = 1 / g->size[1];
        k[1] = 1 / (g->size[0] + g->size[1]);
        return g->size[1] > 0;
    case CD_SHAPE_ELLIPSOID:
        c    = fmin(g->size[0], fmin(g->size[1], g->size[2]));
        a    = fmax(g->size[0], fmax(g->size[1], g->size[2]));
        b    = g->size[0] + g->size[1] + g->size[2] - a - c;
        k[0] = c / (b * b);
        k[1] = c / (a * a);
        return true;
    default:
        return false;
    }
}

static cardan_status hertz(const cd_contact_scene* s, const cd_scene_pair* pair, const named_pair* n, double* stiffness,
                           cardan_report* report)
{
    const cd_contact_properties* p = n->p;
    double                       A[2], B[2];
    if (!(p->young_modulus[0] > 0 && p->young_modulus[1] > 0))
        return fail(n, "it needs a stiffness, or Young's modulus of both materials", report);
    if (!curvatures(&s->shape[pair->shape[0]].geometry, A) || !curvatures(&s->shape[pair->shape[1]].geometry, B) ||
        (A[0] != A[1] && B[0] != B[1]) || !(A[1] + B[1] > 0))
        return fail(n, "Hertz's law does not apply to these shapes; it needs a stiffness", report);
    const cd_elastic_constants material[2]  = {{p->young_modulus[0], p->poisson_ratio[0]},
                                               {p->young_modulus[1], p->poisson_ratio[1]}};
    const double               curvature[2] = {A[0] + B[0], A[1] + B[1]};
    *stiffness                              = cd_hertz_stiffness(material, curvature);
    return CARDAN_OK;
}

static cardan_status damping(const named_pair* n, double* c, cardan_report* report)
{
    const cd_contact_properties* p = n->p;
    *c                             = p->compliance.damping;
    if (*c > 0 || p->restitution >= 1) return CARDAN_OK;
    if (!(p->restitution > 0))
        return fail(n, "it needs a damping, or a restitution greater than 0 with its speed", report);
    if (!(p->compliance.restitution_speed > 0))
        return fail(n, "a restitution less than 1 needs the approach speed at which it holds", report);
    *c = cd_restitution_damping(p->restitution, p->compliance.restitution_speed);
    return CARDAN_OK;
}

static double mass_of(const cardan_model* m, int body)
{
    return body == CARDAN_GROUND ? INFINITY : m->view.body[body].mass;
}

double cd_chosen_friction_speed(const cardan_model* m, const cd_contact_scene* scene)
{
    const double* g       = m->view.gravity;
    const double  gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    if (scene->settings.friction_speed > 0) return scene->settings.friction_speed;
    return cd_friction_speed_fraction * (gravity > 0 ? sqrt(4 * gravity * scene->length) : scene->length);
}

static void set_friction(const cardan_model* m, const cd_contact_scene* s, const cd_scene_pair* pair,
                         cd_compliant_law* law)
{
    const cd_contact_properties* p = &s->properties[pair->properties];
    law->static_friction           = p->static_friction;
    law->kinetic_friction          = p->kinetic_friction;
    law->stribeck_speed            = p->stribeck_speed;
    law->rolling_friction          = p->rolling;
    law->spinning_friction         = p->spinning;
    law->friction_speed            = cd_chosen_friction_speed(m, s);
    law->friction_rate             = law->friction_speed / s->length;
    law->has_brush    = s->settings.compliant_friction == CARDAN_FRICTION_BRUSH && law->static_friction > 0;
    const double mass = fmin(mass_of(m, s->shape[pair->shape[0]].body), mass_of(m, s->shape[pair->shape[1]].body));
    law->tangential_stiffness = s->settings.tangential_stiffness;
    law->tangential_damping   = s->settings.tangential_damping;
    if (!(law->tangential_stiffness > 0))
        law->tangential_stiffness =
            law->exponent * law->stiffness * pow(cd_brush_reference_penetration, law->exponent - 1);
    if (!(law->tangential_damping > 0)) law->tangential_damping = sqrt(law->tangential_stiffness * mass);
}

static const char* body_name(const cardan_model* m, int body)
{
    return body == CARDAN_GROUND ? "ground" : m->view.body[body].name;
}

cardan_status cd_compliant_laws(const cardan_model* m, const cd_contact_scene* s, cd_compliant_law* law,
                                cardan_report* report)
{
    for (int i = 0; i < s->npair; ++i) {
        const cd_scene_pair* pair = &s->pair[i];
        const named_pair     n    = {
                   m,
                   &s->properties[pair->properties],
                   {body_name(m, s->shape[pair->shape[0]].body), body_name(m, s->shape[pair->shape[1]].body)}};
        const cardan_contact_stiffness* given  = &n.p->compliance;
        cardan_status                   status = CARDAN_OK;
        law[i] = (cd_compliant_law){.stiffness = given->stiffness, .exponent = given->exponent};
        if (!(law[i].stiffness > 0)) {
            law[i].exponent = 1.5;
            status          = hertz(s, pair, &n, &law[i].stiffness, report);
        }
        if (status == CARDAN_OK && !(law[i].exponent >= 1))
            status = fail(&n, "the exponent must be at least 1", report);
        if (status == CARDAN_OK) status = damping(&n, &law[i].damping, report);
        if (status != CARDAN_OK) return status;
        set_friction(m, s, pair, &law[i]);
        if (law[i].has_brush && !(law[i].tangential_damping > 0 && isfinite(law[i].tangential_damping)))
            return fail(&n, "a brush between bodies without mass needs a tangential damping", report);
    }
    return CARDAN_OK;
}
