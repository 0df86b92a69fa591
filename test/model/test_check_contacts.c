// SPDX-License-Identifier: BSD-3-Clause
// Checks of contacts in descriptions made in C: shapes without size, unknown materials, invalid pairs and settings, stops
// and friction; the message names what is wrong. Default values.
#include "test.h"

#include <cardan/describe.h>
#include <cardan/model.h>
#include <math.h>

static cardan_report report;

// A ball over a floor, everything valid; the tests change one thing.
typedef struct parts {
    cardan_shape            shape[2];
    cardan_material         material[2];
    cardan_material_pair    pair;
    cardan_contact_settings settings;
    cardan_contact_pair     bodies;
    cardan_axis_properties  axis;
} parts;

static parts valid(void)
{
    parts p                 = {.shape    = {cardan_shape_default(0, CARDAN_SHAPE_SPHERE),
                                            cardan_shape_default(CARDAN_GROUND, CARDAN_SHAPE_PLANE)},
                               .material = {cardan_material_default("rubber"), cardan_material_default("floor")},
                               .pair     = cardan_material_pair_default(0, 1),
                               .settings = cardan_contact_settings_default(),
                               .bodies   = {.body = {0, CARDAN_GROUND}},
                               .axis     = cardan_axis_properties_default()};
    p.shape[0].size[0]      = 0.1;
    p.shape[0].material     = "rubber";
    p.shape[1].material     = "floor";
    p.pair.static_friction  = 0.5;
    p.pair.kinetic_friction = 0.4;
    return p;
}

static cardan_status compile(const parts* p)
{
    cardan_description* d = cardan_description_create("ball");
    cardan_body         b = cardan_body_default("ball");
    cardan_model*       m = NULL;
    cardan_joint        j = cardan_joint_default("guide", "prismatic", CARDAN_GROUND, 0);
    b.mass                = 1;
    b.inertia[0] = b.inertia[1] = b.inertia[2] = 1;
    j.naxis                                    = 1;
    j.axis                                     = &p->axis;
    CHECK(cardan_description_add_body(d, &b) == 0 && cardan_description_add_joint(d, &j) == 0);
    for (int i = 0; i < 2; ++i) {
        CHECK(cardan_description_add_shape(d, &p->shape[i]) == i);
        CHECK(cardan_description_add_material(d, &p->material[i]) == i);
    }
    CHECK(cardan_description_add_material_pair(d, &p->pair) == 0);
    CHECK(cardan_description_add_contact_pair(d, &p->bodies) == 0);
    CHECK(cardan_description_set_contact_settings(d, &p->settings) == CARDAN_OK);
    cardan_report_clear(&report);
    const cardan_status status = cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, &report);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return status;
}

static void test_defaults(void)
{
    const parts p = valid();
    CHECK(compile(&p) == CARDAN_OK && report.count == 0);
    CHECK(p.shape[0].rounding < 0 && p.pair.restitution < 0 && p.settings.law == CARDAN_CONTACT_RIGID);
    CHECK(!p.axis.rigid_stop && !p.axis.sticking_friction && p.shape[1].pose.q[0] == 1);
}

#define REFUSED(change, ...)                                                                                           \
    do {                                                                                                               \
        parts       p      = valid();                                                                                  \
        const char* text[] = {__VA_ARGS__};                                                                            \
        change;                                                                                                        \
        CHECK(compile(&p) == CARDAN_BAD_INPUT && report.count > 0);                                                    \
        for (size_t i = 0; i < sizeof text / sizeof *text; ++i) CHECK_HAS(report.message[0].text, text[i]);            \
    } while (0)

static void test_shapes(void)
{
    REFUSED(p.shape[0].size[0] = 0, "'ball'", "'rubber'", "size");
    REFUSED(p.shape[0].size[0] = NAN, "'ball'");
    REFUSED(p.shape[0].material = "ruber", "'ball'", "'ruber'", "'rubber'");
    REFUSED(p.shape[0].kind = CARDAN_SHAPE_POINTS, "'ball'", "line");
    REFUSED(p.shape[0].kind = CARDAN_SHAPE_HULL, "'ball'", "four points");
    REFUSED(p.shape[0].kind = CARDAN_SHAPE_MESH, "'ball'", "triangles");
    REFUSED(p.shape[0].kind = CARDAN_SHAPE_TORUS, "'ball'", "size");
    REFUSED(p.shape[0].kind = CARDAN_SHAPE_HEIGHT_FIELD, "'ball'", "size");
    REFUSED(p.shape[0].rounding = INFINITY, "rounding");
    const double height[4] = {0, 1, NAN, 2};
    REFUSED(p.shape[1] = cardan_shape_default(CARDAN_GROUND, CARDAN_SHAPE_HEIGHT_FIELD); p.shape[1].material = "floor";
            p.shape[1].field = ((cardan_height_grid){.nx = 2, .ny = 2, .spacing = {1, 1}, .height = height}),
            "'ground'", "height");
}

static void test_materials(void)
{
    REFUSED(p.material[0].young_modulus = -1, "'rubber'");
    REFUSED(p.material[1].poisson_ratio = 0.6, "'floor'");
    REFUSED(p.pair.material[1] = 2, "material", "2");
    REFUSED(p.pair.static_friction = 0.3, "'rubber'", "'floor'", "static");
    REFUSED(p.pair.kinetic_friction = -1, "'rubber'", "'floor'");
    REFUSED(p.pair.restitution = 1.1, "'rubber'", "'floor'", "restitution");
    REFUSED(p.pair.rolling_friction = NAN, "'rubber'", "'floor'");
    REFUSED(p.pair.compliance.exponent = 0.5, "'rubber'", "'floor'", "exponent");
}

static void test_settings(void)
{
    REFUSED(p.settings.restitution = 2, "contacts", "restitution");
    REFUSED(p.settings.margin = -1, "contacts", "margin");
    REFUSED(p.settings.compliance.stiffness = INFINITY, "contacts", "stiffness");
    REFUSED(p.bodies.body[0] = 7, "7");
}

static void test_axes(void)
{
    REFUSED(p.axis.rigid_stop = true; p.axis.stop_stiffness = 1, "'guide'", "stop");
    REFUSED(p.axis.rigid_stop = true; p.axis.stop_restitution = 2, "'guide'", "restitution");
    REFUSED(p.axis.sticking_friction = true; p.axis.friction_forward = 1, "'guide'", "static");
    REFUSED(p.axis.sticking_friction = true; p.axis.load_friction_kinetic = 1, "'guide'", "static");
    REFUSED(p.axis.sticking_friction = true; p.axis.load_radius = -1, "'guide'", "radius");
}

static void test_arrays(void) // are copied, and counts are checked
{
    double              height[6] = {0, 1, 2, 3, 4, 5};
    cardan_description* d         = cardan_description_create("field");
    cardan_shape        s         = cardan_shape_default(CARDAN_GROUND, CARDAN_SHAPE_HEIGHT_FIELD);
    s.field                       = (cardan_height_grid){.nx = 3, .ny = 2, .spacing = {1, 1}, .height = height};
    CHECK(cardan_description_add_shape(d, &s) == 0);
    height[4] = 7;
    CHECK(cardan_description_get_view(d).shape[0].field.height[4] == 4);
    s.field.nx = 1 << 20;
    s.field.ny = 1 << 20;
    CHECK(cardan_description_add_shape(d, &s) == CARDAN_NONE);
    s.field.nx = -1;
    CHECK(cardan_description_add_shape(d, &s) == CARDAN_NONE);
    CHECK(cardan_description_add_material(d, &(cardan_material){0}) == CARDAN_NONE);
    CHECK(cardan_description_add_material(NULL, NULL) == CARDAN_NONE);
    CHECK(cardan_description_add_material_pair(d, NULL) == CARDAN_NONE);
    CHECK(cardan_description_add_contact_pair(d, NULL) == CARDAN_NONE);
    CHECK(cardan_description_set_contact_settings(d, NULL) == CARDAN_BAD_USAGE);
    CHECK(cardan_description_find_material(d, "none") == CARDAN_NONE);
    cardan_description_destroy(d);
}

int main(void)
{
    RUN(test_defaults());
    RUN(test_shapes());
    RUN(test_materials());
    RUN(test_settings());
    RUN(test_axes());
    RUN(test_arrays());
    return test_end();
}
