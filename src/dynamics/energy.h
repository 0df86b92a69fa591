// SPDX-License-Identifier: BSD-3-Clause
// Power (energy.c).
#pragma once

#include "dynamics/data.h"

// Power of all nonconservative forces [W], as defined in cardan_data_energy.
double cd_nonconservative_power(cardan_data* d);
