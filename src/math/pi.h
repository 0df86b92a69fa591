// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#define CD_PI 3.14159265358979323846
