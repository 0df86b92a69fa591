// SPDX-License-Identifier: BSD-3-Clause
// Detection of failed allocations.
#pragma once

#include <stdbool.h>

// Return true if any allocation of this process has failed.
bool cd_allocation_failed(void);
