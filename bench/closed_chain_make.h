// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "closed_chain.h"

#include <cardan/cardan.h>

// Returns NULL if a joint is neither revolute nor spherical, or if a revolute joint closes a loop.
closed* closed_make(const cardan_description* d);
void    closed_destroy(closed* c);
