// SPDX-License-Identifier: BSD-3-Clause
// State file: {"joints": {name: {"q": [...], "v": [...], "a": [...]}}, "states": {name: number}, "time": number}, each
// part optional. Reports are accepted, too: `run --json` has the state under "final", `accel --json` under "results".
#include "cli/support/loaded_model.h"

#include "cli/cli_tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* joint_candidate(void* user, int i)
{
    const cd_model_instance* c = user;
    return i < c->model_view.njoint ? cardan_model_joint_name(c->model, i) : NULL;
}

static const char* state_candidate(void* user, int i)
{
    const cardan_description_view* view = user;
    return i < view->nstate ? view->state[i].name : NULL;
}

static cardan_status fail_unknown(const cd_json_document* d, const cd_json_node* node, const char* what,
                                  const char* suggestion, cardan_report* report)
{
    return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, cd_json_key_location(d, node),
                       "the mechanism has no %s '%s'%s%s%s", what, node->key, suggestion ? " (did you mean '" : "",
                       suggestion ? suggestion : "", suggestion ? "'?)" : "");
}

// Read the values of joint `name`; for a cut joint they are optional. *given: they are present.
static cardan_status read_values(const cd_json_document* d, const cd_json_node* node, const char* name, int count,
                                 bool cut, double* value, bool* given, cardan_report* report)
{
    char what[160];
    snprintf(what, sizeof what, "%s of joint '%s'", node->key, name);
    *given           = false;
    const bool empty = node->kind == CD_JSON_ARRAY && node->count == 0;
    if (empty && (cut || count == 0)) return CARDAN_OK;
    if (count == 0)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_STATE_INVALID, cd_json_location(d, node),
                           "%s: the joint has no coordinates", what);
    *given = true;
    return cd_json_read_numbers(d, node, what, count, value, report);
}

// Check the quaternion at the end of q.
static cardan_status check_quaternion(const cd_json_document* d, const cd_json_node* node,
                                      const cardan_index_range* range, const double* q, cardan_report* report)
{
    if (range->nq == range->nv) return CARDAN_OK;
    const double* e = q + range->nq - 4;
    const double  n = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    if (n > cd_quaternion_norm_min) return CARDAN_OK;
    return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_STATE_INVALID, cd_json_location(d, node),
                       "the last four values of q are a quaternion, which must not be zero");
}

// Read q, v or a of a joint: into its start values, and into the state vectors if the joint is in the tree.
static cardan_status read_part(const cd_json_document* d, const cd_json_node* n, const char* name, cd_model_instance* c,
                               int joint, cardan_report* report)
{
    const cardan_index_range* range = &c->model_view.tree_range[joint];
    cardan_joint_start*       start = &c->start[joint];
    double                    a[CARDAN_JOINT_VELOCITIES_MAX];
    const bool    cut = range->q < 0, position = strcmp(n->key, "q") == 0, velocity = strcmp(n->key, "v") == 0;
    const int     count = position ? range->nq : range->nv;
    double*       value = position ? start->q : velocity ? start->v : a;
    bool          given;
    cardan_status status = read_values(d, n, name, count, cut, value, &given, report);
    if (status == CARDAN_OK && position && given) status = check_quaternion(d, n, range, value, report);
    if (status != CARDAN_OK || !given) return status;
    if (position) start->position_mode = CARDAN_START_FIXED;
    if (velocity) start->velocity_mode = CARDAN_START_FIXED;
    if (!cut)
        memcpy(position ? c->q + range->q : (velocity ? c->v : c->a) + range->v, value, (size_t)count * sizeof *value);
    return CARDAN_OK;
}

static cardan_status read_joint(const cd_json_document* d, const cd_json_node* node, cd_model_instance* c, int joint,
                                cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    if (node->kind != CD_JSON_OBJECT)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_STATE_INVALID, cd_json_location(d, node),
                           "joint '%s' needs {\"q\": [...], \"v\": [...]}, not %s", node->key,
                           cd_json_kind_text(node->kind));
    for (const cd_json_node* n = node->first; n; n = n->next) {
        cardan_status s = CARDAN_OK;
        if (strcmp(n->key, "q") == 0 || strcmp(n->key, "v") == 0 || strcmp(n->key, "a") == 0)
            s = read_part(d, n, node->key, c, joint, report);
        else if (strcmp(n->key, "effort") != 0)
            s = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_STATE_INVALID, cd_json_key_location(d, n),
                            "joint '%s': a state has the keys q and v, not '%s'", node->key, n->key);
        if (s != CARDAN_OK) status = s;
    }
    return status;
}

// If the state file has values of all joints, they become guesses: the state was assembled before or is approximate.
// Values of only some joints stay fixed.
static void treat_complete_state_as_guess(cd_model_instance* c)
{
    bool position = true, velocity = true;
    for (int j = 0; j < c->model_view.njoint; ++j) {
        if (c->model_view.tree_range[j].nq == 0) continue;
        position = position && c->start[j].position_mode == CARDAN_START_FIXED;
        velocity = velocity && c->start[j].velocity_mode == CARDAN_START_FIXED;
    }
    for (int j = 0; j < c->model_view.njoint; ++j) {
        if (position) c->start[j].position_mode = CARDAN_START_GUESS;
        if (velocity) c->start[j].velocity_mode = CARDAN_START_GUESS;
    }
}

static int find_joint(const cd_model_instance* c, const char* name)
{
    const int described = cardan_description_find_joint(cardan_model_description(c->model), name);
    if (described != CARDAN_NONE) return described;
    const cardan_description_view view = cardan_description_get_view(cardan_model_description(c->model));
    for (int j = view.njoint; j < c->model_view.njoint; ++j)
        if (strcmp(cardan_model_joint_name(c->model, j), name) == 0) return j;
    return CARDAN_NONE;
}

static cardan_status read_joints(const cd_json_document* d, const cd_json_node* joints, cd_model_instance* c,
                                 cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (const cd_json_node* n = joints->first; n; n = n->next) {
        const int           j = find_joint(c, n->key);
        const cardan_status s = j == CARDAN_NONE
                                    ? fail_unknown(d, n, "joint", cd_nearest_name(n->key, joint_candidate, c), report)
                                    : read_joint(d, n, c, j, report);
        if (s != CARDAN_OK) status = s;
    }
    return status;
}

static cardan_status read_states(const cd_json_document* d, const cd_json_node* states, cd_model_instance* c,
                                 cardan_report* report)
{
    const cardan_description* description = cardan_model_description(c->model);
    cardan_description_view   view        = cardan_description_get_view(description);
    cardan_status             status      = CARDAN_OK;
    for (const cd_json_node* n = states->first; n; n = n->next) {
        const int           i = cardan_description_find_state(description, n->key);
        const cardan_status s =
            i == CARDAN_NONE ? fail_unknown(d, n, "state", cd_nearest_name(n->key, state_candidate, &view), report)
                             : cd_json_read_numbers(d, n, n->key, 1, c->state + i, report);
        if (s != CARDAN_OK) status = s;
    }
    return status;
}

// The time is in "final" (time of the last sample) and at the top level (end of the run) of `run --json`, at the top
// level only of `assemble`.
cardan_status cd_state_file_time(const cd_json_document* d, double* t, cardan_report* report)
{
    const cd_json_node* root  = cd_json_root(d);
    const cd_json_node* final = root->kind == CD_JSON_OBJECT ? cd_json_find(d, root, "final") : NULL;
    const cd_json_node* node  = final && final->kind == CD_JSON_OBJECT ? cd_json_find(d, final, "time") : NULL;
    if (!node && root->kind == CD_JSON_OBJECT) node = cd_json_find(d, root, "time");
    return node ? cd_json_read_numbers(d, node, "time", 1, t, report) : CARDAN_OK;
}

// Keys allowed in a state: those that are read, and the bodies that `run` prints.
static const char* const state_key[] = {"joints", "states", "time", "bodies"};
enum { STATE_KEYS = sizeof state_key / sizeof *state_key };

static const char* key_candidate(void* user, int i)
{
    (void)user;
    return i < STATE_KEYS ? state_key[i] : NULL;
}

// Report keys of a state that would be ignored.
static cardan_status check_keys(const cd_json_document* d, const cd_json_node* state, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (const cd_json_node* n = state->first; n; n = n->next) {
        bool known = false;
        for (int i = 0; i < STATE_KEYS; ++i) known = known || strcmp(n->key, state_key[i]) == 0;
        if (known) continue;
        const char* suggestion = cd_nearest_name(n->key, key_candidate, NULL);
        status =
            cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_STATE_INVALID, cd_json_key_location(d, n),
                        "a state has the keys joints, states and time, not '%s'%s%s%s", n->key,
                        suggestion ? " (did you mean '" : "", suggestion ? suggestion : "", suggestion ? "'?)" : "");
    }
    return status;
}

// Report a second state at the top level of a report, which would be ignored.
static cardan_status check_report(const cd_json_document* d, const cd_json_node* root, const char* where,
                                  cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (const cd_json_node* n = root->first; n; n = n->next)
        if (strcmp(n->key, "joints") == 0 || strcmp(n->key, "states") == 0)
            status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_STATE_INVALID, cd_json_key_location(d, n),
                                 "'%s' conflicts with '%s': the state is read from '%s' only", n->key, where, where);
    return status;
}

// Find the object with the state and check its keys; NULL after an error.
static const cd_json_node* find_state(const cd_json_document* d, cardan_report* report)
{
    const cd_json_node* root = cd_json_root(d);
    if (root->kind != CD_JSON_OBJECT) return root; // the caller reports this
    const cd_json_node* final   = cd_json_find(d, root, "final");
    const cd_json_node* results = cd_json_find(d, root, "results");
    if (final) {
        if (check_report(d, root, "final", report)) return NULL;
        return final->kind == CD_JSON_OBJECT && check_keys(d, final, report) ? NULL : final;
    }
    if (results && results->kind == CD_JSON_ARRAY && results->first)
        return check_report(d, root, "results", report) ? NULL : results->first;
    return check_keys(d, root, report) ? NULL : root;
}

cardan_status cd_state_file_apply(const cd_json_document* d, cd_model_instance* c, cardan_report* report)
{
    const cd_json_node* root = find_state(d, report);
    if (!root) return CARDAN_BAD_INPUT;
    const bool          object = root->kind == CD_JSON_OBJECT;
    const cd_json_node* joints = object ? cd_json_find(d, root, "joints") : NULL;
    const cd_json_node* states = object ? cd_json_find(d, root, "states") : NULL;
    if ((joints && joints->kind != CD_JSON_OBJECT) || (states && states->kind != CD_JSON_OBJECT) ||
        (!joints && !states))
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_STATE_INVALID, cd_json_location(d, root),
                           "a state file needs {\"joints\": {NAME: {\"q\": [...], \"v\": [...]}}}");
    cardan_status status = joints ? read_joints(d, joints, c, report) : CARDAN_OK;
    if (joints) treat_complete_state_as_guess(c);
    if (states) {
        const cardan_status s = read_states(d, states, c, report);
        if (s != CARDAN_OK) status = s;
    }
    return status;
}
