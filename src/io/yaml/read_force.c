// SPDX-License-Identifier: BSD-3-Clause
// Force elements.
#include "io/yaml/read_model.h"

#include "model/description.h"

#include <math.h>
#include <string.h>

typedef struct force_builder {
    cd_model_element e;
    cardan_force     force;
    cd_frame         frame[2]; // of the markers
} force_builder;

static const cd_yaml* get(const force_builder* p, const char* key) { return cd_yaml_get(p->e.node, key); }

// Replace the marker "ground" as second marker by CARDAN_NONE.
static void use_ground_for_world(force_builder* p)
{
    if (p->force.marker[1] == cardan_description_find_marker(p->e.reader->description, "ground"))
        p->force.marker[1] = CARDAN_NONE;
}

static bool read_marker_pair(force_builder* p)
{
    const cd_yaml* pair = get(p, p->force.type);
    if (pair->has_error || pair->count != 2) return false;
    const bool first =
        cd_read_marker_reference(&p->e, pair->entry[0].value, "first", &p->force.marker[0], &p->frame[0]);
    const bool second =
        cd_read_marker_reference(&p->e, pair->entry[1].value, "second", &p->force.marker[1], &p->frame[1]);
    if (!first || !second) return p->e.node->has_error = true, false;
    if (p->force.marker[0] == p->force.marker[1])
        return cd_element_fail(&p->e, pair, "both markers are the same; they must differ");
    use_ground_for_world(p);
    return true;
}

static bool read_scalar(const force_builder* p, const char* key, cd_unit unit, double* value)
{
    const cd_yaml* node = get(p, key);
    if (!node) return true;
    if (node->kind == CD_YAML_LIST)
        return cd_element_fail(&p->e, node, "'%s' of a %s must be one number", key, p->force.type);
    return cd_read_number(&p->e, node, unit, value);
}

static bool read_table_reference(force_builder* p, const char* key, int* table)
{
    const cd_yaml* node = get(p, key);
    if (!node) return true;
    cd_definition* def = cd_resolve_reference(&p->e, CD_DEFINITION_TABLE, node, "table");
    if (!def || !cd_evaluate_definition(p->e.reader, def)) return p->e.node->has_error = true, false;
    *table = def->index;
    return true;
}

static bool read_spring(force_builder* p)
{
    cardan_force* f = &p->force;
    if (!read_marker_pair(p)) return false;
    const double * a = p->frame[0].p, *b = p->frame[1].p;
    cd_parametric* l    = cd_element_parametric(&p->e);
    const double   d[3] = {par_sub(l, a[0], b[0]), par_sub(l, a[1], b[1]), par_sub(l, a[2], b[2])};
    f->free_length      = par_sqrt(l, par_dot(l, d, d));
    if (!read_scalar(p, "stiffness", CD_UNIT_STIFFNESS, &f->stiffness[0]) ||
        !read_scalar(p, "damping", CD_UNIT_STIFFNESS, &f->damping[0]))
        return false;
    if (!read_scalar(p, "length", CD_UNIT_LENGTH, &f->free_length) ||
        !read_scalar(p, "preload", CD_UNIT_FORCE, &f->preload))
        return false;
    if (f->free_length < 0) return cd_element_fail(&p->e, get(p, "length"), "the free length is negative");
    if (!read_table_reference(p, "force_table", &f->force_table) ||
        !read_table_reference(p, "damper_table", &f->damper_table))
        return false;
    if (f->force_table >= 0 && get(p, "stiffness"))
        return cd_element_fail(&p->e, get(p, "stiffness"), "'stiffness' and 'force_table' exclude each other");
    if (f->damper_table >= 0 && get(p, "damping"))
        return cd_element_fail(&p->e, get(p, "damping"), "'damping' and 'damper_table' exclude each other");
    return true;
}

// Torsion spring: angle of the first marker's x axis about z of the second. Mirrored, it has the sign det S * S_z.
static bool read_torsion(force_builder* p)
{
    cardan_force*       f    = &p->force;
    const cd_placement* l    = p->e.level->placement;
    const double        sign = (l->is_mirrored ? -1 : 1) * l->sign[2];
    if (!read_marker_pair(p)) return false;
    double x[2] = {0, 0}, angle = 0;
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k)
            x[i] = par_add_product(cd_element_parametric(&p->e), x[i], p->frame[1].R[k][i], p->frame[0].R[k][0]);
    angle = par_atan2(cd_element_parametric(&p->e), x[1], x[0]) * sign;
    if (!read_scalar(p, "stiffness", CD_UNIT_TORSION, &f->stiffness[0]) ||
        !read_scalar(p, "damping", CD_UNIT_TORSION, &f->damping[0]))
        return false;
    if (!read_scalar(p, "angle", CD_UNIT_ANGLE, &angle) || !read_scalar(p, "preload", CD_UNIT_TORQUE, &f->preload))
        return false;
    f->free_length = sign * angle + 0.0;
    f->preload *= sign;
    return true;
}

static bool read_six_values(const force_builder* p, const char* key, double value[6])
{
    const cd_yaml* node = get(p, key);
    if (!node) return true;
    if (node->kind != CD_YAML_LIST || (node->count != 3 && node->count != 6))
        return cd_element_fail(&p->e, node,
                               "'%s' of a bushing must be a list: along x, y, z, and optionally about x, y, z", key);
    for (int i = 0; i < node->count; ++i)
        if (!cd_read_number(&p->e, node->entry[i].value, i < 3 ? CD_UNIT_STIFFNESS : CD_UNIT_TORSION, &value[i]))
            return false;
    return true;
}

static bool read_bushing(force_builder* p)
{
    return read_marker_pair(p) && read_six_values(p, "stiffness", p->force.stiffness) &&
           read_six_values(p, "damping", p->force.damping);
}

// Transform components from the coordinates of the level to the world, R f, or to the axes of the marker, diag(sign) f;
// torques are pseudovectors and change their sign in a reflection.
static void rotate_components(force_builder* p, bool torque)
{
    const cd_placement* l                 = p->e.level->placement;
    cd_graph*           graph             = p->e.reader->description->graph;
    const double        pseudovector_sign = torque && l->is_mirrored ? -1 : 1;
    cardan_expression   f[3];
    memcpy(f, p->force.component, sizeof f);
    for (int i = 0; i < 3; ++i) {
        cd_node sum = cd_constant(graph, 0);
        for (int k = 0; k < 3; ++k) {
            const double factor = pseudovector_sign * (p->force.frame >= 0 ? (i == k) * l->sign[k] : l->base.R[i][k]);
            if (factor != 0)
                sum = cd_binary(
                    graph, CD_ADD, sum,
                    cd_binary(graph, CD_MUL, cd_parametric_node(cd_element_parametric(&p->e), graph, factor), f[k]));
        }
        p->force.component[i] = sum;
    }
}

static bool read_components(force_builder* p)
{
    const cd_yaml *list = get(p, p->force.type), *on = get(p, "on"), *against = get(p, "against"), *in = get(p, "in");
    cd_frame       axes;
    if (!on) return cd_element_fail(&p->e, NULL, "'on' is missing: the marker on which it acts");
    if (list->has_error || !cd_read_marker_reference(&p->e, on, "on", &p->force.marker[0], &p->frame[0]))
        return p->e.node->has_error = true, false;
    if (against && !cd_read_marker_reference(&p->e, against, "against", &p->force.marker[1], &p->frame[1]))
        return p->e.node->has_error = true, false;
    if (in && (in->kind != CD_YAML_SCALAR || !cd_read_marker_reference(&p->e, in, "in", &p->force.frame, &axes)))
        return false;
    if (p->force.frame == cardan_description_find_marker(p->e.reader->description, "ground"))
        p->force.frame = CARDAN_NONE;
    use_ground_for_world(p);
    bool ok = true;
    for (int i = 0; i < 3; ++i) ok = cd_read_expression(&p->e, list->entry[i].value, &p->force.component[i]) && ok;
    if (ok) rotate_components(p, p->force.type[0] == 't');
    for (int i = 0; ok && i < 3; ++i)
        if (p->force.component[i] == CD_NO_NODE) return cd_reader_fail_no_memory(p->e.reader);
    return ok;
}

static bool read_actuator(force_builder* p)
{
    const cd_yaml *      effort = get(p, "effort"), *limits = get(p, "limits"), *which = get(p, "coordinate");
    cd_definition*       joint = cd_resolve_reference(&p->e, CD_DEFINITION_JOINT, get(p, "actuator"), "joint");
    cd_coordinate_layout c;
    int                  i = 1;
    if (!joint || joint->index < 0) return false;
    if (!effort) return cd_element_fail(&p->e, NULL, "'effort' is missing");
    if (!cd_coordinate_layout_of(&p->e.reader->description->joint[joint->index], &c)) return false;
    if (which && !cd_read_integer(&p->e, which, &i)) return false;
    if (c.nv == 0)
        return cd_element_fail(&p->e, get(p, "actuator"), "joint '%s' is fixed and has no coordinates", joint->name);
    if (!which && c.nv > 1)
        return cd_element_fail(&p->e, NULL, "joint '%s' has %d coordinates: select one with 'coordinate'", joint->name,
                               c.nv);
    if (i < 1 || i > c.nv)
        return cd_element_fail(&p->e, which, "joint '%s' has coordinates 1 to %d, not %d", joint->name, c.nv, i);
    if (!cd_read_expression(&p->e, effort, &p->force.component[0])) return false;
    p->force.joint = joint->index;
    p->force.axis  = i - 1;
    if (limits && (limits->has_error || !cd_read_bound(&p->e, limits->entry[0].value, CD_UNIT_NONE, &p->force.lower) ||
                   !cd_read_bound(&p->e, limits->entry[1].value, CD_UNIT_NONE, &p->force.upper)))
        return false;
    if (p->force.lower > p->force.upper)
        return cd_element_fail(&p->e, limits, "the lower limit is above the upper limit");
    if (cd_v_sign(p->e.level, &c, i - 1) > 0) return true;
    const double lower    = p->force.lower; // mirrored coordinate
    p->force.lower        = -p->force.upper;
    p->force.upper        = -lower;
    p->force.component[0] = cd_unary(p->e.reader->description->graph, CD_NEG, p->force.component[0]);
    return p->force.component[0] != CD_NO_NODE || cd_reader_fail_no_memory(p->e.reader);
}

static const struct {
    const char* type;
    bool (*read)(force_builder* p);
} type_readers[] = {
    {"spring", read_spring},    {"torsion", read_torsion},   {"bushing", read_bushing},
    {"force", read_components}, {"torque", read_components}, {"actuator", read_actuator},
};

bool cd_read_force(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    const cd_definition* def = cd_find_entry_definition(r, CD_DEFINITION_FORCE, level, entry);
    size_t               i   = 0;
    (void)section;
    if (!def || entry->value->has_error) return true;
    while (i < sizeof type_readers / sizeof *type_readers && !cd_yaml_get(entry->value, type_readers[i].type)) ++i;
    if (i == sizeof type_readers / sizeof *type_readers) return true;
    force_builder p  = {.e     = {.reader  = r,
                                  .level   = level,
                                  .node    = entry->value,
                                  .section = "force",
                                  .label   = "force",
                                  .name    = def->name},
                        .force = cardan_force_default(def->name, type_readers[i].type)};
    p.force.location = cd_yaml_location(entry->key);
    if (!type_readers[i].read(&p)) {
        entry->value->has_error = true;
        return r->status != CARDAN_NO_MEMORY;
    }
    return cardan_description_add_force(r->description, &p.force) != CARDAN_NONE || cd_reader_fail_no_memory(r);
}
