// SPDX-License-Identifier: BSD-3-Clause
// Solver of nonlinear programs in a build without IPOPT: reports the missing part.
#include "optimize/nlp/nlp_solver.h"

#include "core/parts.h"

cardan_status cd_nlp_solve_ipopt(cd_block_nlp* program, const cd_nlp_options* options, cd_nlp_solution* solution,
                                 cardan_report* report)
{
    (void)program, (void)solution;
    return cd_fail_missing_part(report, "IPOPT", options->location, "the solver of optimal control");
}
