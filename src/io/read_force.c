// SPDX-License-Identifier: BSD-3-Clause
// Force elements.
#include "io/read.h"

#include "model/description.h"

#include <math.h>
#include <string.h>

typedef struct pusher {
    cd_element   e;
    cardan_force force;
    cd_frame     frame[2]; // of the markers
} pusher;

static const cd_yaml* get(const pusher* p, const char* key) { return cd_yaml_get(p->e.node, key); }

// The second marker may be the world.
static void world_second(pusher* p)
{
    if (p->force.marker[1] == cardan_find_marker(p->e.reader->description, "ground")) p->force.marker[1] = CARDAN_NONE;
}

static bool two_markers(pusher* p)
{
    const cd_yaml* pair = get(p, p->force.type);
    if (pair->broken || pair->count != 2) return false;
    const bool first  = cd_marker_of(&p->e, pair->entry[0].value, "first", &p->force.marker[0], &p->frame[0]);
    const bool second = cd_marker_of(&p->e, pair->entry[1].value, "second", &p->force.marker[1], &p->frame[1]);
    if (!first || !second) return p->e.node->broken = true, false;
    if (p->force.marker[0] == p->force.marker[1]) return cd_element_fail(&p->e, pair, "both its markers are the same");
    world_second(p);
    return true;
}

static bool one_value(const pusher* p, const char* key, cd_unit unit, double* value)
{
    const cd_yaml* node = get(p, key);
    if (!node) return true;
    if (node->kind == CD_YAML_LIST)
        return cd_element_fail(&p->e, node, "'%s' of a %s is one number", key, p->force.type);
    return cd_number(&p->e, node, unit, value);
}

static bool named_table(pusher* p, const char* key, int* table)
{
    const cd_yaml* node = get(p, key);
    if (!node) return true;
    cd_def* def = cd_refer(&p->e, CD_DEF_TABLE, node, "table");
    if (!def || !cd_place_table(p->e.reader, def)) return p->e.node->broken = true, false;
    *table = def->index;
    return true;
}

static bool read_spring(pusher* p)
{
    cardan_force* f = &p->force;
    if (!two_markers(p)) return false;
    const double *a = p->frame[0].p, *b = p->frame[1].p;
    cd_ledger*    l    = cd_ledger_at(&p->e);
    const double  d[3] = {l_sub(l, a[0], b[0]), l_sub(l, a[1], b[1]), l_sub(l, a[2], b[2])};
    f->length          = l_sqrt(l, l_dot(l, d, d));
    if (!one_value(p, "stiffness", CD_UNIT_STIFFNESS, &f->stiffness[0]) ||
        !one_value(p, "damping", CD_UNIT_STIFFNESS, &f->damping[0]))
        return false;
    if (!one_value(p, "length", CD_UNIT_LENGTH, &f->length) || !one_value(p, "preload", CD_UNIT_FORCE, &f->preload))
        return false;
    if (f->length < 0) return cd_element_fail(&p->e, get(p, "length"), "its free length is negative");
    if (!named_table(p, "force_table", &f->force_table) || !named_table(p, "damper_table", &f->damper_table))
        return false;
    if (f->force_table >= 0 && get(p, "stiffness"))
        return cd_element_fail(&p->e, get(p, "stiffness"), "'stiffness' and 'force_table' exclude each other");
    if (f->damper_table >= 0 && get(p, "damping"))
        return cd_element_fail(&p->e, get(p, "damping"), "'damping' and 'damper_table' exclude each other");
    return true;
}

// Angle of the first marker about z of the second: of its x axis. Reflected, it has the sign of det S * S_z.
static bool read_torsion(pusher* p)
{
    cardan_force*       f    = &p->force;
    const cd_placement* l    = p->e.level->placement;
    const double        sign = (l->mirrored ? -1 : 1) * l->sign[2];
    if (!two_markers(p)) return false;
    double x[2] = {0, 0}, angle = 0;
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k) x[i] = l_more(cd_ledger_at(&p->e), x[i], p->frame[1].R[k][i], p->frame[0].R[k][0]);
    angle = l_atan2(cd_ledger_at(&p->e), x[1], x[0]) * sign;
    if (!one_value(p, "stiffness", CD_UNIT_TORSION, &f->stiffness[0]) ||
        !one_value(p, "damping", CD_UNIT_TORSION, &f->damping[0]))
        return false;
    if (!one_value(p, "angle", CD_UNIT_ANGLE, &angle) || !one_value(p, "preload", CD_UNIT_TORQUE, &f->preload))
        return false;
    f->length = sign * angle + 0.0;
    f->preload *= sign;
    return true;
}

static bool six_values(const pusher* p, const char* key, double value[6])
{
    const cd_yaml* node = get(p, key);
    if (!node) return true;
    if (node->kind != CD_YAML_LIST || (node->count != 3 && node->count != 6))
        return cd_element_fail(&p->e, node, "'%s' of a bushing is a list: along x, y, z, and perhaps about x, y, z",
                               key);
    for (int i = 0; i < node->count; ++i)
        if (!cd_number(&p->e, node->entry[i].value, i < 3 ? CD_UNIT_STIFFNESS : CD_UNIT_TORSION, &value[i]))
            return false;
    return true;
}

static bool read_bushing(pusher* p)
{
    return two_markers(p) && six_values(p, "stiffness", p->force.stiffness) &&
           six_values(p, "damping", p->force.damping);
}

// Components in the coordinates of the level become components in the world, R f, or in the marker's axes, diag(sign)
// f; torques change their sign in a reflection.
static void turn_components(pusher* p, bool torque)
{
    const cd_placement* l     = p->e.level->placement;
    cd_graph*           graph = p->e.reader->description->graph;
    const double        spin  = torque && l->mirrored ? -1 : 1;
    cardan_expression   f[3];
    memcpy(f, p->force.component, sizeof f);
    for (int i = 0; i < 3; ++i) {
        cd_node sum = cd_constant(graph, 0);
        for (int k = 0; k < 3; ++k) {
            const double factor = spin * (p->force.frame >= 0 ? (i == k) * l->sign[k] : l->base.R[i][k]);
            if (factor != 0)
                sum = cd_binary(graph, CD_ADD, sum,
                                cd_binary(graph, CD_MUL, cd_ledger_node(cd_ledger_at(&p->e), graph, factor), f[k]));
        }
        p->force.component[i] = sum;
    }
}

static bool read_components(pusher* p)
{
    const cd_yaml *list = get(p, p->force.type), *on = get(p, "on"), *against = get(p, "against"), *in = get(p, "in");
    cd_frame       axes;
    if (!on) return cd_element_fail(&p->e, NULL, "'on' is missing: the marker on which it acts");
    if (list->broken || !cd_marker_of(&p->e, on, "on", &p->force.marker[0], &p->frame[0]))
        return p->e.node->broken = true, false;
    if (against && !cd_marker_of(&p->e, against, "against", &p->force.marker[1], &p->frame[1]))
        return p->e.node->broken = true, false;
    if (in && (in->kind != CD_YAML_SCALAR || !cd_marker_of(&p->e, in, "in", &p->force.frame, &axes))) return false;
    if (p->force.frame == cardan_find_marker(p->e.reader->description, "ground")) p->force.frame = CARDAN_NONE;
    world_second(p);
    bool ok = true;
    for (int i = 0; i < 3; ++i) ok = cd_motion_formula(&p->e, list->entry[i].value, &p->force.component[i]) && ok;
    if (ok) turn_components(p, p->force.type[0] == 't');
    for (int i = 0; ok && i < 3; ++i)
        if (p->force.component[i] == CD_NO_NODE) return cd_reader_no_memory(p->e.reader);
    return ok;
}

static bool read_actuator(pusher* p)
{
    const cd_yaml *effort = get(p, "effort"), *limits = get(p, "limits"), *which = get(p, "coordinate");
    cd_def*        joint = cd_refer(&p->e, CD_DEF_JOINT, get(p, "actuator"), "joint");
    cd_coordinates c;
    int            i = 1;
    if (!joint || joint->index < 0) return false;
    if (!effort) return cd_element_fail(&p->e, NULL, "'effort' is missing");
    if (!cd_coordinates_of(&p->e.reader->description->joint[joint->index], &c)) return false;
    if (which && !cd_integer(&p->e, which, &i)) return false;
    if (c.nv == 0)
        return cd_element_fail(&p->e, get(p, "actuator"), "joint '%s' is fixed and cannot be driven", joint->name);
    if (!which && c.nv > 1)
        return cd_element_fail(&p->e, NULL, "joint '%s' has %d coordinates: say which with 'coordinate'", joint->name,
                               c.nv);
    if (i < 1 || i > c.nv)
        return cd_element_fail(&p->e, which, "joint '%s' has coordinates 1 to %d, not %d", joint->name, c.nv, i);
    if (!cd_motion_formula(&p->e, effort, &p->force.component[0])) return false;
    p->force.joint = joint->index;
    p->force.axis  = i - 1;
    if (limits && (limits->broken || !cd_bound(&p->e, limits->entry[0].value, CD_UNIT_NONE, &p->force.lower) ||
                   !cd_bound(&p->e, limits->entry[1].value, CD_UNIT_NONE, &p->force.upper)))
        return false;
    if (p->force.lower > p->force.upper)
        return cd_element_fail(&p->e, limits, "its lower limit is above the upper one");
    if (cd_v_sign(p->e.level, &c, i - 1) > 0) return true;
    const double lower    = p->force.lower; // reflected coordinate
    p->force.lower        = -p->force.upper;
    p->force.upper        = -lower;
    p->force.component[0] = cd_unary(p->e.reader->description->graph, CD_NEG, p->force.component[0]);
    return p->force.component[0] != CD_NO_NODE || cd_reader_no_memory(p->e.reader);
}

static const struct {
    const char* type;
    bool (*read)(pusher* p);
} types[] = {
    {"spring", read_spring},    {"torsion", read_torsion},   {"bushing", read_bushing},
    {"force", read_components}, {"torque", read_components}, {"actuator", read_actuator},
};

bool cd_read_force(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    const cd_def* def = cd_definition(r, CD_DEF_FORCE, level, entry);
    size_t        i   = 0;
    (void)section;
    if (!def || entry->value->broken) return true;
    while (i < sizeof types / sizeof *types && !cd_yaml_get(entry->value, types[i].type)) ++i;
    if (i == sizeof types / sizeof *types) return true;
    pusher p      = {.e     = {.reader  = r,
                               .level   = level,
                               .node    = entry->value,
                               .section = "force",
                               .label   = "force",
                               .name    = def->name},
                     .force = cardan_force_default(def->name, types[i].type)};
    p.force.place = cd_yaml_place(entry->key);
    if (!types[i].read(&p)) {
        entry->value->broken = true;
        return r->status != CARDAN_NO_MEMORY;
    }
    return cardan_add_force(r->description, &p.force) != CARDAN_NONE || cd_reader_no_memory(r);
}
