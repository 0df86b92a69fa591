// SPDX-License-Identifier: BSD-3-Clause
// Contacts in model files: materials, friction of pairs, settings, shapes that touch with their inertias, ground, rigid
// stops, friction that sticks; mirrored shapes; files that are written and read again; errors.
#include "sentences.h"
#include "yaml_text.h"

#include "contact/shape/hull.h"
#include "math/quaternion.h"

#define HEAD "cardan: 1\n"
#define MATERIALS "materials: {rubber: {}, stone: {young_modulus: 5e10, poisson_ratio: 0.2}}\n"
#define FREE "joints: {j: {free: [ground, b]}}\n"

static cardan_description_view get_view(const cardan_description* d) { return cardan_description_get_view(d); }

static void test_materials_and_settings(void)
{
    cardan_description* d = yaml_load(
        HEAD "units: {length: mm}\nparameters: {mu: 0.4}\n" MATERIALS
             "friction:\n  [rubber, stone]: {mu: [0.97, 0.86], rolling: 2, spinning: 3, restitution: 0.3, "
             "stribeck_speed: 500}\n"
             "  [stone, stone]: {mu: \"=mu/2\", stiffness: 1e6, exponent: 1.5, restitution_speed: 100}\n"
             "bodies:\n  b: {sphere: 10, mass: 1, material: stone}\n  c: {mass: 1}\n"
             "contacts: {law: compliant, impact: poisson, friction: brush, restitution: 0.2, margin: 2, "
             "inelastic_speed: 7, damping: 0.1, tangential_stiffness: 5, also: [[b, c]], ignore: [[c, ground]]}\n");
    const cardan_description_view v = get_view(d);
    CHECK(v.nmaterial == 2 && v.nmaterial_pair == 2 && v.ncontact_pair == 2);
    CHECK_TEXT(v.material[1].name, "stone");
    CHECK(v.material[1].young_modulus == 5e10 && v.material[1].poisson_ratio == 0.2);
    const cardan_material_pair *p = &v.material_pair[0], *s = &v.material_pair[1];
    CHECK(p->material[0] == 0 && p->material[1] == 1 && s->material[0] == 1 && s->material[1] == 1);
    CHECK(p->static_friction == 0.97 && p->kinetic_friction == 0.86 && p->restitution == 0.3);
    CHECK_NEAR(p->rolling_friction, 0.002, 1e-18);
    CHECK_NEAR(p->spinning_friction, 0.003, 1e-18);
    CHECK_NEAR(p->stribeck_speed, 0.5, 1e-16);
    CHECK(s->static_friction == 0.2 && s->kinetic_friction == 0.2 && s->restitution < 0);
    CHECK(s->compliance.stiffness == 1e6 && s->compliance.exponent == 1.5);
    CHECK_NEAR(s->compliance.restitution_speed, 0.1, 1e-16);
    CHECK(p->location.line == 6 && p->location.column == 3);
    const cardan_contact_settings* c = v.contact_settings;
    CHECK(c->law == CARDAN_CONTACT_COMPLIANT && c->impact == CARDAN_IMPACT_POISSON);
    CHECK(c->compliant_friction == CARDAN_FRICTION_BRUSH && c->restitution == 0.2 && !c->listed_pairs_only);
    CHECK_NEAR(c->margin, 0.002, 1e-18);
    CHECK_NEAR(c->restitution_speed, 0.007, 1e-18);
    CHECK_NEAR(c->tangential_stiffness, 5000, 1e-10);
    CHECK(c->compliance.damping == 0.1);
    CHECK(v.contact_pair[0].body[0] == 0 && v.contact_pair[0].body[1] == 1 && !v.contact_pair[0].ignored);
    CHECK(v.contact_pair[1].body[1] == CARDAN_GROUND && v.contact_pair[1].ignored);
    cardan_description_destroy(d);

    d = yaml_load(HEAD MATERIALS "friction: {[rubber, stone]: {mu: 1}}\nbodies: {b: {mass: 1}}\n"
                                 "contacts: {pairs: [[b, ground]]}\n");
    CHECK(get_view(d).contact_settings->listed_pairs_only && get_view(d).ncontact_pair == 1);
    cardan_description_destroy(d);
    d = yaml_load(HEAD "bodies: {b: {mass: 1}}\n");
    CHECK(get_view(d).contact_settings->law == CARDAN_CONTACT_RIGID &&
          !get_view(d).contact_settings->listed_pairs_only);
    cardan_description_destroy(d);
}

// Inertia of a solid of density 1 in the frame of the body, by the collision shape, compared with the reader.
static void check_solid(const char* solid, const cd_shape_geometry* g, int axis)
{
    char text[400];
    snprintf(text, sizeof text, HEAD MATERIALS "bodies: {b: {%s, density: 3, at: [1, 2, 3], material: rubber}}\n",
             solid);
    cardan_description*           d = yaml_load(text);
    const cardan_description_view v = get_view(d);
    cd_mass_properties            m;
    cd_shape_type_of(g)->mass(g, &m);
    CHECK_NEAR(v.body[0].mass, 3 * m.volume, 1e-12 * v.body[0].mass);
    for (int i = 0; i < 3; ++i) { // z of the shape is `axis` of the body
        const double expected = m.inertia[(i - axis + 5) % 3];
        CHECK_NEAR(v.body[0].inertia[i], 3 * expected, 1e-12 * fmax(expected, m.volume));
    }
    CHECK(v.nshape == 1 && v.shape[0].material && strcmp(v.shape[0].material, "rubber") == 0);
    double z[3];
    q4_rotate(v.shape[0].pose.q, (double[]){0, 0, 1}, z);
    CHECK_NEAR(z[axis], 1, 1e-15);
    cardan_description_destroy(d);
}

static void test_solids(void)
{
    const cd_shape_geometry capsule   = {.kind = CD_SHAPE_CAPSULE, .size = {0.2, 0.35}};
    const cd_shape_geometry ellipsoid = {.kind = CD_SHAPE_ELLIPSOID, .size = {0.2, 0.3, 0.5}};
    const cd_shape_geometry torus     = {.kind = CD_SHAPE_TORUS, .size = {0.5, 0.1}};
    check_solid("capsule: {radius: 0.2, length: 0.7, axis: x}", &capsule, 0);
    check_solid("capsule: {radius: 0.2, length: 0.7}", &capsule, 2);
    check_solid("ellipsoid: [0.2, 0.3, 0.5]", &ellipsoid, 2);
    check_solid("torus: {radius: 0.5, tube: 0.1, axis: y}", &torus, 1);
}

// A tetrahedron with legs of length a: V = a^3/6, I_xx = 3/40 m a^2 and I_xy = m a^2/80 about the centre (a/4, a/4, a/4).
static void test_hull(void)
{
    if (!cd_hull_is_available()) return;
    cardan_description* d =
        yaml_load(HEAD MATERIALS "bodies: {b: {hull: [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2], [0.1, 0.1, 0.1]], "
                                 "density: 6, material: stone, rounding: 0.01}}\n");
    const cardan_description_view v = get_view(d);
    CHECK_NEAR(v.body[0].mass, 8, 1e-13);
    CHECK_NEAR(v.body[0].pose.p[1], 0.5, 1e-14);
    CHECK_NEAR(v.body[0].inertia[0], 3.0 / 40 * 8 * 4, 1e-13);
    CHECK_NEAR(v.body[0].inertia[3], 8 * 4 / 80.0, 1e-13);
    CHECK(v.shape[0].kind == CARDAN_SHAPE_HULL && v.shape[0].npoint == 5 && v.shape[0].ntriangle == 0);
    CHECK(v.shape[0].rounding == 0.01 && !v.shape[0].file);
    CHECK_NEAR(v.shape[0].pose.p[0], -0.5, 1e-14); // the frame of the body is at the mass centre
    cardan_description_destroy(d);
}

static void test_ground(void)
{
    yaml_write("terrain.csv", "# rows along x\n0, 1, 2\n3;4;5\n\n6 7 8\n9,10,11\n");
    cardan_description*      d      = NULL;
    cardan_report            report = {0};
    static const char* const model  = HEAD MATERIALS
        "ground:\n  shapes:\n"
        "  - {height_field: terrain.csv, step: [0.5, 2], scale: 0.1, interpolation: smooth, at: [1, 0, 0], "
        "material: stone}\n"
        "  - {plane: 4, normal: [0, 3, 4], at: [0, 0, -1], material: stone}\n"
        "  - {box: [1, 2, 3], rounding: 0, material: rubber}\n"
        "  - {box: [1, 2, 3]}\nbodies: {b: {mass: 1}}\n" FREE;
    yaml_write("ground.yaml", model);
    CHECK(cardan_description_load("ground.yaml", NULL, &d, &report) == CARDAN_OK);
    if (!d) return;
    const cardan_description_view v = get_view(d);
    const cardan_height_grid*     f = &v.shape[0].field;
    CHECK(v.nshape == 4 && v.shape[0].body == CARDAN_GROUND && v.shape[0].kind == CARDAN_SHAPE_HEIGHT_FIELD);
    CHECK(f->nx == 3 && f->ny == 4 && f->spacing[0] == 0.5 && f->spacing[1] == 2 && f->smooth);
    for (int i = 0; i < 12; ++i) CHECK_NEAR(f->height[i], 0.1 * i, 1e-15);
    CHECK(v.shape[1].kind == CARDAN_SHAPE_PLANE && v.shape[1].size[0] == 4 && v.shape[1].size[1] == 4);
    double n[3];
    q4_rotate(v.shape[1].pose.q, (double[]){0, 0, 1}, n);
    CHECK_NEAR(n[1], 0.6, 1e-15);
    CHECK_NEAR(n[2], 0.8, 1e-15);
    CHECK(v.shape[2].rounding == 0 && v.shape[2].material && v.shape[3].rounding < 0 && !v.shape[3].material);
    cardan_description_destroy(d);
}

static void test_profiles(void)
{
    yaml_write("road.csv", "0.5, 1\n2\n# end\n0.5");
    yaml_write("profile.yaml", HEAD MATERIALS
               "units: {length: mm}\nparameters: {a: 3}\nground:\n  shapes:\n"
               "  - {profile: road.csv, step: 250, width: 2000, material: stone}\n"
               "  - {profile: \"=a*cos(x/100)\", step: 30, size: 100, width: 7, material: stone}\n"
               "  - {height_field: \"=x + 10*y\", step: [1, 2], size: [4, 6], material: stone}\n"
               "  - {profile: [1, 2, 3], step: 2, width: 4, material: stone}\nbodies: {b: {mass: 1}}\n" FREE);
    cardan_description* d      = NULL;
    cardan_report       report = {0};
    CHECK(cardan_description_load("profile.yaml", NULL, &d, &report) == CARDAN_OK);
    for (int i = 0; i < report.count; ++i) printf("%s\n", report.message[i].text);
    if (!d) return;
    const cardan_description_view v = get_view(d);
    const cardan_height_grid *    f = &v.shape[0].field, *g = &v.shape[1].field, *h = &v.shape[2].field;
    CHECK(f->nx == 4 && f->ny == 1 && f->height[2] == 2 && f->spacing[0] == 0.25 && f->spacing[1] == 2);
    CHECK(g->nx == 5 && g->ny == 1 && !g->smooth); // four steps of 25 mm
    CHECK_NEAR(g->spacing[0], 0.025, 1e-16);
    for (int i = 0; i < 5; ++i) CHECK_NEAR(g->height[i], 0.003 * cos(0.25 * (i - 2)), 1e-17);
    CHECK(h->nx == 5 && h->ny == 4);
    for (int i = 0; i < 20; ++i) CHECK_NEAR(h->height[i], 1e-3 * ((i % 5 - 2) + 10 * (2 * (i / 5) - 3)), 1e-16);
    CHECK(v.shape[3].field.nx == 3 && v.shape[3].field.height[2] == 0.003);
    char*               first  = cardan_description_save_text(d);
    cardan_description* again  = first ? yaml_load(first) : NULL;
    char*               second = again ? cardan_description_save_text(again) : NULL;
    const char*         at[2]  = {first ? strstr(first, "ground:") : NULL, second ? strstr(second, "ground:") : NULL};
    CHECK(at[0] && at[1] && strcmp(at[0], at[1]) == 0);
    free(first);
    free(second);
    cardan_description_destroy(again);
    cardan_description_destroy(d);
}

// Image of a height or of the normal of a plane under the reflection of a level: shapes of a template and of its mirrored
// use are compared in the world.
static void world_of(const cardan_shape* s, double x, double y, double z, double w[3])
{
    q4_rotate(s->pose.q, (double[]){x, y, z}, w);
    for (int i = 0; i < 3; ++i) w[i] += s->pose.p[i];
}

static void check_mirrored(const char* plane, int axis)
{
    char text[900];
    snprintf(
        text, sizeof text,
        HEAD
        "materials: {m: {}}\ntemplates:\n  part:\n    ground:\n      shapes:\n"
        "      - {plane: 1, normal: [1, 2, 3], at: [3, 4, 5], material: m}\n"
        "      - {height_field: [[1, 2, 3], [4, 5, 7]], step: [1, 2], at: [3, 4, 5], orientation: {axis: [1, 2, 3], "
        "angle: 0.7}, material: m}\n"
        "      - {hull: [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], at: [1, 1, 1], orientation: {axis: x, angle: "
        "0.3}, material: m}\n"
        "use: {L: {part: {}}, R: {part: {}, mirror: %s}}\nbodies: {b: {mass: 1}}\n" FREE,
        plane);
    cardan_description*           d = yaml_load(text);
    const cardan_description_view v = get_view(d);
    CHECK(v.nshape == 6);
    double a[3], b[3];
    for (int step = 0; step < 2; ++step) { // origin and normal of the plane
        world_of(&v.shape[0], 0, 0, step, a);
        world_of(&v.shape[3], 0, 0, step, b);
        for (int i = 0; i < 3; ++i) CHECK_NEAR(b[i], i == axis ? -a[i] : a[i], 1e-14);
    }
    const cardan_height_grid *f = &v.shape[1].field, *g = &v.shape[4].field;
    for (int k = 0; k < 6; ++k) { // every height has its image
        bool found = false;
        world_of(&v.shape[1], k % 3 - 1.0, (k / 3 - 0.5) * 2, f->height[k], a);
        a[axis] = -a[axis];
        for (int m = 0; m < 6; ++m) {
            world_of(&v.shape[4], m % 3 - 1.0, (m / 3 - 0.5) * 2, g->height[m], b);
            found |= fabs(a[0] - b[0]) + fabs(a[1] - b[1]) + fabs(a[2] - b[2]) < 1e-13;
        }
        CHECK(found);
        world_of(&v.shape[2], v.shape[2].point[3 * (k % 4)], v.shape[2].point[3 * (k % 4) + 1],
                 v.shape[2].point[3 * (k % 4) + 2], a);
        world_of(&v.shape[5], v.shape[5].point[3 * (k % 4)], v.shape[5].point[3 * (k % 4) + 1],
                 v.shape[5].point[3 * (k % 4) + 2], b);
        for (int i = 0; i < 3; ++i) CHECK_NEAR(b[i], i == axis ? -a[i] : a[i], 1e-14);
    }
    world_of(&v.shape[1], 0, 0, 1, a); // the solid is below the image of the surface, not above it
    world_of(&v.shape[1], 0, 0, 0, b);
    double up[3], image[3], c[3];
    for (int i = 0; i < 3; ++i) up[i] = (i == axis ? -1 : 1) * (a[i] - b[i]);
    world_of(&v.shape[4], 0, 0, 1, a);
    world_of(&v.shape[4], 0, 0, 0, c);
    for (int i = 0; i < 3; ++i) image[i] = a[i] - c[i];
    CHECK_NEAR(up[0] * image[0] + up[1] * image[1] + up[2] * image[2], 1, 1e-14);
    cardan_description_destroy(d);
}

static void test_mirrored_ground(void)
{
    check_mirrored("x", 0);
    check_mirrored("y", 1);
    check_mirrored("z", 2);
}

static void test_stops_and_friction(void)
{
    cardan_description* d = yaml_load(
        HEAD
        "units: {angle: deg, length: mm}\nbodies: {a: {mass: 1}, b: {mass: 1}, c: {mass: 1}}\njoints:\n"
        "  r: {revolute: [ground, a], at: [0, 0, 0], axis: z, limits: {lower: -90, upper: 90, stop: rigid, "
        "restitution: "
        "0.5}, friction: {level: 3, static: 4}}\n"
        "  p: {prismatic: [a, b], at: [0, 0, 0], axis: z, limits: {upper: 5, stop: rigid}, friction: {forward: 1, "
        "backward: 2, load: 0.1, load_static: 0.2}}\n"
        "  k: {cylindrical: [b, c], at: [0, 0, 0], axis: x, friction: {stick: true, forward: [1, 0], backward: [2, 0], "
        "load: [0.3, 0], radius: [20, 0]}}\n");
    const cardan_description_view v = get_view(d);
    const cardan_axis_properties *r = v.joint[0].axis, *p = v.joint[1].axis, *k = v.joint[2].axis;
    CHECK(r->rigid_stop && r->stop_restitution == 0.5 && r->stop_stiffness == 0);
    CHECK_NEAR(r->upper, acos(0), 1e-15);
    CHECK(r->sticking_friction && r->friction_forward == 3 && r->static_friction_backward == 4);
    CHECK(p->rigid_stop && isinf(p->lower) && p->upper == 0.005 && p->stop_restitution == 0);
    CHECK(p->sticking_friction && p->static_friction_forward == 1 && p->static_friction_backward == 2);
    CHECK(p->load_friction_kinetic == 0.1 && p->load_friction_static == 0.2);
    CHECK(k[0].sticking_friction && k[0].load_radius == 0.02 && k[0].load_friction_static == 0.3);
    CHECK(!k[1].sticking_friction && k[1].friction_forward == 0);
    char*               text   = cardan_description_save_text(d);
    cardan_description* again  = text ? yaml_load(text) : NULL;
    char*               second = again ? cardan_description_save_text(again) : NULL;
    CHECK(text && second && strcmp(text, second) == 0);
    const cardan_axis_properties* s = again ? get_view(again).joint[1].axis : p;
    CHECK(s->rigid_stop && s->static_friction_backward == 2 && s->load_friction_static == 0.2);
    free(second);
    free(text);
    cardan_description_destroy(again);
    cardan_description_destroy(d);
}

// A mirrored cylindrical joint reverses its displacement: levels of friction change sides.
static void test_mirrored_friction(void)
{
    cardan_description* d = yaml_load(
        HEAD "templates: {t: {bodies: {b: {mass: 1}}, joints: {j: {cylindrical: [ground, b], at: [0, 0, 0], axis: x, "
             "friction: {forward: [1, 2], backward: [1, 3], static_forward: [1, 4], static_backward: [1, 5]}}}}}\n"
             "use: {L: {t: {}}, R: {t: {}, mirror: y}}\n");
    const cardan_axis_properties *l = &get_view(d).joint[0].axis[1], *r = &get_view(d).joint[1].axis[1];
    CHECK(l->friction_forward == 2 && l->static_friction_forward == 4);
    CHECK(r->friction_forward == 3 && r->static_friction_forward == 5 && r->static_friction_backward == 4);
    cardan_description_destroy(d);
}

#define EVERYTHING                                                                                                     \
    MATERIALS                                                                                                          \
    "friction:\n  [rubber, stone]: {mu: [0.97, 0.86], rolling: 0.001, restitution: 0.3}\n  [stone, stone]: {}\n"       \
    "ground: {shape: {plane: [4, 5], normal: [0.1, 0, 1], at: [0, 0, 0.1], material: stone}}\n"                        \
    "bodies:\n"                                                                                                        \
    "  a: {capsule: {radius: 0.1, length: 0.3, axis: x}, mass: 1, material: stone}\n"                                  \
    "  b: {ellipsoid: [0.1, 0.2, 0.3], mass: 1, at: [1, 1, 1], material: rubber}\n"                                    \
    "  c: {torus: {radius: 0.3, tube: 0.1}, mass: 1, at: [2, 1, 1], material: rubber}\n"                               \
    "  d: {mass: 1, inertia: [1, 1, 1], at: [3, 1, 1], shape: [{hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "  \
    "material: stone}, {height_field: [[0, 1], [0.5, 0.25]], step: 0.1, material: rubber}, {box: [1, 1, 1], "          \
    "rounding: 0.01, material: stone}, {sphere: 2}]}\n"                                                                \
    "contacts: {impact: sequence, restitution: 0.1, pairs: [[a, b]], ignore: [[c, ground]]}\n"

static void test_round_trip(void)
{
    cardan_description* d      = yaml_load(HEAD EVERYTHING);
    char*               first  = cardan_description_save_text(d);
    cardan_description* again  = first ? yaml_load(first) : NULL;
    char*               second = again ? cardan_description_save_text(again) : NULL;
    CHECK(first && second && strcmp(first, second) == 0);
    if (again) {
        const cardan_description_view v = get_view(d), w = get_view(again);
        CHECK(v.nshape == w.nshape && w.nshape == 8 && w.nmaterial == 2 && w.nmaterial_pair == 2);
        for (int i = 0; i < v.nshape; ++i) {
            int                 k = 0;
            const cardan_shape* s = &v.shape[i];
            while (k < w.nshape && (w.shape[k].kind != s->kind || w.shape[k].body != s->body)) ++k;
            CHECK(k < w.nshape);
            if (k == w.nshape) continue;
            CHECK(memcmp(w.shape[k].size, s->size, sizeof s->size) == 0 && w.shape[k].rounding == s->rounding);
            CHECK(!s->material == !w.shape[k].material && w.shape[k].npoint == s->npoint);
            CHECK(w.shape[k].field.nx == s->field.nx && w.shape[k].field.ny == s->field.ny);
        }
        CHECK(w.contact_settings->impact == CARDAN_IMPACT_SEQUENCE && w.contact_settings->listed_pairs_only);
        CHECK(w.ncontact_pair == 2 && w.contact_settings->restitution == 0.1);
        CHECK(w.material_pair[0].static_friction == 0.97 && w.material_pair[0].restitution == 0.3);
        CHECK(w.material_pair[1].static_friction == 0 && w.material_pair[1].restitution < 0);
    }
    free(first);
    free(second);
    cardan_description_destroy(again);
    cardan_description_destroy(d);
}

static void test_settings_of_paths(void)
{
    const cardan_parameter_setting setting[] = {{"friction.[rubber, stone].mu", "0.5"},
                                                {"contacts.restitution", "0.7"},
                                                {"materials.stone.young_modulus", "1e9"}};
    const cardan_load_options      options   = {.setting = setting, .nsetting = 3};
    cardan_description*            d         = NULL;
    cardan_report                  report    = {0};
    CHECK(cardan_description_load_text(HEAD EVERYTHING, "model.yaml", &options, &d, &report) == CARDAN_OK);
    if (!d) return;
    CHECK(get_view(d).material_pair[0].static_friction == 0.5 && get_view(d).material_pair[0].kinetic_friction == 0.5);
    CHECK(get_view(d).contact_settings->restitution == 0.7 && get_view(d).material[1].young_modulus == 1e9);
    cardan_description_destroy(d);

    yaml_write("inner.yaml", HEAD EVERYTHING);
    yaml_write("outer.yaml", HEAD "include: inner.yaml\noverride:\n  friction: {[rubber, stone]: {restitution: 0.9}}\n"
                                  "  contacts: {margin: 0.5}\n  ground: {shape: {plane: 7, material: rubber}}\n");
    CHECK(cardan_description_load("outer.yaml", NULL, &d, &report) == CARDAN_OK);
    for (int i = 0; i < report.count; ++i) printf("%s\n", report.message[i].text);
    if (!d) return;
    CHECK(get_view(d).material_pair[0].restitution == 0.9 && get_view(d).material_pair[0].static_friction == 0.97);
    CHECK(get_view(d).contact_settings->margin == 0.5 && get_view(d).contact_settings->restitution == 0.1);
    CHECK(get_view(d).shape[0].size[0] == 7);
    cardan_description_destroy(d);
}

static const struct {
    const char *text, *parts; // of the message
} invalid[] = {
    {HEAD MATERIALS "friction: {[rubber, stome]: {mu: 1}}\n", "model.yaml:3:21: error|'stome'|'stone'|2"},
    {HEAD MATERIALS "friction: {rubber: {mu: 1}}\n", "model.yaml:3:12: error|'rubber'|[rubber, rubber]"},
    {HEAD MATERIALS "friction: {[rubber, stone]: {mu: [0.3, 0.4]}}\n",
     "model.yaml:3:34: error|'[rubber, stone]'|0.3|0.4"},
    {HEAD MATERIALS "friction: {[rubber, stone]: {mu: -1}}\n", "-1"},
    {HEAD MATERIALS "friction: {[rubber, stone]: {restitution: 2}}\n", "'restitution'|2"},
    {HEAD MATERIALS "friction: {[rubber, stone]: {mus: 2}}\n", "'mus'|'mu'"},
    {HEAD MATERIALS "friction:\n  [rubber, stone]: {}\n  [stone, rubber]: {}\n", "model.yaml:5:3: error|4"},
    {HEAD MATERIALS "friction: {[stone, stone]: {exponent: 0.5}}\n", "0.5"},
    {HEAD MATERIALS "friction: {[stone, stone]: {damping: 0.5, restitution_speed: 1}}\n",
     "'damping'|'restitution_speed'"},
    {HEAD MATERIALS "bodies: {b: {sphere: 1, mass: 1, material: ruber}}\n",
     "model.yaml:3:44: error|'b'|'ruber'|'rubber'"},
    {HEAD MATERIALS "bodies: {b: {mass: 1, material: rubber}}\n", "'b'|'material'|sphere"},
    {HEAD MATERIALS "bodies: {b: {sphere: 1, mass: 1, material: rubber, shape: {sphere: 1}}}\n", "'b'|'shape'"},
    {HEAD MATERIALS "bodies: {b: {sphere: 1, mass: 1, rounding: 0.1}}\n", "'b'|'rounding'"},
    {HEAD MATERIALS "bodies: {b: {box: [1, 1, 1], mass: 1, rounding: 0.1}}\n", "'b'|'rounding'|'material'"},
    {HEAD MATERIALS "bodies: {b: {box: [1, 1, 1], mass: 1, material: stone, rounding: -1}}\n", "'b'|-1"},
    {HEAD MATERIALS "bodies: {b: {mass: 1, shape: {line: [[0, 0, 0], [1, 0, 0]], material: stone}}}\n",
     "'material'|line"},
    {HEAD MATERIALS "bodies: {b: {torus: {radius: 1, tube: 2}, mass: 1}}\n", "'b'|2|1"},
    {HEAD MATERIALS "bodies: {b: {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], mass: 1}}\n", "'b'|hull"},
    {HEAD MATERIALS "ground: {shape: {plane: 0}}\n", "'plane'|0"},
    {HEAD MATERIALS "ground: {shape: {plane: 1, normal: x, orientation: {axis: x, angle: 1}}}\n",
     "'normal'|'orientation'"},
    {HEAD MATERIALS "ground: {shape: {sphere: 1, normal: x}}\n", "'normal'|plane"},
    {HEAD MATERIALS "ground: {shape: {height_field: [[1, 2], [3]], step: 1}}\n", "2|1"},
    {HEAD MATERIALS "ground: {shape: {height_field: [[1, 2], [3, 4]]}}\n", "'step'"},
    {HEAD MATERIALS "ground: {shape: {height_field: none.csv, step: 1}}\n", "none.csv"},
    {HEAD MATERIALS "ground: {shape: {sphere: 1}, shapes: [{sphere: 1}]}\n", "'shape'|'shapes'"},
    {HEAD MATERIALS "ground: {shape: {profile: [1, 2, 1], step: 1}}\n", "'width'"},
    {HEAD MATERIALS "ground: {shape: {profile: \"=x\", step: 1, width: 1}}\n", "'size'"},
    {HEAD MATERIALS "ground: {shape: {profile: [1, 2], step: 1, width: 1, size: 2}}\n", "'size'"},
    {HEAD MATERIALS "ground: {shape: {profile: \"=z\", step: 1, width: 1, size: 4}}\n", "'z'"},
    {HEAD MATERIALS "ground: {shape: {height_field: \"=x\", step: 0.001, size: 4}}\n", "250000"},
    {HEAD MATERIALS "ground: {shape: {profile: [1, 2], step: [1, 1], width: 1}}\n", "step"},
    {HEAD "contacts: {law: soft}\n", "model.yaml:2:17: error|'law'|'soft'|rigid"},
    {HEAD "contacts: {pairs: [[b, ground]]}\n", "'b'"},
    {HEAD "bodies: {b: {mass: 1}}\ncontacts: {also: [[b, b]]}\n", "'b'"},
    {HEAD "contacts: {restitution: 1.5}\n", "'restitution'|1.5"},
    {HEAD "contacts: {margin: -1}\n", "'margin'|-1"},
    {HEAD "bodies: {[a, b]: {mass: 1}}\n", "model.yaml:2:10: error"},
#define JOINT "bodies: {b: {mass: 1}}\njoints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, "
    {HEAD JOINT "limits: {upper: 1, stop: rigid, stiffness: 3}}}\n", "'j'|'stop: rigid'|'stiffness'"},
    {HEAD JOINT "limits: {upper: 1, restitution: 0.3}}}\n", "'j'|'restitution'"},
    {HEAD JOINT "limits: {upper: 1, stop: rigid, restitution: 3}}}\n", "'j'|'restitution'|3"},
    {HEAD JOINT "friction: {level: 1, forward: 1}}}\n", "'j'|'level'|'forward'"},
    {HEAD JOINT "friction: {level: 2, static: 1}}}\n", "'j'|static"},
    {HEAD JOINT "friction: {load: 0.1}}}\n", "'j'|'radius'"},
    {HEAD JOINT "friction: {load: 0.2, load_static: 0.1, radius: 1}}}\n", "'j'|'load_static'"},
    {HEAD JOINT "friction: {level: 1, stick: true, speed: 1}}}\n", "'j'|'speed'"},
};

static void test_inputs(void) // parameters that remain inputs cannot change the geometry of contacts
{
    static const char* const  name[]   = {"r"};
    const cardan_load_options options  = {.input = name, .ninput = 1};
    static const char* const  bodies[] = {
         "bodies: {b: {sphere: \"=r\", mass: 1, material: stone}}\n",
         "bodies: {b: {sphere: 1, mass: 1, at: [0, 0, 1], shape: {sphere: 1, at: [\"=r\", 0, 0], material: stone}}}\n",
         "bodies: {b: {mass: 1}}\nfriction: {[stone, stone]: {mu: \"=r\"}}\n",
         "bodies: {b: {sphere: \"=r\", mass: 1}}\n",
    };
    for (int i = 0; i < 4; ++i) {
        char                text[400];
        cardan_description* d      = NULL;
        cardan_report       report = {0};
        snprintf(text, sizeof text, HEAD "parameters: {r: 0.1}\n" MATERIALS "%s", bodies[i]);
        CHECK((cardan_description_load_text(text, "model.yaml", &options, &d, &report) == CARDAN_OK) == (i == 3));
        if (i < 3) CHECK_HAS(report.message[0].text, "'r'");
        cardan_description_destroy(d);
    }
}

static void test_errors(void)
{
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; ++i) {
        cardan_description* d      = NULL;
        cardan_report       report = {0};
        if (!cd_hull_is_available() && strstr(invalid[i].text, "{hull: ")) continue;
        CHECK(cardan_description_load_text(invalid[i].text, "model.yaml", NULL, &d, &report) == CARDAN_BAD_INPUT);
        CHECK_CASE(&report, invalid[i].text, invalid[i].parts);
        cardan_description_destroy(d);
    }
}

int main(void)
{
    yaml_begin();
    RUN(test_materials_and_settings());
    RUN(test_solids());
    RUN(test_hull());
    RUN(test_ground());
    RUN(test_profiles());
    RUN(test_mirrored_ground());
    RUN(test_stops_and_friction());
    RUN(test_mirrored_friction());
    RUN(test_round_trip());
    RUN(test_settings_of_paths());
    RUN(test_inputs());
    RUN(test_errors());
    RUN(test_sentences("test_yaml_contact"));
    yaml_end();
    return test_end();
}
