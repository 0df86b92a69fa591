// SPDX-License-Identifier: BSD-3-Clause
// Driver functions, which depend only on time, and the drivers of joints.
#include "io/yaml/read_model.h"

#include "core/memory.h"
#include "model/description.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Report a driver function that depends on signals other than time and parameters.
static bool check_time_only(const cd_model_element* e, const cd_yaml* node, cardan_expression driver)
{
    const cardan_description_view view       = cardan_description_get_view(e->reader->description);
    bool*                         referenced = cd_allocate((size_t)view.nsignal, sizeof *referenced);
    bool                          ok =
        referenced && cd_dependence(e->reader->description->graph, 1, &driver, view.nsignal, referenced) == CARDAN_OK;
    if (!ok) cd_reader_fail_no_memory(e->reader);
    for (int i = 0; ok && i < view.nsignal; ++i)
        if (referenced[i] && view.signal[i].kind != CARDAN_SIGNAL_TIME &&
            view.signal[i].kind != CARDAN_SIGNAL_PARAMETER)
            ok = cd_element_fail(
                e, node,
                "a driver function may depend on t, parameters and tables, not on the motion of the mechanism");
    free(referenced);
    return ok;
}

// Warn of linear tables, which cause jumps of the driver velocity. Operands have lower indices than
// the nodes that use them.
static bool check_smooth(const cd_model_element* e, const cd_yaml* node, cardan_expression driver)
{
    const cd_graph* graph = e->reader->description->graph;
    bool*           used  = cd_allocate((size_t)driver + 1, sizeof *used);
    if (!used) return cd_reader_fail_no_memory(e->reader);
    bool ok      = true;
    used[driver] = true;
    for (int i = driver; i >= 0; --i) {
        const cd_operation operation = cd_node_operation(graph, i);
        if (!used[i]) continue;
        for (int k = 0; k < cd_operation_operands(operation); ++k) used[cd_node_operand(graph, i, k)] = true;
        const cardan_table* table =
            operation == CD_TABLE ? &e->reader->description->table[cd_node_index(graph, i)] : NULL;
        if (table && table->interpolation == CARDAN_INTERPOLATION_LINEAR && table->count > 2)
            ok = cd_element_warn(
                     e, node,
                     "table '%s' is linear, so the rate of this driver function jumps at its points; interpolation: "
                     "cubic is smooth",
                     table->name) &&
                 ok;
    }
    free(used);
    return ok;
}

bool cd_read_driver_function(const cd_model_element* e, const cd_yaml* node, double sign, cardan_expression* driver)
{
    cd_graph* graph = e->reader->description->graph;
    if (!cd_read_expression(e, node, driver) || !check_time_only(e, node, *driver) || !check_smooth(e, node, *driver))
        return false;
    if (sign < 0) *driver = cd_unary(graph, CD_NEG, *driver);
    return *driver != CD_NO_NODE || cd_reader_fail_no_memory(e->reader);
}

static bool read_coordinate_driver(const cd_model_element* e, const cd_yaml* node, const cd_coordinate_layout* c, int i,
                                   cardan_expression* driver)
{
    *driver = CARDAN_NONE;
    if (node->has_error) return false;
    if (strcmp(node->text, "free") == 0) return true;
    if (c->kind[i] == 'R')
        return cd_element_fail(
            e, node, "coordinate %d is part of a spatial rotation and not an angle: use a lock constraint", i + 1);
    return cd_read_driver_function(e, node, cd_v_sign(e->level, c, i), driver);
}

bool cd_read_joint_drivers(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    const cd_definition* def  = cd_find_entry_definition(r, CD_DEFINITION_JOINT, level, entry);
    const cd_yaml*       node = cd_yaml_get(entry->value, "driver");
    (void)section;
    if (!def || !node || entry->value->has_error || node->has_error || def->index < 0) return true;
    const cd_model_element e = {
        .reader = r, .level = level, .node = entry->value, .section = "joint", .label = "joint", .name = def->name};
    cardan_expression    driver[CARDAN_JOINT_VELOCITIES_MAX];
    cd_coordinate_layout c;
    if (!cd_coordinate_layout_of(&r->description->joint[def->index], &c)) return true;
    const int given = node->kind == CD_YAML_LIST ? node->count : 1;
    if (given != c.nv)
        return cd_element_fail(
                   &e, node,
                   "a %s joint has %d coordinate%s, but %d %s given; use `free` for a coordinate that is not driven",
                   c.type, c.nv, c.nv == 1 ? "" : "s", given,
                   given == 1 ? "driver function is" : "driver functions are"),
               true;
    for (int i = 0; i < given; ++i)
        if (!read_coordinate_driver(&e, node->kind == CD_YAML_LIST ? node->entry[i].value : node, &c, i, &driver[i])) {
            entry->value->has_error = true;
            return r->status != CARDAN_NO_MEMORY;
        }
    return cardan_description_set_joint_drivers(r->description, def->index, c.nv, driver) ||
           cd_reader_fail_no_memory(r);
}
