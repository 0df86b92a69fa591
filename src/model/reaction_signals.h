// SPDX-License-Identifier: BSD-3-Clause
// Formulas of forces and states that read reactions of joints.
#pragma once

#include "model/model.h"

// List the reaction signals that force components and state rates depend on. Other formulas (outputs, stop condition)
// that depend on one are an error.
cardan_status cd_compile_reaction_signals(cardan_model* m, cardan_report* report);
// Fail with CARDAN_UNSUPPORTED if a force or state reads a reaction. Message: "force 'F' reads the reaction of joint 'A',
// <reason>".
cardan_status cd_refuse_reaction_signals(const cardan_model* m, const char* reason, cardan_report* report);
// Category, name and location of the force or state that reads reaction signal k of the list.
typedef struct cd_reaction_reader {
    const char *    category, *name;
    cardan_location location;
} cd_reaction_reader;
cd_reaction_reader cd_reader_of_reaction(const cardan_model* m, int k);
