// SPDX-License-Identifier: BSD-3-Clause
// Rays against single shapes: a hit lies on the surface with its normal, and the ray is outside before it; a ray that misses is
// outside everywhere. Both are decided by the signed distance of the shape at sampled points.
#include "contact/ray/ray.h"
#include "contact/shape/hull.h"

#include "random_shapes.h"
#include "test.h"

static double signed_distance(const cd_shape_geometry* g, const cd_shape_pose* pose, d3 x, d3* normal)
{
    const cd_shape_type* type = cd_shape_type_of(g);
    d3                   point;
    uint32_t             feature;
    const d3             local    = d3_rotate_back(pose->R, d3_sub(x, d3_of(pose->p)));
    const double         distance = type->nearest(g, local, &point, normal, &feature) - type->offset(g);
    *normal                       = d3_rotate(pose->R, *normal);
    return distance;
}

// Least signed distance of the ray up to a distance, at sampled points.
static double least_distance(const cd_shape_geometry* g, const cd_shape_pose* pose, const cd_ray* ray, double end)
{
    double least = INFINITY;
    d3     normal;
    for (int i = 0; i <= 60; ++i) {
        const d3 x = d3_add_scaled(d3_of(ray->origin), end * i / 60, d3_of(ray->direction));
        least      = fmin(least, signed_distance(g, pose, x, &normal));
    }
    return least;
}

static void check_shape(const cd_shape_geometry* g)
{
    shape_dice random = {(uint64_t)g->kind + 17};
    int        hits = 0, misses = 0;
    const int  cases = test_cases(3000, 300000);
    for (int k = 0; k < cases; ++k) {
        const cd_shape_pose pose = random_shape_pose(&random, 2);
        cd_ray              ray  = {.length = 20};
        const d3 target          = d3_add_scaled(d3_of(pose.p), shape_range(&random, 0, 1.5), shape_direction(&random));
        const d3 origin          = d3_add_scaled(d3_of(pose.p), shape_range(&random, 0, 8), shape_direction(&random));
        d3_put(origin, ray.origin);
        d3_put(d3_unit(d3_sub(target, origin)), ray.direction);
        d3         normal;
        cd_ray_hit hit;
        if (signed_distance(g, &pose, origin, &normal) < 0) {
            if (g->kind != CD_SHAPE_TORUS) CHECK(!cd_ray_cast(g, &pose, &ray, &hit));
        } else if (cd_ray_cast(g, &pose, &ray, &hit)) {
            ++hits;
            CHECK(fabs(signed_distance(g, &pose, d3_of(hit.point), &normal)) < 1e-12);
            CHECK(d3_norm(d3_sub(normal, d3_of(hit.normal))) < 1e-6); // square root of round-off at tangents of an edge
            CHECK(d3_dot(d3_of(hit.normal), d3_of(ray.direction)) <= 0);
            CHECK(least_distance(g, &pose, &ray, hit.distance) > -1e-12);
            const cd_ray shorter = {{ray.origin[0], ray.origin[1], ray.origin[2]},
                                    {ray.direction[0], ray.direction[1], ray.direction[2]},
                                    hit.distance * (1 - 1e-9)};
            CHECK(!cd_ray_cast(g, &pose, &shorter, &hit));
        } else {
            ++misses;
            CHECK(least_distance(g, &pose, &ray, ray.length) > -1e-12);
        }
        if (test_broken) return;
    }
    CHECK(hits > cases / 10 && (misses > cases / 50 || g->kind == CD_SHAPE_PLANE));
}

static void check_hull(double rounding)
{
    const double corner[24] = {-1,  -1,  -1, 1,  -1,  -1,  -1,  1,  -1, 1,  1,  -1,
                               -.5, -.6, 1,  .7, -.5, 1.1, -.4, .6, .9, .3, .8, 1};
    const char*  reason     = NULL;
    cd_hull*     hull       = cd_hull_create(8, corner, 0, &reason);
    if (!hull) {
        printf("skipped: %s\n", reason);
        return;
    }
    check_shape(&(cd_shape_geometry){.kind = CD_SHAPE_HULL, .hull = hull, .rounding = rounding});
    cd_hull_destroy(hull);
}

// Distances in closed form: an axis through the middle of each shape
static void check_known_distances(void)
{
    static const struct {
        cd_shape_geometry g;
        double            distance;
    } known[] = {
        {{.kind = CD_SHAPE_SPHERE, .size = {0.5}}, 4.5},
        {{.kind = CD_SHAPE_CAPSULE, .size = {0.5, 1}}, 3.5},
        {{.kind = CD_SHAPE_BOX, .size = {1, 2, 0.25}}, 4.75},
        {{.kind = CD_SHAPE_BOX, .size = {1, 2, 0.25}, .rounding = 0.1}, 4.75},
        {{.kind = CD_SHAPE_CYLINDER, .size = {1, 0.75}}, 4.25},
        {{.kind = CD_SHAPE_ELLIPSOID, .size = {1, 2, 3}}, 2},
        {{.kind = CD_SHAPE_PLANE}, 5},
    };
    const cd_ray ray = {{0, 0, 5}, {0, 0, -1}, INFINITY};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        cd_ray_hit hit;
        CHECK(cd_ray_cast(&known[i].g, &shape_identity, &ray, &hit));
        CHECK_NEAR(hit.distance, known[i].distance, 1e-15);
        CHECK_NEAR(hit.normal[2], 1, 1e-15);
    }
    // through the hole of a torus, and onto its tube
    const cd_shape_geometry torus = {.kind = CD_SHAPE_TORUS, .size = {1, 0.25}};
    cd_ray_hit              hit;
    CHECK(!cd_ray_cast(&torus, &shape_identity, &ray, &hit));
    CHECK(cd_ray_cast(&torus, &shape_identity, &(cd_ray){{1, 0, 5}, {0, 0, -1}, 9}, &hit));
    CHECK_NEAR(hit.distance, 4.75, 1e-14);
    CHECK(cd_ray_cast(&torus, &shape_identity, &(cd_ray){{0, 0, 0}, {0, 1, 0}, 9}, &hit)); // from the middle outwards
    CHECK_NEAR(hit.distance, 0.75, 1e-14);
    CHECK_NEAR(hit.normal[1], -1, 1e-14);
}

int main(void)
{
    RUN(check_known_distances());
    RUN(check_shape(&(cd_shape_geometry){.kind = CD_SHAPE_SPHERE, .size = {1}}));
    RUN(check_shape(&(cd_shape_geometry){.kind = CD_SHAPE_CAPSULE, .size = {0.5, 1}}));
    RUN(check_shape(&(cd_shape_geometry){.kind = CD_SHAPE_BOX, .size = {1, 0.7, 0.4}}));
    RUN(check_shape(&(cd_shape_geometry){.kind = CD_SHAPE_BOX, .size = {1, 0.7, 0.4}, .rounding = 0.1}));
    RUN(check_shape(&(cd_shape_geometry){.kind = CD_SHAPE_CYLINDER, .size = {1, 0.5}}));
    RUN(check_shape(&(cd_shape_geometry){.kind = CD_SHAPE_CYLINDER, .size = {1, 0.5}, .rounding = 0.2}));
    RUN(check_shape(&(cd_shape_geometry){.kind = CD_SHAPE_ELLIPSOID, .size = {1, 0.6, 0.3}}));
    RUN(check_shape(&(cd_shape_geometry){.kind = CD_SHAPE_TORUS, .size = {0.8, 0.3}}));
    RUN(check_shape(&(cd_shape_geometry){.kind = CD_SHAPE_PLANE}));
    RUN(check_hull(0));
    RUN(check_hull(0.1));
    return test_end();
}
