// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "closed.h"

#include <cardan/cardan.h>

// NULL where a joint is neither hinge nor ball, or a hinge would close a loop.
closed* closed_make(const cardan_description* d);
void    closed_destroy(closed* c);
