// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#define CARDAN_VERSION_MAJOR 0
#define CARDAN_VERSION_MINOR 1
#define CARDAN_VERSION_PATCH 0
#define CARDAN_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/// Version of the linked library, "0.1.0".
const char* cardan_version(void);

#ifdef __cplusplus
}
#endif
