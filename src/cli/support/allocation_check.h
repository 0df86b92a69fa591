// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdbool.h>

// Whether an allocation of this process has failed.
bool cd_allocation_failed(void);
