// SPDX-License-Identifier: BSD-3-Clause
// Formula of time that the page gives: of t, pi and the parameters of the model, "0.5*sin(2*t)".
#pragma once

#include <cardan/dynamics.h>

typedef struct cd_time_formula cd_time_formula;

// Parse the formula; the report has the reason of a failure.
cardan_status cd_time_formula_create(const char* formula, const cardan_description_view* parameters,
                                     cd_time_formula** result, cardan_report* report);
void          cd_time_formula_destroy(cd_time_formula* formula);
double        cd_time_formula_value(cd_time_formula* formula, double t); // may be not finite
