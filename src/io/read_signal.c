// SPDX-License-Identifier: BSD-3-Clause
// States, outputs, and how the file wants itself run.
#include "io/read.h"

#include "core/escape.h"

#include <math.h>
#include <string.h>

static cd_element element(cd_reader* r, const cd_level* level, cd_yaml* node, const char* section, const cd_def* def)
{
    return (cd_element){.reader  = r,
                        .level   = level,
                        .node    = node,
                        .section = section,
                        .label   = section,
                        .name    = def ? def->name : NULL};
}

bool cd_read_state(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    cd_def* def = cd_definition(r, CD_DEF_STATE, level, entry);
    (void)section;
    if (!def || entry->value->broken) return true;
    const cd_element e         = element(r, level, entry->value, "state", def);
    const cd_def*    parameter = cd_find_full(r, CD_DEF_PARAMETER, def->name);
    if (parameter)
        return cd_element_fail(&e, entry->key, "there is a parameter of the same name, line %d", parameter->key->line),
               true;
    cardan_state state = {.name = def->name, .rate = CARDAN_NONE, .place = cd_yaml_place(entry->key)};
    if (!cd_get_number(&e, "start", &state.start)) return true;
    def->index = cardan_add_state(r->description, &state);
    return def->index != CARDAN_NONE || cd_reader_no_memory(r);
}

bool cd_read_state_rate(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    const cd_def*  def  = cd_definition(r, CD_DEF_STATE, level, entry);
    const cd_yaml* node = cd_yaml_get(entry->value, "rate");
    (void)section;
    if (!def || !node || entry->value->broken || def->index < 0) return true;
    const cd_element  e = element(r, level, entry->value, "state", def);
    cardan_expression rate;
    if (cd_motion_formula(&e, node, &rate)) cardan_set_state_rate(r->description, def->index, rate);
    return r->status != CARDAN_NO_MEMORY;
}

bool cd_read_output(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    const cd_def* def = cd_definition(r, CD_DEF_OUTPUT, level, entry);
    (void)section;
    if (!def || entry->value->broken) return true;
    const cd_element e     = element(r, level, entry->value, "output", def);
    const bool       map   = entry->value->kind == CD_YAML_MAP;
    const cd_yaml *  value = map ? cd_yaml_get(entry->value, "value") : entry->value,
                  *unit    = map ? cd_yaml_get(entry->value, "unit") : NULL;
    char flaw[CD_FLAW];
    if (unit && !unit->broken && cd_name_flaw(unit->text, flaw))
        cd_element_fail(&e, unit, "this unit holds %s; write printable characters alone, on one line", flaw);
    cardan_output output = {.name = def->name, .unit = unit ? unit->text : "", .place = cd_yaml_place(entry->key)};
    if (!value || !cd_motion_formula(&e, value, &output.value)) return r->status != CARDAN_NO_MEMORY;
    return cardan_add_output(r->description, &output) != CARDAN_NONE || cd_reader_no_memory(r);
}

// What no run can be: more than a billion rows, steps that rounding swallows, tolerances that mean nothing.
static bool check_wish(const cd_element* e, const cd_yaml* node, const cardan_run_wish* wish)
{
    const cd_yaml *output = cd_yaml_get(node, "output"), *step = cd_yaml_get(node, "step"),
                  *tolerance = cd_yaml_get(node, "tolerance");
    const double duration    = wish->duration > 0 ? wish->duration : 10;
    if (tolerance && !(wish->tolerance >= 1e-13 && wish->tolerance <= 0.1))
        return cd_element_fail(e, tolerance, "'tolerance' must lie between 1e-13 and 0.1, not at %g", wish->tolerance);
    if (step && wish->step < 1e-14 * duration)
        return cd_element_fail(e, step, "a step of %g s is lost in the rounding of time", wish->step);
    if (output && duration / wish->output > 1e9)
        return cd_element_fail(e, output, "more than a billion rows come of one every %g s", wish->output);
    return true;
}

static bool whole(const cd_element* e, const cd_yaml* node, const char* key, double number, int most, int* value)
{
    if (number != floor(number) || number > most)
        return cd_element_fail(e, cd_yaml_get(node, key), "'%s' must be a whole number up to %d, not %g", key, most,
                               number);
    *value = (int)number;
    return true;
}

bool cd_read_run(cd_reader* r, cd_yaml* node)
{
    const cd_element e      = element(r, r->top, node, "run", NULL);
    cardan_run_wish  wish   = cardan_run_wish_default();
    double           window = 0, iterations = 0;
    const cd_yaml *  integrator = cd_yaml_get(node, "integrator"), *formulation = cd_yaml_get(node, "formulation"),
                  *stabilization = cd_yaml_get(node, "stabilization"), *stop = cd_yaml_get(node, "stop");
    const struct {
        const char* key;
        double*     value;
    } times[] = {{"duration", &wish.duration},   {"output", &wish.output},   {"step", &wish.step},
                 {"tolerance", &wish.tolerance}, {"epsilon", &wish.epsilon}, {"gap", &wish.gap},
                 {"pull", &wish.pull},           {"window", &window},        {"iterations", &iterations}};
    if (node->broken) return false;
    for (size_t i = 0; i < sizeof times / sizeof *times; ++i) {
        const cd_yaml* given = cd_yaml_get(node, times[i].key);
        if (!cd_get_number(&e, times[i].key, times[i].value)) return false;
        if (given && !(*times[i].value > 0))
            return cd_element_fail(&e, given, "'%s' must be positive, not %g", times[i].key, *times[i].value);
    }
    if (!check_wish(&e, node, &wish)) return false;
    if (!whole(&e, node, "window", window, 1000000, &wish.window) ||
        !whole(&e, node, "iterations", iterations, 20, &wish.iterations))
        return false;
    if (stop && !cd_motion_formula(&e, stop, &wish.stop)) return false;
    wish.integrator    = integrator && !integrator->broken ? integrator->text : NULL;
    wish.formulation   = formulation && !formulation->broken ? formulation->text : NULL;
    wish.stabilization = stabilization && !stabilization->broken ? stabilization->text : NULL;
    if (wish.stabilization) wish.stabilization_place = cd_yaml_place(stabilization);
    if (wish.integrator) wish.integrator_place = cd_yaml_place(integrator);
    if (wish.formulation) wish.formulation_place = cd_yaml_place(formulation);
    cardan_set_run(r->description, &wish);
    return true;
}
