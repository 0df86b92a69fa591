// SPDX-License-Identifier: BSD-3-Clause
// Which forms are asked for, and which of them a mechanism has.
#pragma once

#include "generate/print/syntax.h"

// `forms`: names, comma between; NULL: none is named.
bool cd_form_is_listed(const char* forms, const char* form);
bool cd_form_is_requested(const char* forms, const cd_routine* routine);      // is named, or is written where none is
cardan_status cd_forms_check_names(const char* forms, cardan_report* report); // are there such forms?

// Is the mechanism one that the form can do? Else `why` says what is in the way.
cardan_status cd_form_check_model(const cd_routine* routine, const cardan_model* m, cd_text* reason,
                                  cardan_location* location);
// How many forms with forces of the model are not finite at an input, of those that are asked for; -1 without memory.
int cd_forms_count_not_finite(const cd_code_unit* unit, cd_reference* reference, const char* forms, const double* x);
// Does the form have a solution at all states of the sheet, its sample behind them? CARDAN_SINGULAR,
// CARDAN_INCONSISTENT, CARDAN_DIVERGED: `why` says what is in the way and what helps, `place` where.
cardan_status cd_form_check_states(const cd_code_unit* unit, cd_reference* reference, const cd_routine* routine,
                                   cd_text* reason, cardan_location* location);

// Memory was not enough for a form (NULL: for all of them), and what takes less.
void cd_form_fail_memory(const char* form, const cardan_model* m, cardan_report* report);

// What forms are not there, told at once where the reason is the same. The reason goes to the list.
bool cd_unavailable_forms_add(cd_unavailable_forms* unavailable, const char* form, cd_text* reason,
                              cardan_location location);
void cd_unavailable_forms_report(const cd_unavailable_forms* unavailable, cardan_report* report);
void cd_unavailable_forms_release(cd_unavailable_forms* unavailable);
