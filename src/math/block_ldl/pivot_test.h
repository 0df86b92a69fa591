// SPDX-License-Identifier: BSD-3-Clause
// When a pivot of a constraint row counts as zero.
//
// A pivot is compared with the norm of its own row. That is not sufficient for a row that vanishes in the closed
// configuration (rotation about the axis of a revolute joint in a loop whose axes all meet): its norm is the constraint
// violation. Such a pivot is compared with the largest row of its constraint, too.
#pragma once

typedef struct cd_pivot_test {
    double rel_to_row;        // a pivot below this multiple of the norm of its row is zero
    double rel_to_constraint; // and so is one below this multiple of the largest row of its constraint
} cd_pivot_test;
