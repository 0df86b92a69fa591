// SPDX-License-Identifier: BSD-3-Clause
// The same mechanism as MJCF, MuJoCo's file format. Joint i of the model is named "j<i>".
#pragma once

#include <cardan/cardan.h>

// MuJoCo's XML reader is limited to a depth of 100, so deep mechanisms use nested files; load the first one.
typedef struct mjcf {
    int    nfile;
    char** file; // text of "m<i>.xml"
} mjcf;

// Supported: trees of revolute, prismatic, spherical, free and fixed joints.
cardan_status mjcf_write(const cardan_model* m, mjcf* out, cardan_report* report);
void          mjcf_free(mjcf* out);
