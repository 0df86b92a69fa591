// SPDX-License-Identifier: BSD-3-Clause
// A motion of the mechanism in results, to start a search from: of `run`, or of a previous plan. Between rows
// everything is linear but efforts, which are held. Its time is told as a share of its duration, 0 to 1.
#pragma once

#include <cardan/model.h>
#include <cardan/status.h>

typedef enum cd_course_sort {
    CD_COURSE_Q,
    CD_COURSE_V,
    CD_COURSE_A,
    CD_COURSE_CONTROL,
    CD_COURSE_EFFORT,
    CD_COURSE_SORTS
} cd_course_sort;

typedef struct cd_course cd_course;

// Columns t and JOINT.q, .v, .a, .control, .effort; some may be absent, one JOINT.q must be there. `place` names the
// file in the task.
cardan_status cd_course_read(const cardan_model* model, const char* path, cardan_place place, cd_course** course,
                             cardan_report* report);
void          cd_course_destroy(cd_course* course);
double        cd_course_duration(const cd_course* course); // [s]
// Coordinate (of q) or velocity (of the others) number i; false, and the value stays, where the file does not say or
// there is no course.
bool cd_course_value(const cd_course* course, cd_course_sort sort, int i, double share, double* value);
