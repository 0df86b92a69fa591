// SPDX-License-Identifier: BSD-3-Clause
// Constraints in model files: reading, saving and reading again, images under displacement and reflection of a
// template, errors.
#include "sentences.h"
#include "yaml_text.h"

#include "math/quaternion.h"

#include <cardan/cardan.h>

static cardan_description* load_locked(const char* uses)
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
                         const char* quantity)
{
    for (int i = 0; i < 3; ++i) {
        const double expected = factor * (m->Q[3 * i] * a[0] + m->Q[3 * i + 1] * a[1] + m->Q[3 * i + 2] * a[2]);
        if (fabs(b[i] - expected) <= 1e-8 * fmax(1, fabs(expected))) continue;
        printf("%s: %s of %s: component %d is %.15g, not %.15g\n", m->use, quantity, body, i, b[i], expected);
        CHECK(false);
    }
}

static double magnitude_or_one(double x) { return fmax(1, fabs(x)); }

static void test_image(const image* m)
{
    char uses[200];
    snprintf(uses, sizeof uses, "  one: {held: }\n  two: %s\n", m->use);
    cardan_description* d     = load_locked(uses);
    cardan_model*       model = NULL;
    cardan_data*        data  = NULL;
    CHECK(d && cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &model, &yaml_report) == CARDAN_OK);
    CHECK(model && cardan_data_create(model, cardan_formulation_find("dense"), &data, &yaml_report) == CARDAN_OK);
    if (data) {
        const cardan_description_view view       = cardan_description_get_view(d);
        const cardan_model_view       model_view = cardan_model_get_view(model);
        static double                 a[300], effort[60];
        static cardan_motion          motion[60];
        const int                     n = view.nbody / 2, drivers = cardan_data_driver_count(data) / 2;
        CHECK(n == 17 && model_view.nv < 300 && drivers == 11);
        cardan_data_set_state(data, 0.3, model_view.q_start, model_view.v_start, NULL);
        CHECK(cardan_data_accelerate(data, a, NULL, &yaml_report) == CARDAN_OK);
        CHECK(cardan_data_residual_norm(data, a) < 1e-9);
        cardan_data_body_motions(data, a, motion);
        for (int i = 0; i < n; ++i) {
            check_vector(m, 1, motion[i].v, motion[i + n].v, view.body[i].name, "velocity");
            check_vector(m, 1, motion[i].a, motion[i + n].a, view.body[i].name, "acceleration");
            check_vector(m, m->det, motion[i].alpha, motion[i + n].alpha, view.body[i].name, "angular acceleration");
        }
        cardan_data_driver_efforts(data, a, effort, NULL);
        double one = 0, two = 0;
        for (int i = 0; i < 2 * drivers; ++i) {
            const char* name = cardan_data_driver_at(data, i).name;
            *(strncmp(name, "one.", 4) == 0 ? &one : &two) += effort[i] * effort[i];
        }
        CHECK(one > 1e-3 && fabs(one - two) < 1e-7 * magnitude_or_one(one));
    }
    if (test_broken) yaml_print();
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(d);
}

// ---- saving and reading again

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
    cardan_description* d     = load_locked("  one: {held: }\n  two: {held: {}, mirror: y, at: [1, 2, 3]}\n");
    char*               text  = d ? cardan_description_save_text(d) : NULL;
    cardan_description* again = text ? yaml_load(text) : NULL;
    if (again) {
        const cardan_description_view a = cardan_description_get_view(d), b = cardan_description_get_view(again);
        CHECK(a.nconstraint == 40 && b.nconstraint == a.nconstraint && b.ncoupling == 2);
        for (int i = 0; i < a.nconstraint; ++i) compare(&a.constraint[i], &b.constraint[i]);
        for (int i = 0; i < a.njoint; ++i) CHECK(a.joint[i].ndriver == b.joint[i].ndriver);
        char* twice = cardan_description_save_text(again);
        CHECK_TEXT(strstr(twice, "\nconstraints:"), strstr(text, "\nconstraints:"));
        free(twice);
    }
    free(text);
    cardan_description_destroy(d);
    cardan_description_destroy(again);
}

// ---- errors

#define HEAD                                                                                                           \
    "cardan: 1\nbodies: {a: {mass: 1}, b: {mass: 1, at: [1, 0, 0]}}\n"                                                 \
    "joints: {h: {revolute: [ground, a], at: [0, 0, 0], axis: z}, s: {prismatic: [ground, b], at: [0, 0, 0], axis: "   \
    "z}}\n"

static const struct {
    const char *text, *parts; // of the message
} invalid[] = {
    {"constraints: {c: {gea: [h, s]}}\n", "model.yaml:4:19: error|'c'|'gea'|'gear'"},
    {"constraints: {c: {gear: [h, t], teeth: [1, 2]}}\n", "'c'|'t'"},
    {"constraints: {c: {gear: [h, s], teeth: [1, 2]}}\n", "'c'|'s'"},
    {"constraints: {c: {gear: [h, h], teeth: [1, 2]}}\n", "'c'"},
    {"constraints: {c: {gear: [h, s]}}\n", "'s'"},
    {"constraints: {c: {coupler: [h, s], factors: [1, 2, 3]}}\n", "2|3"},
    {"constraints: {c: {coupler: [h, s], factors: [1, 0]}}\n", ""},
    {"constraints: {c: {coupler: [h, s], factors: [1, 1], coordinates: [1, 2]}}\n", "'s'|1|2"},
    {"constraints: {c: {rack_pinion: [s, h], radius: 1}}\n", ""},
    {"constraints: {c: {rack_pinion: [h, s], radius: 0}}\n", ""},
    {"constraints: {c: {rack_pinion: [h, s]}}\n", "'radius'"},
    {"constraints: {c: {distance: [a, a]}}\n", ""},
    {"constraints: {c: {distance: [a, ground]}}\n", ""},
    {"constraints: {c: {distance: [b, ground], length: -1}}\n", ""},
    {"constraints: {c: {distance: [b, ground], length: 1, law: 1}}\n", "'length'|'law'"},
    {"constraints: {c: {distance: [b, ground], law: =q(h)}}\n", "model.yaml:4:47: error|'c'"},
    {"constraints: {c: {driver: h}}\n", "'law'"},
    {"constraints: {c: {driver: h, law: \"=x(b)\"}}\n", ""},
    {"constraints: {c: {driver: h, law: =t, coordinate: 2}}\n", "'h'|1|2"},
    {"constraints: {c: {lock: [a, b], x: free, y: free, z: free, rx: free, ry: free, rz: free}}\n", ""},
    {"constraints: {c: {lock: [a, b], x: loose}}\n", "'loose'"},
    {"constraints: {c: {lock: [a, b], length: 1}}\n", "'length'"},
    {"constraints: {c: {follow: [a, b], law: =t}}\n", "'curve'"},
    {"constraints: {c: {follow: [a, b], law: =t, curve: {points: [[0, 0, 0], [1, 0, 0]], degree: 2}}}\n", "2|3"},
    {"constraints: {c: {point_on_curve: [a, b], curve: {points: [[0, 0, 0], [1, 0, 0]], weights: [1]}}}\n", "2|1"},
    {"constraints: {c: {point_on_curve: [a, b], curve: {points: [[0, 0, 0], [1, 0, 0]], weights: [1, 0]}}}\n", ""},
    {"constraints: {c: {point_on_curve: [a, b], curve: {points: [[0, 0, 0], [1, 0, 0]], knots: [0, 0, 1, 0.5]}}}\n",
     ""},
    {"constraints: {c: {rolling: [a, ground], radius: 0}}\n", ""},
    {"constraints: {c: {rolling: [a, ground], radius: 1, shape: cube}}\n", "'shape'|'cube'"},
    {"constraints: {c: {worm: [h, s], ratio: 2}}\n", "'s'"},
    {"constraints: {c: {driver: h, law: =t}, s: {parallel: [a, b]}}\n", "model.yaml:4:40: error|'s'|3"},
    {"constraints: {c: {parallel: [a, absent]}}\n", "'absent'"},
};

static void test_error(int i)
{
    char text[1000];
    snprintf(text, sizeof text, HEAD "%s", invalid[i].text);
    cardan_description* d = yaml_load_with(text, NULL);
    CHECK(d == NULL);
    CHECK_CASE(&yaml_report, invalid[i].text, invalid[i].parts);
    cardan_description_destroy(d);
}

static void check_driver(const char* driver, const char* parts)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "cardan: 1\nbodies: {a: {mass: 1}}\ntables: {f: {x: [0, 1, 2], y: [0, 1, 3]}}\nstates: {s: {rate: =f(t)}}\n"
        "joints: {h: {cylindrical: [ground, a], at: [0, 0, 0], axis: z, driver: %s}}\n",
        driver);
    cardan_description* d = yaml_load_with(text, NULL);
    CHECK_CASE(&yaml_report, driver, parts);
    cardan_description_destroy(d);
}

static void test_drivers(void)
{
    check_driver("=t", "'h'|2|1");
    check_driver("[=t, =s]", "'h'");
    check_driver("[=t, \"=q(h, 1)\"]", "");
    check_driver("[free, =f(t)]", "'h'|'f'");
    check_driver("[=t, fre]", "'fre'");
}

// Messages of the library for descriptions that were not read from a file.
static void test_invalid_description(void)
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
    CHECK_CASE(&r, "unknown type", "'odd'|'distant'");
    CHECK_CASE(&r, "length 0", "there.yaml:7:3: error|'rod'|0 m");
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
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; ++i) RUN(test_error((int)i));
    RUN(test_drivers());
    RUN(test_invalid_description());
    yaml_end();
    RUN(test_sentences("test_yaml_constraint"));
    return test_end();
}
