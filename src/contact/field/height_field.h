// SPDX-License-Identifier: BSD-3-Clause
// Height fields: a surface z(x, y) over a rectangle, material below. It is given by
//
//   triangles  z_ij on a regular grid, each cell cut along its shorter diagonal: an exact polyhedron, for bodies
//   smooth     z_ij on a regular grid, bicubic with the slopes of Catmull and Rom, C1: for wheels, sleds, points
//   profile    z_i over x, constant along y: polynomials of degree 5 between samples, C2, with the slopes and curvatures of
//              the polynomial of degree 6 through the seven nearest samples; of a smooth profile with the spacing h, z
//              has an error of order h^6 and z'' one of order h^4
//   formula    a function of the caller with first and second derivatives
#pragma once

#include "contact/axis_box.h"

#include <stdint.h>

typedef enum cd_field_kind { CD_FIELD_TRIANGLES, CD_FIELD_SMOOTH, CD_FIELD_PROFILE, CD_FIELD_FORMULA } cd_field_kind;

typedef struct cd_height { // and its derivatives
    double z, x, y, xx, xy, yy;
} cd_height;
typedef void cd_height_function(const void* context, double x, double y, cd_height* h);

typedef struct cd_field_description {
    cd_field_kind kind;
    int           nx, ny; // points; profile: ny is not used
    double        x0, y0; // [m] first point
    double        dx, dy; // [m] spacings; profile: dy is the width along y. Formula: resolution of rays and of the box
    const double* z;      // (ny x nx) row j at y0 + j dy; profile (nx). Formula: not used
    bool          periodic;       // profile: continued periodically; its last sample repeats the first
    cd_height_function* function; // formula
    const void*         context;
} cd_field_description;

enum { CD_FIELD_LEVELS = 32, CD_FIELD_CELLS_MAX = 40000000 };

typedef struct cd_height_field {
    cd_field_description d; // with own z
    int                  cells_x, cells_y;
    double *             slope, *curvature; // profile: z' and z'' at the samples
    cd_box               box;
    // Pyramid of least and largest heights: level 0 of cells, then of 2 x 2 blocks of the level below
    int nlevel, level_x[CD_FIELD_LEVELS], level_y[CD_FIELD_LEVELS];
    double (*range[CD_FIELD_LEVELS])[2];
    struct cd_field_memory* memory;
} cd_height_field;

// NULL with the reason: too few or too many points, spacings that are not positive, heights that are not finite, no memory.
cd_height_field* cd_height_field_create(const cd_field_description* d, const char** reason);
void             cd_height_field_destroy(cd_height_field* field);

// Height and derivatives of a smooth field, profile or formula; outside of the rectangle continued linearly.
void cd_height_evaluate(const cd_height_field* field, double x, double y, cd_height* h);
bool cd_height_inside(const cd_height_field* field, double x, double y);
// Slopes and curvatures of a profile at its samples.
void cd_profile_derivatives(const cd_field_description* d, double* slope, double* curvature);

// Upward normal, and derivative of the normal along u in the direction v, u and v tangent: -h(u, v), h the second fundamental
// form.
d3     cd_height_normal(const cd_height* h);
double cd_height_bend(const cd_height* h, d3 u, d3 v);
