// SPDX-License-Identifier: BSD-3-Clause
// Checkpoint file of a run: a JSON document with everything a run keeps when it begins anew at a state: the state with
// winding numbers and histories of constraints, the grid of samples, the energy balance and the statistics.
//
// A run that writes a checkpoint begins anew at it, without history of integrator and solver, exactly as a run that reads
// it: both have the same bits from there on.
#pragma once

#include "simulation/simulation.h"

// Write x, the end of the run so far, with all its samples output; then begin anew at it. Fails if the file cannot be
// written; the run can continue in this case too.
cardan_status cd_checkpoint_file_write(cd_simulation* s, const char* path);
// Begin anew at the state of the file. If the file is not a checkpoint of this mechanism and these settings, nothing is
// changed.
cardan_status cd_checkpoint_file_read(cd_simulation* s, const char* path);
