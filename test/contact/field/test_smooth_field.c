// SPDX-License-Identifier: BSD-3-Clause
// Smooth height fields, profiles and formulas: heights and derivatives, feet of common normals against a search over the surface,
// and derivatives of contact points against differences.
#include "contact/contact_geometry.h"
#include "contact/field/height_field.h"
#include "contact/shape/shape.h"
#include "math/pi.h"

#include "random_shapes.h"
#include "test.h"

static double hills(double x, double y) { return 0.2 * sin(1.3 * x + 0.4) * cos(1.1 * y) + 0.05 * x * y; }

static cd_height_field* hills_field(cd_field_kind kind, int n)
{
    const char*  reason;
    double*      z = calloc((size_t)n * (size_t)n, sizeof *z);
    const double h = 4.0 / (n - 1);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) z[j * n + i] = hills(-2 + h * i, -2 + h * j);
    cd_height_field* f = cd_height_field_create(
        &(cd_field_description){.kind = kind, .nx = n, .ny = n, .x0 = -2, .y0 = -2, .dx = h, .dy = h, .z = z}, &reason);
    free(z);
    return f;
}

static void cosine(const void* context, double x, double y, cd_height* h)
{
    (void)context, (void)y;
    const double k = 2 * CD_PI / 4;
    h->z           = 0.1 * cos(k * x);
    h->x           = -0.1 * k * sin(k * x);
    h->xx          = -0.1 * k * k * cos(k * x);
}

static cd_height_field* cosine_profile(int n)
{
    const char* reason;
    double*     z = calloc((size_t)n + 1, sizeof *z);
    for (int i = 0; i <= n; ++i) z[i] = i == n ? z[0] : 0.1 * cos(2 * CD_PI * i / n);
    cd_height_field* f = cd_height_field_create(
        &(cd_field_description){
            .kind = CD_FIELD_PROFILE, .nx = n + 1, .y0 = -1, .dx = 4.0 / n, .dy = 2, .z = z, .periodic = true},
        &reason);
    free(z);
    return f;
}

// Derivatives against central differences, across cells, and beyond the border.
static void check_evaluation(cd_height_field* f)
{
    shape_dice dice = {3};
    for (int k = 0; k < 2000; ++k) {
        const double x = shape_range(&dice, -1.99, 1.99), y = shape_range(&dice, -0.99, 0.99), e = 1e-5;
        cd_height    h, l, r, d, u;
        cd_height_evaluate(f, x, y, &h);
        cd_height_evaluate(f, x - e, y, &l);
        cd_height_evaluate(f, x + e, y, &r);
        cd_height_evaluate(f, x, y - e, &d);
        cd_height_evaluate(f, x, y + e, &u);
        CHECK_NEAR(h.x, (r.z - l.z) / (2 * e), 2e-8); // a jump of the second derivative in between: of order e
        CHECK_NEAR(h.y, (u.z - d.z) / (2 * e), 2e-8);
        if (floor((x - e - f->d.x0) / f->d.dx) != floor((x + e - f->d.x0) / f->d.dx)) continue;
        if (floor((y - e - f->d.y0) / f->d.dy) != floor((y + e - f->d.y0) / f->d.dy)) continue;
        CHECK_NEAR(h.xx, (r.x - l.x) / (2 * e), 1e-6);
        CHECK_NEAR(h.xy, (r.y - l.y) / (2 * e), 1e-6);
        CHECK_NEAR(h.yy, (u.y - d.y) / (2 * e), 1e-6);
    }
    cd_height_field_destroy(f);
}

// Catmull and Rom reproduce quadratic functions of x and y, and samples.
static void check_quadratic(void)
{
    double      z[48];
    const char* reason;
    for (int k = 0; k < 48; ++k) {
        const double x = 0.5 * (k % 8), y = 0.25 * (k / 8);
        z[k] = 1 + x - 2 * y + 0.3 * x * x - 0.7 * x * y + 0.2 * y * y;
    }
    cd_height_field* f = cd_height_field_create(
        &(cd_field_description){.kind = CD_FIELD_SMOOTH, .nx = 8, .ny = 6, .dx = 0.5, .dy = 0.25, .z = z}, &reason);
    for (double x = 0.5; x <= 3; x += 0.07)
        for (double y = 0.25; y <= 1; y += 0.06) {
            cd_height h;
            cd_height_evaluate(f, x, y, &h);
            CHECK_NEAR(h.z, 1 + x - 2 * y + 0.3 * x * x - 0.7 * x * y + 0.2 * y * y, 1e-14);
            CHECK_NEAR(h.x, 1 + 0.6 * x - 0.7 * y, 1e-13);
            CHECK_NEAR(h.xy, -0.7, 1e-12);
            CHECK_NEAR(h.yy, 0.4, 1e-12);
        }
    cd_height_field_destroy(f);
}

// Errors of a profile fall with h^6 (z) and h^4 (z''); with 500 samples in a period of 4 m they are at round-off.
static void check_profile_errors(void)
{
    double previous_z = 0, previous_second = 0;
    for (int n = 20; n <= 80; n *= 2) {
        cd_height_field* f       = cosine_profile(n);
        double           worst_z = 0, worst_second = 0;
        for (double x = -3; x < 9; x += 0.0137) {
            cd_height h, exact = {0};
            cd_height_evaluate(f, x, 0.3, &h);
            cosine(NULL, x, 0, &exact);
            worst_z      = fmax(worst_z, fabs(h.z - exact.z));
            worst_second = fmax(worst_second, fabs(h.xx - exact.xx));
        }
        if (n > 20) CHECK(worst_z < previous_z / 50 && worst_second < previous_second / 14);
        previous_z = worst_z, previous_second = worst_second;
        cd_height_field_destroy(f);
    }
    cd_height_field* f = cosine_profile(500);
    for (double x = -3; x < 9; x += 0.0137) {
        cd_height h, exact = {0};
        cd_height_evaluate(f, x, -0.3, &h);
        cosine(NULL, x, 0, &exact);
        CHECK(fabs(h.z - exact.z) < 1e-15 && fabs(h.x - exact.x) < 1e-12 && fabs(h.xx - exact.xx) < 1e-9);
    }
    cd_height_field_destroy(f);
}

static cd_height_field* formula_field(cd_height_function* function)
{
    const char* reason;
    return cd_height_field_create(&(cd_field_description){.kind     = CD_FIELD_FORMULA,
                                                          .nx       = 81,
                                                          .ny       = 41,
                                                          .x0       = -4,
                                                          .y0       = -2,
                                                          .dx       = 0.1,
                                                          .dy       = 0.1,
                                                          .function = function},
                                  &reason);
}

// A mass point on the cosine: gap, normal and their derivatives in closed form.
static void check_point_on_cosine(void)
{
    cd_height_field*        f     = formula_field(cosine);
    const cd_shape_geometry point = {.kind = CD_SHAPE_SPHERE}, ground = {.kind = CD_SHAPE_HEIGHT_FIELD, .field = f};
    for (double x = -3.9; x < 3.9; x += 0.037) {
        cd_height h = {0};
        cosine(NULL, x, 0, &h);
        const cd_shape_pose pose = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {x, 0.5, h.z}};
        cd_contact_point    c;
        cd_contact_rates    rates;
        CHECK(cd_collide(&point, &pose, &ground, &shape_identity, 1e-3, NULL, &c, 1) == 1);
        const double w = sqrt(1 + h.x * h.x);
        CHECK(fabs(c.gap) < 1e-16);
        CHECK_NEAR(c.normal[0], -h.x / w, 1e-15);
        CHECK_NEAR(c.normal[2], 1 / w, 1e-15);
        CHECK(cd_contact_derivative(&point, &pose, &ground, &shape_identity, &c, &rates));
        // the point moves along the tangent with unit speed: the normal turns by the curvature z''/w^3
        const double along = rates.normal[0][3] / w + rates.normal[0][5] * h.x / w;
        CHECK_NEAR(along, -h.xx / (w * w * w) / w, 1e-13);
        CHECK_NEAR(rates.gap[3] / w + rates.gap[5] * h.x / w, 0, 1e-14);
        CHECK_NEAR(rates.gap[5], 1 / w, 1e-14);
    }
    cd_height_field_destroy(f);
}

// Least gap over all points of the surface within reach by sampling; for spheres.
static double sampled_gap(const cd_height_field* f, d3 centre, double radius)
{
    double least = INFINITY, x = centre.e[0], y = centre.e[1], width = radius + 0.3;
    for (int level = 0; level < 12; ++level) { // finer around the best
        double bx = x, by = y;
        for (int i = -10; i <= 10; ++i)
            for (int j = -10; j <= 10; ++j) {
                cd_height    h;
                const double px = x + width * i / 10, py = y + width * j / 10;
                if (!cd_height_inside(f, px, py)) continue;
                cd_height_evaluate(f, px, py, &h);
                const double d =
                    sqrt((px - centre.e[0]) * (px - centre.e[0]) + (py - centre.e[1]) * (py - centre.e[1]) +
                         (h.z - centre.e[2]) * (h.z - centre.e[2])) -
                    radius;
                if (d < least) least = d, bx = px, by = py;
            }
        x = bx, y = by, width *= 0.25;
    }
    return least;
}

static void check_spheres(void)
{
    cd_height_field*        f      = hills_field(CD_FIELD_SMOOTH, 41);
    const cd_shape_geometry ground = {.kind = CD_SHAPE_HEIGHT_FIELD, .field = f};
    shape_dice              dice   = {21};
    int                     found  = 0;
    const int               cases  = test_cases(1500, 50000);
    for (int k = 0; k < cases && !test_broken; ++k) {
        const cd_shape_geometry g      = {.kind = CD_SHAPE_SPHERE, .size = {shape_range(&dice, 0.05, 1)}};
        const cd_shape_pose     at     = random_shape_pose(&dice, 3);
        d3                      centre = {{shape_range(&dice, -1.2, 1.2), shape_range(&dice, -1.2, 1.2), 0}};
        centre.e[2]                    = hills(centre.e[0], centre.e[1]) + g.size[0] * shape_range(&dice, 0.7, 1.1);
        cd_shape_pose pose             = at;
        d3_put(d3_add(d3_rotate(at.R, centre), d3_of(at.p)), pose.p);
        cd_contact_point point[16];
        const int        n     = cd_collide(&g, &pose, &ground, &at, 0.1, NULL, point, 16);
        double           least = INFINITY;
        for (int i = 0; i < n; ++i) {
            least           = fmin(least, point[i].gap);
            const d3 across = d3_reject(d3_sub(d3_of(pose.p), d3_of(point[i].b)), d3_of(point[i].normal));
            CHECK(d3_norm(across) < 1e-11);
        }
        const double sampled = sampled_gap(f, centre, g.size[0]);
        if (n > 0) CHECK_NEAR(least, sampled, 1e-9);
        CHECK((n > 0) == (sampled < 0.1));
        found += n > 0;
    }
    CHECK(found > cases * 9 / 10);
    cd_height_field_destroy(f);
}

// Contact of any shape: b on the surface, a on the shape, the normal common to both.
static void check_common_normal(cd_shape_kind kind)
{
    cd_height_field*        f      = hills_field(CD_FIELD_SMOOTH, 41);
    const cd_shape_geometry ground = {.kind = CD_SHAPE_HEIGHT_FIELD, .field = f};
    shape_dice              dice   = {(uint64_t)kind + 40};
    int                     found  = 0;
    const int               cases  = test_cases(1000, 50000);
    for (int k = 0; k < cases && !test_broken; ++k) {
        cd_shape_geometry g = random_shape(&dice, kind);
        for (int i = 0; i < 3; ++i) g.size[i] *= 0.4; // flatter than the hills are curved
        if (kind == CD_SHAPE_HULL) g.rounding = 0.02;
        cd_shape_pose        pose = random_shape_pose(&dice, 1);
        const cd_shape_type* type = cd_shape_type_of(&g);
        uint32_t             feature;
        const d3             down  = d3_rotate_back(pose.R, d3_neg(d3_axis(2)));
        const double         depth = -d3_rotate(pose.R, type->support(&g, down, &feature)).e[2] + type->offset(&g);
        pose.p[2]                  = hills(pose.p[0], pose.p[1]) + depth + shape_range(&dice, -0.05, 0.05);
        cd_contact_point point[CD_CONTACT_POINTS_MAX];
        const int        n = cd_collide(&g, &pose, &ground, &shape_identity, 0.3, NULL, point, CD_CONTACT_POINTS_MAX);
        for (int i = 0; i < n; ++i) {
            const d3  normal = d3_of(point[i].normal), a = d3_of(point[i].a), b = d3_of(point[i].b);
            cd_height h;
            cd_height_evaluate(f, b.e[0], b.e[1], &h);
            CHECK(fabs(h.z - b.e[2]) < 1e-14);
            CHECK(d3_norm(d3_sub(cd_height_normal(&h), normal)) < 1e-14);
            CHECK(d3_norm(d3_sub(d3_sub(a, b), d3_scale(point[i].gap, normal))) < 1e-10);
            if (kind == CD_SHAPE_ELLIPSOID || kind == CD_SHAPE_TORUS) { // a is the extreme point
                const d3 s = type->support(&g, d3_neg(d3_rotate_back(pose.R, normal)), &feature);
                const d3 x = d3_add_scaled(d3_add(d3_rotate(pose.R, s), d3_of(pose.p)), -type->offset(&g), normal);
                if (cd_feature_kind_of(cd_contact_feature(&point[i], 0)) != CD_FEATURE_RIM)
                    CHECK(d3_norm(d3_sub(x, a)) < 1e-12);
            }
        }
        found += n > 0;
        if (kind == CD_SHAPE_HULL) random_shape_free(&g);
    }
    CHECK(found > cases * 8 / 10);
    cd_height_field_destroy(f);
}

// Rates of gap, normal and point against central differences of cd_collide along motions of both shapes.
static cd_shape_pose moved_pose(const cd_shape_pose* pose, const double motion[6], d3 about, double e)
{
    double        R[9];
    cd_shape_pose out   = *pose;
    const d3      w     = d3_of(motion);
    const double  angle = d3_norm(w) * e;
    if (angle != 0)
        shape_rotation(d3_unit(w), angle, R);
    else
        memcpy(R, shape_identity.R, sizeof R);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.R[3 * i + j] = R[3 * i] * pose->R[j] + R[3 * i + 1] * pose->R[3 + j] + R[3 * i + 2] * pose->R[6 + j];
    const d3 arm = d3_sub(d3_of(pose->p), about);
    d3_put(d3_add(d3_add(about, d3_rotate(R, arm)), d3_scale(e, d3_of(motion + 3))), out.p);
    return out;
}

static void check_derivative(cd_shape_kind kind)
{
    cd_height_field*        f      = formula_field(cosine);
    const cd_shape_geometry ground = {.kind = CD_SHAPE_HEIGHT_FIELD, .field = f};
    shape_dice              dice   = {(uint64_t)kind + 77};
    int                     tested = 0;
    for (int k = 0; k < 200 && !test_broken; ++k) {
        cd_shape_geometry g       = {.kind = kind, .size = {0.5, 0.2, 0.35}};
        cd_shape_pose     pose[2] = {random_shape_pose(&dice, 0.6), random_shape_pose(&dice, 1)};
        pose[0].p[2]              = 0.4;
        const d3 place            = d3_of(pose[0].p);
        d3_put(d3_add(d3_rotate(pose[1].R, place), d3_of(pose[1].p)), pose[0].p);
        cd_contact_point c[CD_CONTACT_POINTS_MAX], l[CD_CONTACT_POINTS_MAX], r[CD_CONTACT_POINTS_MAX];
        const int        n = cd_collide(&g, &pose[0], &ground, &pose[1], 1, NULL, c, CD_CONTACT_POINTS_MAX);
        for (int i = 0; i < n && i < 2; ++i) {
            cd_contact_rates rates;
            if (!cd_contact_derivative(&g, &pose[0], &ground, &pose[1], &c[i], &rates)) continue;
            const d3 centre = d3_scale(0.5, d3_add(d3_of(c[i].a), d3_of(c[i].b)));
            for (int j = 0; j < 12; ++j) {
                double       motion[6] = {0};
                const double e         = 1e-6;
                motion[j % 6]          = 1;
                cd_shape_pose low[2] = {pose[0], pose[1]}, high[2] = {pose[0], pose[1]};
                low[j / 6]   = moved_pose(&pose[j / 6], motion, centre, -e);
                high[j / 6]  = moved_pose(&pose[j / 6], motion, centre, e);
                const int nl = cd_collide(&g, &low[0], &ground, &low[1], 1, NULL, l, CD_CONTACT_POINTS_MAX);
                const int nr = cd_collide(&g, &high[0], &ground, &high[1], 1, NULL, r, CD_CONTACT_POINTS_MAX);
                if (nl != n || nr != n) continue;
                CHECK(l[i].key == c[i].key && r[i].key == c[i].key);
                CHECK_NEAR(rates.gap[j], (r[i].gap - l[i].gap) / (2 * e), 1e-7);
                for (int q = 0; q < 3; ++q) {
                    CHECK_NEAR(rates.normal[q][j], (r[i].normal[q] - l[i].normal[q]) / (2 * e), 1e-6);
                    CHECK_NEAR(rates.point[q][j], (r[i].a[q] + r[i].b[q] - l[i].a[q] - l[i].b[q]) / (4 * e), 1e-6);
                }
                ++tested;
            }
        }
    }
    CHECK(tested > 1500);
    cd_height_field_destroy(f);
}

// A wheel of 1 m in a valley of the radius 0.4 m touches both sides.
static void valley(const void* context, double x, double y, cd_height* h)
{
    (void)context, (void)y;
    h->z = x * x * 1.25, h->x = 2.5 * x, h->xx = 2.5;
}

static void check_valley(void)
{
    cd_height_field*        f      = formula_field(valley);
    const cd_shape_geometry g      = {.kind = CD_SHAPE_SPHERE, .size = {1}},
                            ground = {.kind = CD_SHAPE_HEIGHT_FIELD, .field = f};
    // centre (0, zc): feet at x with (x) + (1.25 x^2 - zc) 2.5 x = 0, x^2 = (zc - 0.4)/1.25; distance 1
    const double        x2 = 1 - 0.16, x = sqrt(x2), zc = 1.25 * x2 + 0.4; // 0.16 = (1/2.5)^2
    const cd_shape_pose pose = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, zc}};
    cd_contact_point    c[4];
    const int           n = cd_collide(&g, &pose, &ground, &shape_identity, 0.1, NULL, c, 4);
    CHECK(n == 2);
    for (int i = 0; i < n; ++i) {
        CHECK_NEAR(c[i].gap, 0, 1e-14);
        CHECK_NEAR(fabs(c[i].b[0]), x, 1e-12);
    }
    cd_height_field_destroy(f);
}

static void check_refused(void)
{
    const char*          reason;
    double               z[16] = {0};
    cd_field_description d     = {.kind = CD_FIELD_SMOOTH, .nx = 4, .ny = 4, .dx = 1, .dy = 0, .z = z};
    CHECK(!cd_height_field_create(&d, &reason));
    CHECK_TEXT(reason, "its spacings must be positive and finite");
    d.dy = 1, d.ny = 1;
    CHECK(!cd_height_field_create(&d, &reason));
    CHECK_TEXT(reason, "it has fewer than two points in a direction");
    d.ny = 4, z[5] = NAN;
    CHECK(!cd_height_field_create(&d, &reason));
    CHECK_TEXT(reason, "a height is not finite");
    d.kind = CD_FIELD_PROFILE;
    CHECK(!cd_height_field_create(&d, &reason));
    CHECK_TEXT(reason, "a profile needs at least eight points");
    d.kind = CD_FIELD_FORMULA;
    CHECK(!cd_height_field_create(&d, &reason));
    CHECK_TEXT(reason, "its formula is missing");
}

int main(void)
{
    RUN(check_refused());
    RUN(check_evaluation(hills_field(CD_FIELD_SMOOTH, 23)));
    RUN(check_evaluation(cosine_profile(40)));
    RUN(check_quadratic());
    RUN(check_profile_errors());
    RUN(check_point_on_cosine());
    RUN(check_spheres());
    for (cd_shape_kind kind = CD_SHAPE_SPHERE; kind <= CD_SHAPE_HULL; ++kind) RUN(check_common_normal(kind));
    RUN(check_derivative(CD_SHAPE_SPHERE));
    RUN(check_derivative(CD_SHAPE_ELLIPSOID));
    RUN(check_derivative(CD_SHAPE_TORUS));
    RUN(check_derivative(CD_SHAPE_BOX));
    RUN(check_derivative(CD_SHAPE_CYLINDER));
    RUN(check_valley());
    return test_end();
}
