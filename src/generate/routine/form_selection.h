// SPDX-License-Identifier: BSD-3-Clause
// Which forms the user requests, and which of them a mechanism has.
#pragma once

#include "generate/print/syntax.h"

// Test whether `form` is in the list `forms`: names with commas between; NULL: no name.
bool          cd_form_is_listed(const char* forms, const char* form);
bool          cd_form_is_requested(const char*       forms,
                                   const cd_routine* routine); // in the list, or part of the default if forms is NULL
cardan_status cd_forms_check_names(const char* forms, cardan_report* report); // fails for unknown names
// Fail if coordinates are drivable: generated code has a fixed number of constraints.
cardan_status cd_forms_refuse_drivable(const cardan_model* m, cardan_report* report);

// Check whether the form supports the model. On failure `reason` and `location` are set.
cardan_status cd_form_check_model(const cd_routine* routine, const cardan_model* m, cd_text* reason,
                                  cardan_location* location);
// Count the requested forms with forces of the model whose results are not finite at input x. Returns -1 if memory runs
// out.
int cd_forms_count_not_finite(const cd_code_unit* unit, cd_runtime_reference* reference, const char* forms,
                              const double* x);
// Check whether the form has a solution at all test states and at the trace state behind them. Returns CARDAN_SINGULAR,
// CARDAN_INCONSISTENT or CARDAN_NOT_FINITE if not; `reason` then describes the cause and a remedy, `location` the
// element.
cardan_status cd_form_check_states(const cd_code_unit* unit, cd_runtime_reference* reference, const cd_routine* routine,
                                   cd_text* reason, cardan_location* location);

// Report that memory did not suffice for a form (NULL: for all forms) and name a form that needs less.
void cd_form_fail_memory(const char* form, const cardan_model* m, cardan_report* report);

// List unavailable forms and report them, those with the same reason in one message. cd_unavailable_forms_add takes
// ownership of the text of the reason and returns false if memory runs out.
bool cd_unavailable_forms_add(cd_unavailable_forms* unavailable, const char* form, cd_text* reason,
                              cardan_location location);
void cd_unavailable_forms_report(const cd_unavailable_forms* unavailable, cardan_report* report);
void cd_unavailable_forms_release(cd_unavailable_forms* unavailable);
