// SPDX-License-Identifier: BSD-3-Clause
// cardan view --html: simulate as `cardan run` does, and write the motion as a page.
#pragma once

#include "cli/options.h"

int cd_view_html(const cd_options* options); // returns the exit code
