// SPDX-License-Identifier: BSD-3-Clause
// Angle of the point (x, y) as atan2, with a relative error below 3e-16. Not correctly rounded in every case; about
// twice as fast as atan2.
#pragma once

double cd_fast_atan2(double y, double x);
