// SPDX-License-Identifier: BSD-3-Clause
// Code from a model: straight-line routines for one mechanism, with what depends on nothing but the model already worked out.
#pragma once

#include <cardan/dynamics.h>

typedef struct cardan_generated cardan_generated;

typedef struct cardan_generate_options {
    const char* forms;     ///< comma between, see cardan_form_name; NULL: all that the model allows
    const char* language;  ///< see cardan_language_name; NULL: "c"
    const char* name;      ///< prefix of names and of files; NULL: made from the name of the model
    bool        regroup;   ///< hand inertia to parents where joints do not tell the difference; fewer operations, same motion
    bool        single;    ///< float instead of double
} cardan_generate_options;

cardan_generate_options cardan_generate_options_default(void);

/// Forms and languages there are; NULL behind the last.
const char* cardan_form_name(int i);
const char* cardan_form_summary(int i);
const char* cardan_language_name(int i);
const char* cardan_language_summary(int i);

/// Trace, order, print. CARDAN_UNSUPPORTED names what the model has that no routine can do.
cardan_status cardan_generate(const cardan_model* model, const cardan_generate_options* options, cardan_generated** generated, cardan_report* report);
void          cardan_generated_destroy(cardan_generated* generated);

/// The files: how many, their names, their text.
int         cardan_generated_files(const cardan_generated* generated);
const char* cardan_generated_file(const cardan_generated* generated, int i);
const char* cardan_generated_text(const cardan_generated* generated, int i);

/// Operations of a routine, counted on its code: signs and copies are free. Equations are lines that compute something.
typedef struct cardan_routine_count {
    const char*  form;
    const char*  name;
    cardan_tally tally;
    long         total;  // without sines and cosines
    int          equations;
} cardan_routine_count;

int                  cardan_generated_routines(const cardan_generated* generated);
cardan_routine_count cardan_generated_count(const cardan_generated* generated, int i);
