// SPDX-License-Identifier: BSD-3-Clause
// Materials, friction of pairs of materials, contact settings and pairs of bodies.
#include "io/writer/write_model.h"

typedef struct field {
    const char* key;
    double      value, default_value;
} field;

// Write "key: value" of the fields that differ from their defaults, separated by commas. Returns their number, added to
// `shown`.
static int write_fields(cd_writer* w, int shown, int count, const field* f)
{
    for (int i = 0; i < count; ++i) {
        if (f[i].value == f[i].default_value) continue;
        cd_text_format(&w->text, "%s%s: ", shown++ > 0 ? ", " : "", f[i].key);
        cd_write_number(w, f[i].value);
    }
    return shown;
}

static int write_compliance(cd_writer* w, int shown, const cardan_contact_stiffness* c)
{
    const field f[] = {{"stiffness", c->stiffness, 0},
                       {"exponent", c->exponent, 0},
                       {"damping", c->damping, 0},
                       {"restitution_speed", c->restitution_speed, 0}};
    return write_fields(w, shown, 4, f);
}

static void write_pair(cd_writer* w, const cardan_material_pair* p)
{
    int         shown = 0;
    const field f[]   = {{"stribeck_speed", p->stribeck_speed, 0},
                         {"rolling", p->rolling_friction, 0},
                         {"spinning", p->spinning_friction, 0},
                         {"restitution", p->restitution, -1}};
    cd_text_add(&w->text, "  [");
    cd_write_name(w, w->view.material[p->material[0]].name);
    cd_text_add(&w->text, ", ");
    cd_write_name(w, w->view.material[p->material[1]].name);
    cd_text_add(&w->text, "]: {");
    if (p->static_friction != 0 || p->kinetic_friction != 0) {
        cd_text_add(&w->text, "mu: ");
        cd_write_numbers(w, 2, (double[]){p->static_friction, p->kinetic_friction});
        ++shown;
    }
    write_compliance(w, write_fields(w, shown, p->restitution < 0 ? 3 : 4, f), &p->compliance);
    cd_text_add(&w->text, "}\n");
}

void cd_write_materials(cd_writer* w)
{
    if (w->view.nmaterial > 0) cd_write_heading(w, "materials");
    for (int i = 0; i < w->view.nmaterial; ++i) {
        const cardan_material* m   = &w->view.material[i];
        const field            f[] = {{"young_modulus", m->young_modulus, 0}, {"poisson_ratio", m->poisson_ratio, 0}};
        cd_text_add(&w->text, "  ");
        cd_write_name(w, m->name);
        cd_text_add(&w->text, ": {");
        write_fields(w, 0, 2, f);
        cd_text_add(&w->text, "}\n");
    }
    if (w->view.nmaterial_pair > 0) cd_write_heading(w, "friction");
    for (int i = 0; i < w->view.nmaterial_pair; ++i) write_pair(w, &w->view.material_pair[i]);
}

static void write_body_pairs(cd_writer* w, const char* key, bool ignored)
{
    int shown = 0;
    for (int i = 0; i < w->view.ncontact_pair; ++i) {
        const cardan_contact_pair* p = &w->view.contact_pair[i];
        if (p->ignored != ignored) continue;
        if (shown == 0) cd_write_key(w, 1, key);
        cd_text_add(&w->text, shown++ == 0 ? " [[" : ", [");
        cd_write_name(w, cd_write_body_name(w, p->body[0]));
        cd_text_add(&w->text, ", ");
        cd_write_name(w, cd_write_body_name(w, p->body[1]));
        cd_text_add(&w->text, "]");
    }
    if (shown > 0) cd_text_add(&w->text, "]\n");
}

static void write_settings(cd_writer* w, const cardan_contact_settings* s)
{
    static const char* const impact[] = {"automatic", "newton", "poisson", "energetic", "sequence"};
    const struct {
        const char* key;
        double      value;
    } f[] = {{"restitution", s->restitution},
             {"inelastic_speed", s->restitution_speed},
             {"margin", s->margin},
             {"stiffness", s->compliance.stiffness},
             {"exponent", s->compliance.exponent},
             {"damping", s->compliance.damping},
             {"restitution_speed", s->compliance.restitution_speed},
             {"friction_speed", s->friction_speed},
             {"tangential_stiffness", s->tangential_stiffness},
             {"tangential_damping", s->tangential_damping}};
    cd_write_word(w, 1, "law", s->law == CARDAN_CONTACT_RIGID ? "rigid" : "compliant");
    if (s->impact != CARDAN_IMPACT_AUTOMATIC) cd_write_word(w, 1, "impact", impact[s->impact]);
    if (s->compliant_friction == CARDAN_FRICTION_BRUSH) cd_write_word(w, 1, "friction", "brush");
    for (size_t i = 0; i < sizeof f / sizeof *f; ++i)
        if (f[i].value != 0) cd_write_value(w, 1, f[i].key, f[i].value);
}

static bool is_default(const cardan_contact_settings* s)
{
    return s->law == CARDAN_CONTACT_RIGID && s->impact == CARDAN_IMPACT_AUTOMATIC && s->restitution == 0 &&
           s->restitution_speed == 0 && s->margin == 0 && s->compliance.stiffness == 0 && s->compliance.exponent == 0 &&
           s->compliance.damping == 0 && s->compliance.restitution_speed == 0 &&
           s->compliant_friction == CARDAN_FRICTION_REGULARIZED && s->friction_speed == 0 &&
           s->tangential_stiffness == 0 && s->tangential_damping == 0 && !s->listed_pairs_only;
}

void cd_write_contacts(cd_writer* w)
{
    const cardan_contact_settings* s = w->view.contact_settings;
    if (is_default(s) && w->view.ncontact_pair == 0) return;
    cd_write_heading(w, "contacts");
    write_settings(w, s);
    bool any = false;
    for (int i = 0; i < w->view.ncontact_pair; ++i) any |= !w->view.contact_pair[i].ignored;
    if (s->listed_pairs_only && !any) cd_text_add(&w->text, "  pairs: []\n");
    write_body_pairs(w, s->listed_pairs_only ? "pairs" : "also", false);
    write_body_pairs(w, "ignore", true);
}
