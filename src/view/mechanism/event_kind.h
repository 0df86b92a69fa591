// SPDX-License-Identifier: BSD-3-Clause
// Names of events in the protocol of the viewer.
#pragma once

#include <cardan/simulate.h>

const char* cd_event_kind_name(cardan_event_kind kind);
