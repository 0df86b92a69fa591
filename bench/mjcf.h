// SPDX-License-Identifier: BSD-3-Clause
// The same mechanism in MuJoCo's language. Joint number i of the model is called "j<i>".
#pragma once

#include <cardan/cardan.h>

// MuJoCo's XML reader stops at a depth of 100, so deep mechanisms are nested files; the first is the one to load.
typedef struct mjcf {
    int    nfile;
    char** file; // text of "m<i>.xml"
} mjcf;

// Trees of revolute, prismatic, spherical, free and fixed joints.
cardan_status mjcf_write(const cardan_model* m, mjcf* out, cardan_report* report);
void          mjcf_free(mjcf* out);
