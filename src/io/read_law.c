// SPDX-License-Identifier: BSD-3-Clause
// Laws of motion: formulas of time alone; and the drivers of joints.
#include "io/read.h"

#include "core/memory.h"
#include "model/description.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What a law looks at beside the time.
static bool of_time(const cd_element* e, const cd_yaml* node, cardan_expression law)
{
    const cardan_view view = cardan_description_view(e->reader->description);
    bool*             seen = cd_allocate((size_t)view.nsignal, sizeof *seen);
    bool ok = seen && cd_dependence(e->reader->description->graph, 1, &law, view.nsignal, seen) == CARDAN_OK;
    if (!ok) cd_reader_no_memory(e->reader);
    for (int i = 0; ok && i < view.nsignal; ++i)
        if (seen[i] && view.signal[i].kind != CARDAN_SIGNAL_TIME && view.signal[i].kind != CARDAN_SIGNAL_PARAMETER)
            ok = cd_element_fail(
                e, node, "a law of motion may depend on t, parameters and tables, not on the motion of the mechanism");
    free(seen);
    return ok;
}

// Tables with kinks ask for jumps of the speed. Operands stand before what uses them.
static bool smooth(const cd_element* e, const cd_yaml* node, cardan_expression law)
{
    const cd_graph* graph = e->reader->description->graph;
    bool*           used  = cd_allocate((size_t)law + 1, sizeof *used);
    if (!used) return cd_reader_no_memory(e->reader);
    bool ok   = true;
    used[law] = true;
    for (int i = law; i >= 0; --i) {
        const cd_operation operation = cd_node_operation(graph, i);
        if (!used[i]) continue;
        for (int k = 0; k < cd_operation_operands(operation); ++k) used[cd_node_operand(graph, i, k)] = true;
        const cardan_table* table =
            operation == CD_TABLE ? &e->reader->description->table[cd_node_index(graph, i)] : NULL;
        if (table && table->interpolation == CARDAN_LINEAR && table->count > 2)
            ok = cd_element_doubt(e, node,
                                  "table '%s' is linear, so the speed of this law jumps at its points; interpolation: "
                                  "cubic is smooth",
                                  table->name) &&
                 ok;
    }
    free(used);
    return ok;
}

bool cd_law(const cd_element* e, const cd_yaml* node, double sign, cardan_expression* law)
{
    cd_graph* graph = e->reader->description->graph;
    if (!cd_motion_formula(e, node, law) || !of_time(e, node, *law) || !smooth(e, node, *law)) return false;
    if (sign < 0) *law = cd_unary(graph, CD_NEG, *law);
    return *law != CD_NO_NODE || cd_reader_no_memory(e->reader);
}

static bool read_drive(const cd_element* e, const cd_yaml* node, const cd_coordinates* c, int i, cardan_expression* law)
{
    *law = CARDAN_NONE;
    if (node->broken) return false;
    if (strcmp(node->text, "free") == 0) return true;
    if (c->kind[i] == 'R')
        return cd_element_fail(
            e, node, "coordinate %d belongs to a rotation about three axes and is no angle of its own: use a lock",
            i + 1);
    return cd_law(e, node, cd_v_sign(e->level, c, i), law);
}

bool cd_read_driver(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    const cd_def*  def  = cd_definition(r, CD_DEF_JOINT, level, entry);
    const cd_yaml* node = cd_yaml_get(entry->value, "driver");
    (void)section;
    if (!def || !node || entry->value->broken || node->broken || def->index < 0) return true;
    const cd_element e = {
        .reader = r, .level = level, .node = entry->value, .section = "joint", .label = "joint", .name = def->name};
    cardan_expression law[CARDAN_JOINT_MAX];
    cd_coordinates    c;
    if (!cd_coordinates_of(&r->description->joint[def->index], &c)) return true;
    const int given = node->kind == CD_YAML_LIST ? node->count : 1;
    if (given != c.nv)
        return cd_element_fail(&e, node,
                               "a %s joint has %d coordinate%s, and %d %s given; `free` is one that is not driven",
                               c.type, c.nv, c.nv == 1 ? "" : "s", given, given == 1 ? "law is" : "laws are"),
               true;
    for (int i = 0; i < given; ++i)
        if (!read_drive(&e, node->kind == CD_YAML_LIST ? node->entry[i].value : node, &c, i, &law[i])) {
            entry->value->broken = true;
            return r->status != CARDAN_NO_MEMORY;
        }
    return cardan_set_driver(r->description, def->index, c.nv, law) || cd_reader_no_memory(r);
}
