// SPDX-License-Identifier: BSD-3-Clause
// Lines of model files with other values: flow and block style, comments, quotes, types of joints.
#include "test.h"

#include "core/file.h"
#include "view/live/file_line.h"

#include <string.h>

static const char text[] = "parameters:\n"
                           "  a: 1            # length of the crank\n"
                           "  phi: \"=pi/3, #\"\n"
                           "points: {A: [0, 0, 0], B: [=a, 1, 0]}\n"
                           "joints:\n"
                           "  C: {revolute: [coupler, rocker], at: C, axis: z} # not the last\n"
                           "  D:\n"
                           "    # of the frame\n"
                           "    revolute: [rocker, ground]\n"
                           "    at: D\n"
                           "  E: {prismatic: [rocker, ground]}\n";

static void check(int line, const char* key, const char* value, bool rename, int at, const char* expected)
{
    const char*  path = "results/test_file_line.yaml";
    cd_file_line l;
    CHECK(cd_file_write(path, text, strlen(text), true, NULL) == CARDAN_OK);
    const bool good =
        rename ? cd_file_line_rename(path, line, key, value, &l) : cd_file_line_replace(path, line, key, value, &l);
    CHECK(good == (expected != NULL));
    if (!good) return;
    CHECK(l.line == at);
    if (expected) CHECK(strcmp(l.after, expected) == 0);
    CHECK(strstr(text, l.before) != NULL);
    cd_file_line_free(&l);
}

int main(void)
{
    RUN(check(2, "a", "0.75", false, 2, "  a: 0.75            # length of the crank"));
    RUN(check(3, "phi", "2", false, 3, "  phi: 2"));
    RUN(check(4, "A", "[1, 2, 3]", false, 4, "points: {A: [1, 2, 3], B: [=a, 1, 0]}"));
    RUN(check(4, "B", "[1, 2, 3]", false, 4, "points: {A: [0, 0, 0], B: [1, 2, 3]}"));
    RUN(check(6, "revolute", "spherical", true, 6, "  C: {spherical: [coupler, rocker], at: C} # not the last"));
    RUN(check(6, "revolute", "cylindrical", true, 6,
              "  C: {cylindrical: [coupler, rocker], at: C, axis: z} # not the last"));
    RUN(check(7, "revolute", "spherical", true, 9, "    spherical: [rocker, ground]"));
    RUN(check(11, "revolute", "spherical", true, 0, NULL));
    RUN(check(7, "prismatic", "cylindrical", true, 0, NULL)); // of another joint
    RUN(check(99, "a", "1", false, 0, NULL));
    return test_end();
}
