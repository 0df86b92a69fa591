// SPDX-License-Identifier: BSD-3-Clause
// Generated code while it is used. Pivots of loops were decided at one state when it was traced; at every row the formulation is asked anyway, and
// what differs there ends the use of the code.
#include "motion/system.h"

#include "dynamics/data.h"

static const double enough = 1e-8;  // beside the largest acceleration: formulations differ by less, but for poses that are all but singular

// Nothing is decided in equations but what forces and curves decide by their values.
static void watch_equations(cd_system* system, cardan_report* report)
{
    cardan_data* d   = system->data;
    const double off = cd_generated_equations_error(d, system->equations);
    if (off <= enough) return;
    d->generated_equations       = NULL;
    d->generated_equation_slopes = NULL;
    cardan_warn(report, cardan_nowhere(), "generated equations of '%s' are off by %.2g at t = %g s and are not used from there on", d->m->view.name, off, d->t);
}

void cd_generated_watch(cd_system* system, cardan_report* report)
{
    cardan_data* d   = system->data;
    if (d->generated_equations && d->held) watch_equations(system, report);
    const double off = cd_generated_error(d, system->a);
    if (off <= enough) return;
    d->generated = NULL;
    cardan_warn(report, cardan_nowhere(), "generated code of '%s' is off by %.2g of the largest acceleration at t = %g s and is not used from there on",
                d->m->view.name, off, d->t);
}
