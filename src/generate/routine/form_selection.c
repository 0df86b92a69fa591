// SPDX-License-Identifier: BSD-3-Clause
// Forms of the tree alone need inertia behind every joint. Forms of the whole mechanism do not, if loops determine the
// motion of massless links. Whether a form exists is decided by the runtime library at every test state.
#include "generate/routine/form_selection.h"

#include "core/text.h"
#include "model/description.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cd_form_is_listed(const char* forms, const char* form)
{
    const size_t n = strlen(form);
    for (const char* at = forms; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, form, n) == 0 && (at[n] == ',' || at[n] == 0)) return true;
    return false;
}

bool cd_form_is_requested(const char* forms, const cd_routine* routine)
{
    return forms ? cd_form_is_listed(forms, routine->form) : (routine->arguments & CD_ONLY_IF_NAMED) == 0;
}

static const char* form_at(void* user, int i)
{
    (void)user;
    return cd_routine_at(i) ? cd_routine_at(i)->form : NULL;
}

cardan_status cd_forms_check_names(const char* forms, cardan_report* report)
{
    for (const char* at = forms; at && *at;) {
        const size_t n = strcspn(at, ",");
        char         word[64];
        bool         known = false;
        for (int i = 0; i < cd_routine_count(); ++i)
            known = known || (strlen(form_at(NULL, i)) == n && strncmp(form_at(NULL, i), at, n) == 0);
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        const char* suggestion = known ? NULL : cd_nearest_name(word, form_at, NULL);
        if (!known)
            return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_UNKNOWN_NAME, cardan_location_none(),
                               "there is no form '%.*s'%s%s%s; see `cardan list forms`", (int)n, at,
                               suggestion ? " (did you mean '" : "", suggestion ? suggestion : "",
                               suggestion ? "'?)" : "");
        at += n + (at[n] == ',');
    }
    return CARDAN_OK;
}

// True for forms that compute accelerations from efforts, without forces and loops of the model.
static bool is_tree_form(const cd_routine* routine)
{
    return (routine->arguments & (CD_TAKES_EFFORT | CD_TAKES_STATE)) == CD_TAKES_EFFORT;
}

// Copy the sentence of the last message of the library, without location and severity.
static void copy_message(const cardan_report* messages, cardan_status status, cd_text* reason)
{
    cd_text_add(reason, messages->count > 0 ? cardan_message_sentence(&messages->message[messages->count - 1])
                                            : cardan_status_text(status));
}

cardan_status cd_forms_refuse_drivable(const cardan_model* m, cardan_report* report)
{
    for (int j = 0; j < m->view.njoint; ++j)
        for (int k = 0; k < m->view.joint[j].ndriver; ++k)
            if (cd_is_drivable(m->description, j, k))
                return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, m->view.joint[j].location,
                                   "joint '%s' is drivable, which generated code does not support",
                                   m->view.joint[j].name);
    return CARDAN_OK;
}

cardan_status cd_form_check_model(const cd_routine* routine, const cardan_model* m, cd_text* reason,
                                  cardan_location* location)
{
    cardan_report messages;
    cardan_report_clear(&messages);
    const cardan_status status = routine->check_model(m, &messages);
    *location                  = cardan_location_none();
    if (status != CARDAN_OK) copy_message(&messages, status, reason);
    return reason->failed ? CARDAN_NO_MEMORY : status;
}

static size_t output_count(const cd_routine* routine, const cardan_model* m)
{
    cd_routine_result result[CD_MAX_RESULTS];
    size_t            n       = 0;
    const int         nresult = routine->describe_results(m, result);
    for (int k = 0; k < nresult; ++k) n += (size_t)cd_result_count(&result[k]);
    return n;
}

// Evaluate the reference at an input. Returns CARDAN_NOT_FINITE if a result is not finite.
static cardan_status evaluate_reference(const cd_code_unit* unit, cd_runtime_reference* reference,
                                        const cd_routine* routine, const double* x, double* result,
                                        cardan_report* report)
{
    const size_t  n      = output_count(routine, unit->model);
    cardan_status status = cd_runtime_reference_set_state(reference, &unit->in, x);
    if (status == CARDAN_OK) status = routine->reference(reference, &unit->in, x, result, report);
    for (size_t i = 0; status == CARDAN_OK && i < n; ++i)
        if (!isfinite(result[i]))
            status = cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_NOT_FINITE, cardan_location_none(),
                                 "a result is not finite at t = %g s", x[unit->in.time]);
    return status;
}

int cd_forms_count_not_finite(const cd_code_unit* unit, cd_runtime_reference* reference, const char* forms,
                              const double* x)
{
    int count = 0;
    for (int i = 0; count >= 0 && i < cd_routine_count(); ++i) {
        const cd_routine* routine = cd_routine_at(i);
        if (!(routine->arguments & CD_TAKES_TIME) || !cd_form_is_requested(forms, routine)) continue;
        if (routine->check_model && routine->check_model(unit->model, NULL) != CARDAN_OK) continue;
        double*             result = cd_allocate(output_count(routine, unit->model) + 1, sizeof *result);
        const cardan_status status =
            result ? evaluate_reference(unit, reference, routine, x, result, NULL) : CARDAN_NO_MEMORY;
        if (status == CARDAN_NOT_FINITE) ++count;
        if (status == CARDAN_NO_MEMORY) count = -1;
        free(result);
    }
    return count;
}

cardan_status cd_form_check_states(const cd_code_unit* unit, cd_runtime_reference* reference, const cd_routine* routine,
                                   cd_text* reason, cardan_location* location)
{
    cardan_status status = CARDAN_OK;
    double*       result = cd_allocate(output_count(routine, unit->model) + 1, sizeof *result);
    if (!result) return CARDAN_NO_MEMORY;
    cardan_report messages;
    cardan_report_clear(&messages);
    for (int k = unit->ntest; status == CARDAN_OK && k >= 0; --k)
        status = evaluate_reference(unit, reference, routine, unit->test_input + (size_t)k * (size_t)unit->in.count,
                                    result, &messages);
    free(result);
    *location = cardan_location_none();
    if (status == CARDAN_OK) return status;
    if (cd_runtime_reference_massless_velocity(reference) >= 0 && is_tree_form(routine)) {
        int        local;
        const bool loops = cardan_model_get_view(unit->model).nconstraint > 0;
        const int  j =
            cardan_model_joint_of_velocity(unit->model, cd_runtime_reference_massless_velocity(reference), &local);
        if (j < unit->model->view.njoint) *location = unit->model->view.joint[j].location;
        cd_text_format(reason, "%s no inertia acts on the motion of joint '%s'; ",
                       loops ? "in the spanning tree without constraints" : "in this mechanism",
                       unit->model->joint[j].name);
        cd_text_add(reason, loops ? "form 'motion' includes the constraints"
                                  : "give the bodies that it moves inertia, or the joint an armature");
    } else if (status == CARDAN_NOT_FINITE) {
        cd_text_add(reason, "results are not finite near the start (");
        copy_message(&messages, status, reason);
        cd_text_add(reason,
                    "); choose a start around which all formulas are defined, or extend them, as in sqrt(max(x, 0))");
    } else
        copy_message(&messages, status, reason);
    return reason->failed ? CARDAN_NO_MEMORY : status;
}

void cd_form_fail_memory(const char* form, const cardan_model* m, cardan_report* report)
{
    const bool factored = form && strcmp(form, "exp1") == 0;
    cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                "out of memory %s%s%s of '%s' (%d velocities)%s", form ? "in form '" : "in the code", form ? form : "",
                form ? "'" : "", m->view.name, m->nv,
                factored ? "; form 'exp2' computes the same and grows only linearly with the number of bodies"
                         : "; name fewer or smaller forms");
}

bool cd_unavailable_forms_add(cd_unavailable_forms* unavailable, const char* form, cd_text* reason,
                              cardan_location location)
{
    if (unavailable->n == (int)(sizeof unavailable->form / sizeof *unavailable->form) || reason->failed) return false;
    unavailable->form[unavailable->n]     = form;
    unavailable->location[unavailable->n] = location;
    unavailable->reason[unavailable->n]   = cd_text_detach(reason);
    return unavailable->reason[unavailable->n++] != NULL;
}

void cd_unavailable_forms_report(const cd_unavailable_forms* unavailable, cardan_report* report)
{
    for (int i = 0; i < unavailable->n; ++i) {
        cd_text forms    = {0};
        bool    reported = false;
        for (int k = 0; k < i; ++k) reported = reported || strcmp(unavailable->reason[k], unavailable->reason[i]) == 0;
        if (reported) continue;
        int count = 0;
        for (int k = i; k < unavailable->n; ++k)
            if (strcmp(unavailable->reason[k], unavailable->reason[i]) == 0)
                cd_text_format(&forms, "%s'%s'", count++ > 0 ? ", " : "", unavailable->form[k]);
        if (forms.failed)
            cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(), "out of memory");
        else
            cardan_note(report, CARDAN_CODE_FORM_UNAVAILABLE, unavailable->location[i], "%s %s omitted: %s",
                        count > 1 ? "forms" : "form", forms.data, unavailable->reason[i]);
        cd_text_free(&forms);
    }
}

void cd_unavailable_forms_release(cd_unavailable_forms* unavailable)
{
    for (int i = 0; i < unavailable->n; ++i) free(unavailable->reason[i]);
    unavailable->n = 0;
}
