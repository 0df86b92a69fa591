// SPDX-License-Identifier: BSD-3-Clause
// Instants at which the rate of a law of motion jumps, as that of a table does between two straight pieces. No error of
// a step tells of them: gaps that the law leaves are closed behind it, at another pose and by another force than
// theirs. So steps end there, and begin anew behind a blow (blow.h). What energy comes or goes with it is work of the
// driver.
#pragma once

#include "motion/law_end.h"
#include "motion/system.h"

// The first time behind t at which a step has to end; INFINITY: none.
double cd_kink_limit(const cd_law_end* end, double t);
// t, or where the kink ends that it is in; t, or where the kink began that ends there: rows in between are rows behind.
double cd_kink_behind(const cd_law_end* end, double t);
double cd_kink_since(const cd_law_end* end, double t);
// Whether x has come to one, `least` [s] being no step any more: then *passed, x is behind it, with velocities that
// follow the laws there.
cardan_status cd_kink_pass(const cd_law_end* end, cd_system* system, double least, cd_point* x, bool* passed,
                           cardan_report* report);
// Where the pose at t is all but singular.
void cd_warn_weak_kink(double t, cardan_report* report);
