// SPDX-License-Identifier: BSD-3-Clause
// Limits of the address space (ulimit -v).
#pragma once

#include <stdbool.h>

// Whether the address space, if it is limited, has room for the buffers of the linear algebra library. If so, those of
// this thread are allocated now. False: OpenBLAS would repeat the failing allocation without end.
bool cd_address_space_is_sufficient(void);
// [MB] The limit.
long cd_address_space_limit(void);
