// SPDX-License-Identifier: BSD-3-Clause
// Constraints in model files: read, saved and read again; moved and reflected with their template; mistakes.
#include "yaml_text.h"

#include "math/quaternion.h"

#include <cardan/cardan.h>

static cardan_description* load_held(const char* uses)
{
    char text[1000];
    snprintf(text, sizeof text, "cardan: 1\ngravity: [0, 0, 0]\ninclude: %s/test/data/yaml/locked.yaml\nuse:\n%s",
             CARDAN_SOURCE, uses);
    return yaml_load(text);
}

// ---- images

typedef struct image {
    const char* use;
    double      Q[9], det;
} image;

static void check_vector(const image* m, double factor, const double a[3], const double b[3], const char* body,
                         const char* what)
{
    for (int i = 0; i < 3; ++i) {
        const double wanted = factor * (m->Q[3 * i] * a[0] + m->Q[3 * i + 1] * a[1] + m->Q[3 * i + 2] * a[2]);
        if (fabs(b[i] - wanted) <= 1e-8 * fmax(1, fabs(wanted))) continue;
        printf("%s: %s of %s: component %d is %.15g, not %.15g\n", m->use, what, body, i, b[i], wanted);
        CHECK(false);
    }
}

static double row_size(double x) { return fmax(1, fabs(x)); }

static void test_image(const image* m)
{
    char uses[200];
    snprintf(uses, sizeof uses, "  one: {held: }\n  two: %s\n", m->use);
    cardan_description* d     = load_held(uses);
    cardan_model*       model = NULL;
    cardan_data*        data  = NULL;
    CHECK(d && cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &model, &yaml_report) == CARDAN_OK);
    CHECK(model && cardan_data_create(model, cardan_formulation_find("dense"), &data, &yaml_report) == CARDAN_OK);
    if (data) {
        const cardan_view       view = cardan_description_get_view(d);
        const cardan_model_view look = cardan_model_get_view(model);
        static double           a[300], effort[60];
        static cardan_motion    motion[60];
        const int               n = view.nbody / 2, drivers = cardan_driver_count(data) / 2;
        CHECK(n == 17 && look.nv < 300 && drivers == 11);
        cardan_data_set_state(data, 0.3, look.q_start, look.v_start, NULL);
        CHECK(cardan_accelerate(data, a, NULL, &yaml_report) == CARDAN_OK);
        CHECK(cardan_residual_norm(data, a) < 1e-9);
        cardan_body_motions(data, a, motion);
        for (int i = 0; i < n; ++i) {
            check_vector(m, 1, motion[i].v, motion[i + n].v, view.body[i].name, "velocity");
            check_vector(m, 1, motion[i].a, motion[i + n].a, view.body[i].name, "acceleration");
            check_vector(m, m->det, motion[i].alpha, motion[i + n].alpha, view.body[i].name, "angular acceleration");
        }
        cardan_driver_efforts(data, a, effort, NULL);
        double one = 0, two = 0;
        for (int i = 0; i < 2 * drivers; ++i) {
            const char* name = cardan_driver_at(data, i).name;
            *(strncmp(name, "one.", 4) == 0 ? &one : &two) += effort[i] * effort[i];
        }
        CHECK(one > 1e-3 && fabs(one - two) < 1e-7 * row_size(one));
    }
    if (test_broken) yaml_print();
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(d);
}

// ---- saved and read again

static bool same_bytes(const void* a, const void* b, size_t size)
{
    return (!a && !b) || (a && b && memcmp(a, b, size) == 0);
}

static void compare(const cardan_constraint* a, const cardan_constraint* b)
{
    bool same = strcmp(a->name, b->name) == 0 && strcmp(a->type, b->type) == 0 && a->njoint == b->njoint &&
                a->locked == b->locked;
    same = same && same_bytes(a->marker, b->marker, sizeof a->marker) &&
           same_bytes(a->radius, b->radius, sizeof a->radius);
    for (int i = 0; i < a->njoint; ++i)
        same = same && a->joint[i] == b->joint[i] && a->axis[i] == b->axis[i] && a->factor[i] == b->factor[i];
    same = same && a->offset == b->offset && a->length == b->length && a->ratio == b->ratio &&
           a->is_sphere == b->is_sphere;
    same = same && same_bytes(a->efficiency, b->efficiency, sizeof a->efficiency) && a->loss_speed == b->loss_speed &&
           same_bytes(&a->reference, &b->reference, sizeof a->reference);
    for (int i = 0; i < 6; ++i) same = same && (a->driver[i] == CARDAN_NONE) == (b->driver[i] == CARDAN_NONE);
    const cardan_curve *c = &a->curve, *k = &b->curve;
    same = same && c->npoint == k->npoint && c->closed == k->closed && c->degree == k->degree && c->nknot == k->nknot;
    const size_t n = (size_t)c->npoint * sizeof(double);
    same           = same && same_bytes(c->point, k->point, 3 * n) && same_bytes(c->weight, k->weight, n) &&
           same_bytes(c->knot, k->knot, (size_t)c->nknot * sizeof(double));
    if (!same) printf("constraint '%s' came back changed\n", a->name);
    CHECK(same);
}

static void test_round_trip(void)
{
    cardan_description* d     = load_held("  one: {held: }\n  two: {held: {}, mirror: y, at: [1, 2, 3]}\n");
    char*               text  = d ? cardan_save_text(d) : NULL;
    cardan_description* again = text ? yaml_load(text) : NULL;
    if (again) {
        const cardan_view a = cardan_description_get_view(d), b = cardan_description_get_view(again);
        CHECK(a.nconstraint == 40 && b.nconstraint == a.nconstraint && b.ncoupling == 2);
        for (int i = 0; i < a.nconstraint; ++i) compare(&a.constraint[i], &b.constraint[i]);
        for (int i = 0; i < a.njoint; ++i) CHECK(a.joint[i].ndriver == b.joint[i].ndriver);
        char* twice = cardan_save_text(again);
        CHECK_TEXT(strstr(twice, "\nconstraints:"), strstr(text, "\nconstraints:"));
        free(twice);
    }
    free(text);
    cardan_description_destroy(d);
    cardan_description_destroy(again);
}

// ---- mistakes

#define HEAD                                                                                                           \
    "cardan: 1\nbodies: {a: {mass: 1}, b: {mass: 1, at: [1, 0, 0]}}\n"                                                 \
    "joints: {h: {revolute: [ground, a], at: [0, 0, 0], axis: z}, s: {prismatic: [ground, b], at: [0, 0, 0], axis: "   \
    "z}}\n"

static const struct {
    const char *text, *message;
} mistakes[] = {
    {"constraints: {c: {gea: [h, s]}}\n",
     "model.yaml:4:19: error: constraint 'c': there is no key 'gea' here (did you mean 'gear'?)"},
    {"constraints: {c: {gear: [h, t], teeth: [1, 2]}}\n", "constraint 'c': there is no joint 't'"},
    {"constraints: {c: {gear: [h, s], teeth: [1, 2]}}\n",
     "constraint 'c': the coordinate of joint 's' is a way, and a gear turns"},
    {"constraints: {c: {gear: [h, h], teeth: [1, 2]}}\n", "constraint 'c': it couples a coordinate with itself"},
    {"constraints: {c: {gear: [h, s]}}\n", "the coordinate of joint 's' is a way"},
    {"constraints: {c: {coupler: [h, s], factors: [1, 2, 3]}}\n", "it couples 2 joints, and 3 factors are given"},
    {"constraints: {c: {coupler: [h, s], factors: [1, 0]}}\n", "a factor of zero couples nothing"},
    {"constraints: {c: {coupler: [h, s], factors: [1, 1], coordinates: [1, 2]}}\n",
     "joint 's' has coordinates 1 to 1, not 2"},
    {"constraints: {c: {rack_pinion: [s, h], radius: 1}}\n",
     "the first joint is the pinion, and its coordinate must be an angle"},
    {"constraints: {c: {rack_pinion: [h, s], radius: 0}}\n", "its radius is zero"},
    {"constraints: {c: {rack_pinion: [h, s]}}\n", "'radius' is missing"},
    {"constraints: {c: {distance: [a, a]}}\n", "both its markers are the same"},
    {"constraints: {c: {distance: [a, ground]}}\n", "its markers coincide in the design position, which makes no rod"},
    {"constraints: {c: {distance: [b, ground], length: -1}}\n", "the length of a rod must be positive"},
    {"constraints: {c: {distance: [b, ground], length: 1, law: 1}}\n", "'length' and 'law' exclude each other"},
    {"constraints: {c: {distance: [b, ground], law: =q(h)}}\n",
     "model.yaml:4:47: error: constraint 'c': a law of motion may depend on t, parameters and tables, not on the "
     "motion of the mechanism"},
    {"constraints: {c: {driver: h}}\n", "'law' is missing: the coordinate as a function of t"},
    {"constraints: {c: {driver: h, law: \"=x(b)\"}}\n", "not on the motion of the mechanism"},
    {"constraints: {c: {driver: h, law: =t, coordinate: 2}}\n", "joint 'h' has coordinates 1 to 1, not 2"},
    {"constraints: {c: {lock: [a, b], x: free, y: free, z: free, rx: free, ry: free, rz: free}}\n",
     "all its motions are free, so it holds nothing"},
    {"constraints: {c: {lock: [a, b], x: loose}}\n", "'loose' is not a number"},
    {"constraints: {c: {lock: [a, b], length: 1}}\n", "'length' is for distance, not for lock"},
    {"constraints: {c: {follow: [a, b], law: =t}}\n", "'curve' is missing"},
    {"constraints: {c: {follow: [a, b], law: =t, curve: {points: [[0, 0, 0], [1, 0, 0]], degree: 2}}}\n",
     "a curve of degree 2 needs 3 points or more, not 2"},
    {"constraints: {c: {point_on_curve: [a, b], curve: {points: [[0, 0, 0], [1, 0, 0]], weights: [1]}}}\n",
     "this curve has 2 weights, not 1"},
    {"constraints: {c: {point_on_curve: [a, b], curve: {points: [[0, 0, 0], [1, 0, 0]], weights: [1, 0]}}}\n",
     "the weights of a curve must be positive"},
    {"constraints: {c: {point_on_curve: [a, b], curve: {points: [[0, 0, 0], [1, 0, 0]], knots: [0, 0, 1, 0.5]}}}\n",
     "the knots of a curve must not decrease"},
    {"constraints: {c: {rolling: [a, ground], radius: 0}}\n", "its radius is zero"},
    {"constraints: {c: {rolling: [a, ground], radius: 1, shape: cube}}\n",
     "'shape' must be disc or sphere, not 'cube'"},
    {"constraints: {c: {worm: [h, s], ratio: 2}}\n", "the coordinate of joint 's' is a way, and a worm turns"},
    {"constraints: {c: {driver: h, law: =t}, s: {parallel: [a, b]}}\n",
     "model.yaml:4:40: error: constraint 's': the joint in line 3 has this name already"},
    {"constraints: {c: {parallel: [a, nobody]}}\n", "there is no marker or body 'nobody'"},
};

static void test_mistake(int i)
{
    char text[1000];
    snprintf(text, sizeof text, HEAD "%s", mistakes[i].text);
    cardan_description* d    = yaml_load_with(text, NULL);
    bool                told = false;
    CHECK(d == NULL);
    for (int k = 0; k < yaml_report.count; ++k) told = told || strstr(yaml_report.message[k].text, mistakes[i].message);
    CHECK(told);
    if (test_broken) printf("%s\n", mistakes[i].text), yaml_print();
    cardan_description_destroy(d);
}

static void check_driver(const char* driver, const char* message)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "cardan: 1\nbodies: {a: {mass: 1}}\ntables: {f: {x: [0, 1, 2], y: [0, 1, 3]}}\nstates: {s: {rate: =f(t)}}\n"
        "joints: {h: {cylindrical: [ground, a], at: [0, 0, 0], axis: z, driver: %s}}\n",
        driver);
    cardan_description* d = yaml_load_with(text, NULL);
    CHECK_HAS(yaml_report.count ? yaml_report.message[0].text : "", message);
    cardan_description_destroy(d);
}

static void test_drivers(void)
{
    check_driver(
        "=t", "joint 'h': a cylindrical joint has 2 coordinates, and 1 law is given; `free` is one that is not driven");
    check_driver(
        "[=t, =s]",
        "joint 'h': a law of motion may depend on t, parameters and tables, not on the motion of the mechanism");
    check_driver("[=t, \"=q(h, 1)\"]", "not on the motion of the mechanism");
    check_driver("[free, =f(t)]", "warning: joint 'h': table 'f' is linear, so the speed of this law jumps at its "
                                  "points; interpolation: cubic is smooth");
    check_driver("[=t, fre]", "'fre' is not a number");
}

// What the library says where the description comes from elsewhere.
static void test_unsound(void)
{
    cardan_description* d = yaml_load(HEAD "constraints: {c: {distance: [b, ground]}}\n");
    cardan_constraint   c = cardan_constraint_default("odd", "distant");
    cardan_report       r = {0};
    cardan_model*       m = NULL;
    cardan_data*        x = NULL;
    cardan_description_add_constraint(d, &c);
    c           = cardan_constraint_default("rod", "distance");
    c.marker[0] = cardan_description_find_marker(d, "a");
    c.location  = (cardan_location){"there.yaml", 7, 3};
    cardan_description_add_constraint(d, &c);
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, &r) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("dense"), &x, &r) == CARDAN_BAD_INPUT && !x);
    CHECK_HAS(r.message[0].text, "constraint 'odd': there is no constraint type 'distant'");
    CHECK_HAS(r.message[1].text, "there.yaml:7:3: error: constraint 'rod': its length is 0 m, but must be positive; "
                                 "two points that coincide are a spherical joint");
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

int main(void)
{
    static const image images[] = {
        {"{held: {r: 0.3}}", {1, 0, 0, 0, 1, 0, 0, 0, 1}, 1},
        {"{held: {}, mirror: x}", {-1, 0, 0, 0, 1, 0, 0, 0, 1}, -1},
        {"{held: {}, mirror: y}", {1, 0, 0, 0, -1, 0, 0, 0, 1}, -1},
        {"{held: {}, mirror: z}", {1, 0, 0, 0, 1, 0, 0, 0, -1}, -1},
        {"{held: {}, at: [1, 2, 3], orientation: {axis: z, angle: =pi/2}, mirror: y}", {0, 1, 0, 1, 0, 0, 0, 0, 1}, -1},
    };
    yaml_begin();
    for (size_t i = 0; i < sizeof images / sizeof *images; ++i) RUN(test_image(&images[i]));
    RUN(test_round_trip());
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) RUN(test_mistake((int)i));
    RUN(test_drivers());
    RUN(test_unsound());
    yaml_end();
    return test_end();
}
