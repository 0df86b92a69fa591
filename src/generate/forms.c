// SPDX-License-Identifier: BSD-3-Clause
// Forms of the tree alone need inertia behind every joint; whole mechanisms do not, where loops carry what has none.
// Whether a form exists is asked of the library, at every state where the form would be tested.
#include "generate/forms.h"

#include "core/text.h"

#include <math.h>
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

bool cd_form_wanted(const char* forms, const cd_routine* routine)
{
    return forms ? cd_form_listed(forms, routine->form) : (routine->takes & CD_ON_REQUEST) == 0;
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
            return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_UNKNOWN_NAME, cardan_nowhere(),
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
    cd_text_add(why, said->count > 0 ? cardan_message_sentence(&said->message[said->count - 1])
                                     : cardan_status_text(status));
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

static size_t numbers_of(const cd_routine* routine, const cardan_model* m)
{
    cd_result result[CD_RESULTS];
    size_t    n       = 0;
    const int nresult = routine->results(m, result);
    for (int k = 0; k < nresult; ++k) n += (size_t)cd_result_count(&result[k]);
    return n;
}

// What the library computes at an input; CARDAN_DIVERGED where something of it is not finite.
static cardan_status ask(const cd_sheet* sheet, cd_referee* referee, const cd_routine* routine, const double* x,
                         double* all, cardan_report* report)
{
    const size_t  n      = numbers_of(routine, sheet->model);
    cardan_status status = cd_referee_set(referee, &sheet->in, x);
    if (status == CARDAN_OK) status = routine->reference(referee, &sheet->in, x, all, report);
    for (size_t i = 0; status == CARDAN_OK && i < n; ++i)
        if (!isfinite(all[i]))
            status = cardan_fail(report, CARDAN_DIVERGED, CARDAN_CODE_NOT_FINITE, cardan_nowhere(),
                                 "at t = %g s a result is not finite", x[sheet->in.time]);
    return status;
}

int cd_forms_not_finite(const cd_sheet* sheet, cd_referee* referee, const char* forms, const double* x)
{
    int count = 0;
    for (int i = 0; count >= 0 && i < cd_routine_count(); ++i) {
        const cd_routine* routine = cd_routine_at(i);
        if (!(routine->takes & CD_TAKES_TIME) || !cd_form_wanted(forms, routine)) continue;
        if (routine->allows && routine->allows(sheet->model, NULL) != CARDAN_OK) continue;
        double*             all    = cd_allocate(numbers_of(routine, sheet->model) + 1, sizeof *all);
        const cardan_status status = all ? ask(sheet, referee, routine, x, all, NULL) : CARDAN_NO_MEMORY;
        if (status == CARDAN_DIVERGED) ++count;
        if (status == CARDAN_NO_MEMORY) count = -1;
        free(all);
    }
    return count;
}

cardan_status cd_form_exists(const cd_sheet* sheet, cd_referee* referee, const cd_routine* routine, cd_text* why,
                             cardan_place* place)
{
    cardan_status status = CARDAN_OK;
    double*       all    = cd_allocate(numbers_of(routine, sheet->model) + 1, sizeof *all);
    if (!all) return CARDAN_NO_MEMORY;
    cardan_report said;
    cardan_report_clear(&said);
    for (int k = sheet->nvector; status == CARDAN_OK && k >= 0; --k)
        status = ask(sheet, referee, routine, sheet->input + (size_t)k * (size_t)sheet->in.count, all, &said);
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
    } else if (status == CARDAN_DIVERGED) {
        cd_text_add(why, "it is not finite around the start, however near (");
        take_sentence(&said, status, why);
        cd_text_add(why, "); start where all formulas have a value on both sides, or let them have one, as "
                         "sqrt(max(x, 0)) has");
    } else
        take_sentence(&said, status, why);
    return why->failed ? CARDAN_NO_MEMORY : status;
}

void cd_form_too_large(const char* form, const cardan_model* m, cardan_report* report)
{
    const bool factored = form && strcmp(form, "exp1") == 0;
    cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                "out of memory %s%s%s of '%s' (%d velocities)%s", form ? "at form '" : "at code", form ? form : "",
                form ? "'" : "", m->view.name, m->nv,
                factored ? "; form 'exp2' gives the same, and grows with the number of bodies alone"
                         : "; name fewer forms, or forms that grow less");
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
        if (forms.failed)
            cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(), "out of memory");
        else
            cardan_note(report, CARDAN_CODE_FORM_UNAVAILABLE, missing->place[i], "%s %s left out: %s",
                        several > 1 ? "forms" : "form", forms.data, missing->why[i]);
        cd_text_free(&forms);
    }
}

void cd_forms_release(cd_missing* missing)
{
    for (int i = 0; i < missing->n; ++i) free(missing->why[i]);
    missing->n = 0;
}
