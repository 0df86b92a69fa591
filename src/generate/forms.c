// SPDX-License-Identifier: BSD-3-Clause
// Forms of the tree alone need inertia behind every joint; whole mechanisms do not, where loops carry what has none.
// Whether a form exists is asked of the library, at every state where the form would be tested.
#include "generate/forms.h"

#include "core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cd_form_listed(const char* forms, const char* form)
{
    const size_t n = strlen(form);
    for (const char* at = forms; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, form, n) == 0 && (at[n] == ',' || at[n] == 0)) return true;
    return false;
}

static const char* form_at(void* user, int i)
{
    (void)user;
    return cd_routine_at(i) ? cd_routine_at(i)->form : NULL;
}

cardan_status cd_forms_check(const char* forms, cardan_report* report)
{
    for (const char* at = forms; at && *at;) {
        const size_t n = strcspn(at, ",");
        char         word[64];
        bool         known = false;
        for (int i = 0; i < cd_routine_count(); ++i)
            known = known || (strlen(form_at(NULL, i)) == n && strncmp(form_at(NULL, i), at, n) == 0);
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        const char* near = known ? NULL : cd_nearest(word, form_at, NULL);
        if (!known)
            return cardan_fail(report, CARDAN_BAD_USAGE, cardan_nowhere(),
                               "there is no form '%.*s'%s%s%s; see `cardan list forms`", (int)n, at,
                               near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
        at += n + (at[n] == ',');
    }
    return CARDAN_OK;
}

// Accelerations for efforts, without forces of the model and without its loops.
static bool is_of_tree(const cd_routine* routine)
{
    return (routine->takes & (CD_TAKES_EFFORT | CD_TAKES_STATE)) == CD_TAKES_EFFORT;
}

// The sentence of the library's own message, without its place and the word before it.
static void take_sentence(const cardan_report* said, cardan_status status, cd_text* why)
{
    const char* text = said->count > 0 ? said->message[said->count - 1].text : cardan_status_text(status);
    const char* at   = strstr(text, "error: ");
    cd_text_add(why, at ? at + strlen("error: ") : text);
}

cardan_status cd_form_allowed(const cd_routine* routine, const cardan_model* m, cd_text* why, cardan_place* place)
{
    cardan_report said;
    cardan_report_clear(&said);
    const cardan_status status = routine->allows(m, &said);
    *place                     = cardan_nowhere();
    if (status != CARDAN_OK) take_sentence(&said, status, why);
    return why->failed ? CARDAN_NO_MEMORY : status;
}

cardan_status cd_form_exists(const cd_sheet* sheet, cd_referee* referee, const cd_routine* routine, cd_text* why,
                             cardan_place* place)
{
    cd_result     result[CD_RESULTS];
    size_t        n       = 0;
    cardan_status status  = CARDAN_OK;
    const int     nresult = routine->results(sheet->model, result);
    for (int k = 0; k < nresult; ++k) n += (size_t)cd_result_count(&result[k]);
    double* all = cd_allocate(n + 1, sizeof *all);
    if (!all) return CARDAN_NO_MEMORY;
    cardan_report said;
    cardan_report_clear(&said);
    for (int k = sheet->nvector; status == CARDAN_OK && k >= 0; --k) {
        const double* x = sheet->input + (size_t)k * (size_t)sheet->in.count;
        status          = cd_referee_set(referee, &sheet->in, x);
        if (status == CARDAN_OK) status = routine->reference(referee, &sheet->in, x, all, &said);
    }
    free(all);
    *place = cardan_nowhere();
    if (status == CARDAN_OK) return status;
    if (cd_referee_loose(referee) >= 0 && is_of_tree(routine)) {
        int        local;
        const bool loops = cardan_model_look(sheet->model).nconstraint > 0;
        const int  j     = cardan_model_joint_of_velocity(sheet->model, cd_referee_loose(referee), &local);
        if (j < sheet->model->view.njoint) *place = sheet->model->view.joint[j].place;
        cd_text_format(why, "%s nothing resists the motion of joint '%s'; ",
                       loops ? "it is of the tree alone, and without its constraints" : "in this mechanism",
                       sheet->model->joint[j].name);
        cd_text_add(why,
                    loops ? "form 'motion' has them" : "give what it carries an inertia, or the joint an armature");
    } else
        take_sentence(&said, status, why);
    return why->failed ? CARDAN_NO_MEMORY : status;
}

bool cd_form_leave_out(cd_missing* missing, const char* form, cd_text* why, cardan_place place)
{
    if (missing->n == (int)(sizeof missing->form / sizeof *missing->form) || why->failed) return false;
    missing->form[missing->n]  = form;
    missing->place[missing->n] = place;
    missing->why[missing->n]   = cd_text_take(why);
    return missing->why[missing->n++] != NULL;
}

void cd_forms_tell(const cd_missing* missing, cardan_report* report)
{
    for (int i = 0; i < missing->n; ++i) {
        cd_text forms = {0};
        bool    told  = false;
        for (int k = 0; k < i; ++k) told = told || strcmp(missing->why[k], missing->why[i]) == 0;
        if (told) continue;
        int several = 0;
        for (int k = i; k < missing->n; ++k)
            if (strcmp(missing->why[k], missing->why[i]) == 0)
                cd_text_format(&forms, "%s'%s'", several++ > 0 ? ", " : "", missing->form[k]);
        if (forms.data)
            cardan_note(report, missing->place[i], "%s %s left out: %s", several > 1 ? "forms" : "form", forms.data,
                        missing->why[i]);
        cd_text_free(&forms);
    }
}

void cd_forms_release(cd_missing* missing)
{
    for (int i = 0; i < missing->n; ++i) free(missing->why[i]);
    missing->n = 0;
}
