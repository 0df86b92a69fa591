// SPDX-License-Identifier: BSD-3-Clause
// States, values, outputs, and run defaults.
#include "io/yaml/read_model.h"

#include "core/escape.h"

#include <math.h>
#include <string.h>

static cd_model_element make_element(cd_reader* r, const cd_level* level, cd_yaml* node, const char* section,
                                     const cd_definition* def)
{
    return (cd_model_element){.reader  = r,
                              .level   = level,
                              .node    = node,
                              .section = section,
                              .label   = section,
                              .name    = def ? def->name : NULL};
}

bool cd_read_state(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    cd_definition* def = cd_find_entry_definition(r, CD_DEFINITION_STATE, level, entry);
    (void)section;
    if (!def || entry->value->has_error) return true;
    const cd_model_element e         = make_element(r, level, entry->value, "state", def);
    const cd_definition*   parameter = cd_find_qualified(r, CD_DEFINITION_PARAMETER, def->name);
    if (parameter)
        return cd_element_fail(&e, entry->key, "a parameter has the same name, line %d", parameter->key->line), true;
    cardan_user_state state = {.name = def->name, .rate = CARDAN_NONE, .location = cd_yaml_location(entry->key)};
    if (!cd_read_number_key(&e, "start", &state.start)) return true;
    def->index = cardan_description_add_state(r->description, &state);
    return def->index != CARDAN_NONE || cd_reader_fail_no_memory(r);
}

bool cd_read_state_rate(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    const cd_definition* def  = cd_find_entry_definition(r, CD_DEFINITION_STATE, level, entry);
    const cd_yaml*       node = cd_yaml_get(entry->value, "rate");
    (void)section;
    if (!def || !node || entry->value->has_error || def->index < 0) return true;
    const cd_model_element e = make_element(r, level, entry->value, "state", def);
    cardan_expression      rate;
    if (cd_read_expression(&e, node, &rate)) cardan_description_set_state_rate(r->description, def->index, rate);
    return r->status != CARDAN_NO_MEMORY;
}

// Check the name of a value and evaluate it, also if no formula uses it.
bool cd_read_value(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    cd_definition* def = cd_find_entry_definition(r, CD_DEFINITION_VALUE, level, entry);
    (void)section;
    if (!def || entry->value->has_error) return true;
    const cd_model_element e         = make_element(r, level, entry->value, "value", def);
    const cd_definition *  parameter = cd_find_qualified(r, CD_DEFINITION_PARAMETER, def->name),
                        *state       = cd_find_qualified(r, CD_DEFINITION_STATE, def->name);
    if (parameter || state)
        return cd_element_fail(&e, entry->key, "a %s has the same name, line %d", parameter ? "parameter" : "state",
                               (parameter ? parameter : state)->key->line),
               true;
    cd_evaluate_definition(r, def);
    return r->status != CARDAN_NO_MEMORY;
}

bool cd_read_output(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    cd_definition* def = cd_find_entry_definition(r, CD_DEFINITION_OUTPUT, level, entry);
    (void)section;
    if (!def || entry->value->has_error) return true;
    const cd_model_element e    = make_element(r, level, entry->value, "output", def);
    const bool             map  = entry->value->kind == CD_YAML_MAP;
    const cd_yaml*         unit = map ? cd_yaml_get(entry->value, "unit") : NULL;
    char                   flaw[CD_FLAW_SIZE];
    if (unit && !unit->has_error && cd_name_error(unit->text, flaw))
        cd_element_fail(&e, unit, "this unit contains %s; use printable characters only, on one line", flaw);
    cardan_output output = {
        .name = def->name, .unit = unit ? unit->text : "", .location = cd_yaml_location(entry->key)};
    if (!cd_evaluate_definition(r, def)) return r->status != CARDAN_NO_MEMORY;
    output.value = def->expression;
    return cardan_description_add_output(r->description, &output) != CARDAN_NONE || cd_reader_fail_no_memory(r);
}

// Reject run defaults that are impossible: more than a billion samples, steps below the round-off of time,
// tolerances out of range.
static bool check_run_defaults(const cd_model_element* e, const cd_yaml* node, const cardan_run_defaults* defaults)
{
    const cd_yaml *output = cd_yaml_get(node, "output"), *step = cd_yaml_get(node, "step"),
                  *tolerance = cd_yaml_get(node, "tolerance");
    const double duration    = defaults->duration > 0 ? defaults->duration : 10;
    if (tolerance && !(defaults->tolerance >= 1e-13 && defaults->tolerance <= 0.1))
        return cd_element_fail(e, tolerance, "'tolerance' must be between 1e-13 and 0.1, not %g", defaults->tolerance);
    if (step && defaults->step < 1e-14 * duration)
        return cd_element_fail(e, step, "a step of %g s is below the rounding error of time", defaults->step);
    if (output && duration / defaults->output_interval > 1e9)
        return cd_element_fail(e, output, "an output interval of %g s gives more than a billion samples",
                               defaults->output_interval);
    return true;
}

static bool check_whole_number(const cd_model_element* e, const cd_yaml* node, const char* key, double number, int most,
                               int* value)
{
    if (number != floor(number) || number > most)
        return cd_element_fail(e, cd_yaml_get(node, key), "'%s' must be a whole number up to %d, not %g", key, most,
                               number);
    *value = (int)number;
    return true;
}

bool cd_read_run_defaults(cd_reader* r, cd_yaml* node)
{
    const cd_model_element e        = make_element(r, r->root_level, node, "run", NULL);
    cardan_run_defaults    defaults = cardan_run_defaults_empty();
    double                 window = 0, iterations = 0;
    const cd_yaml *integrator = cd_yaml_get(node, "integrator"), *formulation = cd_yaml_get(node, "formulation"),
                  *stabilization = cd_yaml_get(node, "stabilization"), *stop = cd_yaml_get(node, "stop");
    const struct {
        const char* key;
        double*     value;
    } number_keys[] = {{"duration", &defaults.duration},
                       {"output", &defaults.output_interval},
                       {"step", &defaults.step},
                       {"tolerance", &defaults.tolerance},
                       {"epsilon", &defaults.regularization},
                       {"gap", &defaults.violation_tolerance},
                       {"pull", &defaults.baumgarte_rate},
                       {"window", &window},
                       {"iterations", &iterations}};
    if (node->has_error) return false;
    for (size_t i = 0; i < sizeof number_keys / sizeof *number_keys; ++i) {
        const cd_yaml* given = cd_yaml_get(node, number_keys[i].key);
        if (!cd_read_number_key(&e, number_keys[i].key, number_keys[i].value)) return false;
        if (given && !(*number_keys[i].value > 0))
            return cd_element_fail(&e, given, "'%s' must be positive, not %g", number_keys[i].key,
                                   *number_keys[i].value);
    }
    if (!check_run_defaults(&e, node, &defaults)) return false;
    if (!check_whole_number(&e, node, "window", window, 1000000, &defaults.window) ||
        !check_whole_number(&e, node, "iterations", iterations, 20, &defaults.max_iterations))
        return false;
    if (stop && !cd_read_expression(&e, stop, &defaults.stop_condition)) return false;
    defaults.integrator    = integrator && !integrator->has_error ? integrator->text : NULL;
    defaults.formulation   = formulation && !formulation->has_error ? formulation->text : NULL;
    defaults.stabilization = stabilization && !stabilization->has_error ? stabilization->text : NULL;
    if (defaults.stabilization) defaults.stabilization_location = cd_yaml_location(stabilization);
    if (defaults.integrator) defaults.integrator_location = cd_yaml_location(integrator);
    if (defaults.formulation) defaults.formulation_location = cd_yaml_location(formulation);
    cardan_description_set_run_defaults(r->description, &defaults);
    return true;
}
