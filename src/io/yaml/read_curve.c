// SPDX-License-Identifier: BSD-3-Clause
// Curves: control points, weights and knots of a spline.
#include "io/yaml/read_model.h"

#include <string.h>

static bool read_list(const cd_model_element* e, const char* key, int expected, int* count, const double** value)
{
    const cd_yaml* node = cd_yaml_get(e->node, key);
    if (!node) return true;
    if (node->has_error) return false;
    double* list = cd_pool_alloc(&e->reader->pool, (size_t)node->count, sizeof *list);
    if (!list) return cd_reader_fail_no_memory(e->reader);
    if (node->count != expected)
        return cd_element_fail(e, node, "the curve must have %d %s, not %d", expected, key, node->count);
    *count = node->count;
    *value = list;
    if (!cd_read_numbers(e, node, CD_UNIT_NONE, node->count, list)) return false;
    for (int i = 0; i < node->count; ++i)
        if (!cd_require_structural_constant(e, node, list[i])) return false;
    return true;
}

static bool read_points(const cd_model_element* e, const cd_frame* carrier, cardan_curve* curve)
{
    const cd_yaml* node = cd_yaml_get(e->node, "points");
    cd_frame       base;
    if (!node || node->has_error || !cd_read_base(e, &base)) return false;
    if (base.coordinates_of && memcmp(base.coordinates_of->R, carrier->R, sizeof carrier->R) == 0 &&
        memcmp(base.coordinates_of->p, carrier->p, sizeof carrier->p) == 0)
        base.coordinates_of = carrier; // the numbers are already in the frame of the curve
    double* point = cd_pool_alloc(&e->reader->pool, 3 * (size_t)node->count, sizeof *point);
    if (!point) return cd_reader_fail_no_memory(e->reader);
    for (int i = 0; i < node->count; ++i)
        if (!cd_read_position_in_frame(e, node->entry[i].value, &base, carrier, point + 3 * i) ||
            !cd_require_structural_constant(e, node, point[3 * i]) ||
            !cd_require_structural_constant(e, node, point[3 * i + 1]) ||
            !cd_require_structural_constant(e, node, point[3 * i + 2]))
            return false;
    curve->npoint = node->count;
    curve->point  = point;
    return true;
}

bool cd_read_curve(const cd_model_element* e, const cd_yaml* node, const cd_frame* carrier, cardan_curve* curve)
{
    const cd_model_element inner  = {.reader  = e->reader,
                                     .level   = e->level,
                                     .node    = (cd_yaml*)node,
                                     .section = "curve",
                                     .label   = e->label,
                                     .name    = e->name};
    const cd_yaml *        degree = cd_yaml_get(node, "degree"), *closed = cd_yaml_get(node, "closed");
    int                    weights;
    *curve = (cardan_curve){0};
    if (node->has_error || !read_points(&inner, carrier, curve)) return false;
    if (closed && !cd_read_boolean(&inner, closed, &curve->closed)) return false;
    if (degree && !cd_read_integer(&inner, degree, &curve->degree)) return false;
    const int max_degree = curve->npoint - 1, p = degree ? curve->degree : max_degree < 3 ? max_degree : 3;
    if (degree && (p < 1 || p > 9))
        return cd_element_fail(&inner, degree, "the degree of a curve must be 1 to 9, not %d", p);
    if (p > max_degree)
        return cd_element_fail(&inner, degree, "a curve of degree %d requires %d points or more, not %d", p, p + 1,
                               curve->npoint);
    if (curve->closed && p < 2)
        return cd_element_fail(&inner, closed, "a closed curve requires three points or more and degree 2 or more");
    if (!read_list(&inner, "weights", curve->npoint, &weights, &curve->weight)) return false;
    if (!read_list(&inner, "knots", curve->npoint + (curve->closed ? 1 : p + 1), &curve->nknot, &curve->knot))
        return false;
    for (int i = 0; curve->weight && i < curve->npoint; ++i)
        if (!(curve->weight[i] > 0))
            return cd_element_fail(&inner, cd_yaml_get(node, "weights"), "the weights of a curve must be positive");
    for (int i = 1; i < curve->nknot; ++i)
        if (!(curve->knot[i] >= curve->knot[i - 1]))
            return cd_element_fail(&inner, cd_yaml_get(node, "knots"), "the knots of a curve must not decrease");
    return true;
}
