// SPDX-License-Identifier: BSD-3-Clause
// Elimination orders for a tree with constraint rows: links from the leaves to the root, rows between them or after
// them.
#pragma once

#include "constraint/constraint_rows.h"
#include "model/model.h"

// Blocks 0 .. nlink-1 are the velocities of links, nlink .. nlink+nblock-1 the constraints of rows.

// Order all links, then all rows: paper 002, section 4.3.
void cd_order_rows_last(const cardan_model* m, const cd_rows* rows, int* order);
// Order each constraint after the last link that it acts on, which is before the common ancestor of its ends. A link
// that is `delayed` (nlink; only links without children) is placed just before its parent, and constraints do not wait
// for it. Returns false if memory is exhausted.
bool cd_order_rows_early(const cardan_model* m, const cd_rows* rows, const bool* delayed, int* order);
