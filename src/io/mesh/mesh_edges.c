// SPDX-License-Identifier: BSD-3-Clause
// Edges of a mesh. A mesh encloses a volume with one outside if its triangles pass every edge equally often in both
// directions. The edges are sorted, O(n log n).
#include "io/mesh/mesh.h"

#include "core/memory.h"

#include <stdlib.h>

typedef struct edge {
    int low, high; // vertices
    int direction; // 1: from low to high, else -1
} edge;

static int compare(const void* x, const void* y)
{
    const edge *a = x, *b = y;
    return a->low != b->low ? (a->low > b->low) - (a->low < b->low) : (a->high > b->high) - (a->high < b->high);
}

bool cd_mesh_count_edges(int ntriangle, const int* triangle, cd_mesh_edges* edges)
{
    const size_t n    = 3 * (size_t)ntriangle;
    edge*        list = cd_allocate(n + 1, sizeof *list);
    *edges            = (cd_mesh_edges){0};
    if (!list) return false;
    for (size_t i = 0; i < n; ++i) {
        const int from = triangle[i], to = triangle[i % 3 == 2 ? i - 2 : i + 1];
        list[i] = from < to ? (edge){from, to, 1} : (edge){to, from, -1};
    }
    qsort(list, n, sizeof *list, compare);
    for (size_t first = 0, i = 0; first < n; first = i) {
        int sum = 0;
        for (; i < n && compare(&list[first], &list[i]) == 0; ++i) sum += list[i].direction;
        edges->nopen += (i - first) % 2 == 1;
        edges->nunoriented += (i - first) % 2 == 0 && sum != 0;
    }
    free(list);
    return true;
}
