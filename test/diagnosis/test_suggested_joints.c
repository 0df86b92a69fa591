// SPDX-License-Identifier: BSD-3-Clause
// Suggested joints of a diagnosis: universal joints, joints that belong to several loops, bodies with loads; reasons
// for parallel axes; sums of counts; sizes from 1e-6 m to 1e8 m. Suggestions are applied and diagnosed again.
#include "analysis_models.h"
#include "suggestion.h"

typedef struct examination {
    scene             s;
    cardan_diagnosis* g;
    cardan_status     status;
} examination;

static bool open_model(examination* w, const char* text, const char* formulation, int nsetting,
                       const cardan_parameter_setting* setting)
{
    *w              = (examination){0};
    const bool good = scene_text(&w->s, text, formulation, nsetting, setting);
    if (good) w->status = cardan_diagnosis_create(w->s.data, &w->g, &w->s.report);
    CHECK(w->g != NULL);
    return w->g != NULL;
}

static void close_model(examination* w)
{
    cardan_diagnosis_destroy(w->g);
    scene_close(&w->s);
}

// Equations of loops and extra constraints, and how many of them are redundant.
static void check_sums(const cardan_diagnosis* g)
{
    int rows = 0, repeated = 0;
    for (int l = 0; l < g->nloop; ++l) rows += g->loop[l].nrow, repeated += g->loop[l].redundant;
    for (int i = 0; i < g->nextra; ++i) rows += g->extra[i].nrow, repeated += g->extra[i].redundant;
    CHECK(rows == g->equations);
    CHECK(repeated == g->redundant);
}

// With the suggested joints: the same degrees of freedom and no redundant equation.
static void check_suggestion(const char* text, int dof)
{
    examination w;
    if (open_model(&w, text, "dense", 0, NULL)) {
        CHECK(w.g->dof == dof);
        CHECK(w.g->redundant == 0);
        check_sums(w.g);
    }
    close_model(&w);
}

#define SARRUS(last)                                                                                                   \
    "cardan: 1\nname: sarrus\nparameters: {l: 1, phi: 0.6, w: 0.5}\n"                                                  \
    "points: {A1: [=w, 0, 0], B1: [=w + l*cos(phi), 0, =l*sin(phi)], C1: [=w, 0, =2*l*sin(phi)],\n"                    \
    "         A2: [0, =w, 0], B2: [0, =w + l*cos(phi), =l*sin(phi)], C2: [0, =w, =2*l*sin(phi)]}\n"                    \
    "bodies:\n"                                                                                                        \
    "  p1: {rod: [A1, B1], mass: 1, radius: 0.01}\n  q1: {rod: [B1, C1], mass: 1, radius: 0.01}\n"                     \
    "  p2: {rod: [A2, B2], mass: 1, radius: 0.01}\n  q2: {rod: [B2, C2], mass: 1, radius: 0.01}\n"                     \
    "  top: {at: [0, 0, =2*l*sin(phi)], mass: 4, inertia: [0.1, 0.1, 0.1]}\n"                                          \
    "joints:\n"                                                                                                        \
    "  a1: {revolute: [ground, p1], at: A1, axis: y}\n  b1: {revolute: [p1, q1], at: B1, axis: y}\n"                   \
    "  c1: {revolute: [q1, top], at: C1, axis: y}\n  a2: {revolute: [ground, p2], at: A2, axis: x}\n"                  \
    "  b2: {revolute: [p2, q2], at: B2, axis: x}\n  c2: " last "\n"

static void test_universal(void)
{
    examination w;
    if (open_model(&w, SARRUS("{revolute: [q2, top], at: C2, axis: x}"), "dense", 0, NULL)) {
        CHECK(w.g->dof == 1 && w.g->redundant == 1);
        CHECK_SUGGESTION(w.s.description, w.g->loop[0].suggested_joints, "c2 universal z");
    }
    close_model(&w);
    check_suggestion(SARRUS("{universal: [q2, top], at: C2, axes: [x, z]}"), 1);
}

#define GOVERNOR(k1, k2, s2, sleeve)                                                                                   \
    "cardan: 1\nname: governor\nparameters: {l: 0.4, phi: 0.6}\n"                                                      \
    "points: {O: [0, 0, 0], P1: [=l*sin(phi), 0, =-l*cos(phi)], P2: [=-l*sin(phi), 0, =-l*cos(phi)], S: [0, 0, "       \
    "=-2*l*cos(phi)]}\n"                                                                                               \
    "bodies:\n"                                                                                                        \
    "  shaft: {at: O, mass: 1, inertia: [0.1, 0.1, 0.1]}\n  u1: {at: P1, mass: 1}\n  u2: {at: P2, mass: 1}\n"          \
    "  d1: {at: P1, mass: 0.1, inertia: [0.01, 0.01, 0.01]}\n  d2: {at: P2, mass: 0.1, inertia: [0.01, 0.01, 0.01]}\n" \
    "  sl: {at: S, mass: 3, inertia: [0.01, 0.01, 0.01]}\n"                                                            \
    "joints:\n"                                                                                                        \
    "  spin: {revolute: [ground, shaft], at: O, axis: z}\n"                                                            \
    "  t1: {revolute: [shaft, u1], at: O, axis: y}\n  t2: {revolute: [shaft, u2], at: O, axis: y}\n"                   \
    "  k1: {" k1 ": [u1, d1], at: P1" k2 ": [u2, d2], at: P2}\n"                                                       \
    "  s1: {revolute: [d1, sl], at: S, axis: y}\n  s2: {" s2 ": [d2, sl], at: S, axis: y}\n"                           \
    "  sleeve: {" sleeve ": [shaft, sl], at: S, axis: z}\n"

static void test_shared(void)
{
    examination w;
    if (open_model(&w, GOVERNOR("revolute", ", axis: y}\n  k2: {axis: y, revolute", "revolute", "prismatic"), "dense",
                   0, NULL)) {
        CHECK(w.g->dof == 2 && w.g->redundant == 6);
        CHECK_SUGGESTION(w.s.description, w.g->loop[0].suggested_joints, "k2 spherical s2 cylindrical");
        CHECK_SUGGESTION(w.s.description, w.g->loop[1].suggested_joints, "k1 spherical sleeve cylindrical");
    }
    close_model(&w);
    check_suggestion(GOVERNOR("spherical", "}\n  k2: {spherical", "cylindrical", "cylindrical"), 2);
}

#define ROBERVAL(b1, b2)                                                                                               \
    "cardan: 1\nname: roberval\nparameters: {m: 1}\n"                                                                  \
    "points: {O1: [0, 0, 0], O2: [0, 0, -0.3], A1: [-0.5, 0, 0], A2: [-0.5, 0, -0.3], B1: [0.5, 0, 0], B2: [0.5, "     \
    "0, -0.3]}\n"                                                                                                      \
    "bodies:\n"                                                                                                        \
    "  top: {mass: 0.2, inertia: [0.01, 0.01, 0.01]}\n  bot: {mass: 0.2, inertia: [0.01, 0.01, 0.01]}\n"               \
    "  L: {mass: 1, centre: [-1.3, 0, 0.1], inertia: [0.01, 0.01, 0.01]}\n"                                            \
    "  R: {mass: =m, centre: [0.7, 0, 0.1], inertia: [0.01, 0.01, 0.01]}\n"                                            \
    "joints:\n"                                                                                                        \
    "  o1: {revolute: [ground, top], at: O1, axis: y}\n  o2: {revolute: [ground, bot], at: O2, axis: y}\n"             \
    "  a1: {revolute: [top, L], at: A1, axis: y}\n  a2: {revolute: [bot, L], at: A2, axis: y}\n"                       \
    "  b1: {" b1 ", at: B1}\n  b2: {" b2 ", at: B2}\n"

// Roberval balance: a pan with a load is not removed. A light bar with the same joints is.
static void test_loaded_body(void)
{
    static const char* const       text  = ROBERVAL("revolute: [top, R], axis: y", "revolute: [bot, R], axis: y");
    const cardan_parameter_setting light = {.name = "m", .value = "0.1"};
    examination                    w;
    if (open_model(&w, text, "dense", 0, NULL)) {
        CHECK(w.g->dof == 1 && w.g->redundant == 7);
        CHECK_SUGGESTION(w.s.description, w.g->loop[1].suggested_joints,
                         "b2 spherical b1 general rotation y x translation z");
    }
    close_model(&w);
    if (open_model(&w, text, "dense", 1, &light)) CHECK_SUGGESTION(w.s.description, w.g->loop[1].suggested_joints, "R");
    close_model(&w);
    if (open_model(
            &w, ROBERVAL("general: [top, R], steps: [{rotate: y}, {rotate: x}, {translate: z}]", "spherical: [bot, R]"),
            "dense", 0, NULL))
        CHECK(w.g->dof == 1 && w.g->loop[1].redundant == 0);
    close_model(&w);
}

#define DOOR(low, high)                                                                                                \
    "cardan: 1\nname: door\nbodies: {door: {at: [0.5, 0, 1], box: [1, 0.05, 2], mass: 20}}\njoints:\n"                 \
    "  low: {" low ", at: [0, 0, 0.2]}\n  high: {" high ", at: [0, 0, 1.8]}\n"

// A door with two hinges that are not parallel: it is the only body and is not removed.
static void test_door(void)
{
    examination w;
    if (open_model(&w, DOOR("revolute: [ground, door], axis: z", "revolute: [ground, door], axis: [0.001, 0, 1]"),
                   "dense", 0, NULL)) {
        CHECK(w.g->dof == 0 && w.g->redundant == 4);
        CHECK_SUGGESTION(w.s.description, w.g->loop[0].suggested_joints,
                         "high general rotation (0.001, 0, 1) y translation (1, 0, -0.001) low spherical");
    }
    close_model(&w);
    check_suggestion(
        DOOR("spherical: [ground, door]",
             "general: [ground, door], steps: [{rotate: [0.001, 0, 1]}, {rotate: y}, {translate: [1, 0, -0.001]}]"),
        0);
}

#define WEDGE(s, v)                                                                                                    \
    "cardan: 1\nname: wedge\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {at: [1, 0, 1], mass: 2, inertia: [1, 1, "  \
    "1]}}\njoints:\n  h: {prismatic: [ground, a], at: [0, 0, 0], axis: x}\n"                                           \
    "  s: {" s ", at: [1, 0, 1]}\n  v: {" v ", at: [1, 0, 1]}\n"
#define VICE(slide, collar)                                                                                            \
    "cardan: 1\nname: vice\nbodies: {jaw: {mass: 3, inertia: [1, 1, 1]},\n"                                            \
    "         spindle: {at: [0.2, 0, 0], mass: 1, inertia: [0.02, 0.1, 0.1]}}\njoints:\n"                              \
    "  slide: {" slide ", at: [0, 0, 0]}\n"                                                                            \
    "  thread: {screw: [ground, spindle], at: [0.2, 0, 0], axis: x, pitch: 0.01}\n"                                    \
    "  collar: {" collar ", at: [0.1, 0, 0]}\nforces: {m: {torque: [2, 0, 0], on: spindle}}\n"

// Slides only, and hinges and slides on one line: the suggestion is a general joint.
static void test_general_joints(void)
{
    examination w;
    if (open_model(&w, WEDGE("prismatic: [a, b], axis: [1, 0, -0.5]", "prismatic: [ground, b], axis: z"), "dense", 0,
                   NULL))
        CHECK_SUGGESTION(w.s.description, w.g->loop[0].suggested_joints,
                         "v general translation z rotation x y "
                         "s general translation (0.894, 0, -0.447) y rotation (0.447, 0, 0.894)");
    close_model(&w);
    check_suggestion(WEDGE("general: [a, b], steps: [{translate: [1, 0, -0.5]}, {translate: y}, {rotate: [0.5, 0, 1]}]",
                           "general: [ground, b], steps: [{translate: z}, {rotate: x}, {rotate: y}]"),
                     1);
    if (open_model(&w, VICE("prismatic: [ground, jaw], axis: x", "revolute: [spindle, jaw], axis: x"), "dense", 0,
                   NULL))
        CHECK_SUGGESTION(w.s.description, w.g->loop[0].suggested_joints,
                         "collar spherical slide general translation x rotation z y");
    close_model(&w);
    check_suggestion(
        VICE("general: [ground, jaw], steps: [{translate: x}, {rotate: z}, {rotate: y}]", "spherical: [spindle, jaw]"),
        1);
}

// A trammel: of the forces of its two slots only those perpendicular to the plane are not unique.
static void test_components(void)
{
    examination w;
    if (open_model(
            &w,
            "cardan: 1\nname: trammel\nbodies: {bar: {rod: [[0.6, 0, 0], [0, 0.8, 0]], mass: 2}}\n"
            "joints: {pl: {planar: [ground, bar], at: [0.3, 0.4, 0], axis: z}}\nconstraints:\n"
            "  h: {point_on_line: [{on: bar, at: [0.6, 0, 0]}, {on: ground, at: [0, 0, 0], orientation: {z: x, x: "
            "y}}]}\n"
            "  v: {point_on_line: [{on: bar, at: [0, 0.8, 0]}, {on: ground, at: [0, 0, 0], orientation: {z: y, x: "
            "x}}]}\n",
            "dense", 0, NULL)) {
        CHECK(w.g->dof == 1 && w.g->redundant == 2);
        CHECK_SENTENCE(w.g->indeterminate, " pl", " z", " h and v");
    }
    close_model(&w);
}

// The tree cuts the spherical and the universal joint, which have 7 rows; the closing joints of the diagnosis have 10
// equations. One count is used everywhere.
static void test_counts(void)
{
    static const char* const text =
        "cardan: 1\nname: loops\ngravity: [0, -9.81, 0]\n"
        "points: {A: [0, 0, 0], B: [0.3, 0.4, 0], C: [1.5, 1.2, 0], D: [1.4, 0, 0], E: [2.4, 1.0, 0], F: [2.6, 0, 0]}\n"
        "bodies:\n"
        "  cr: {rod: [A, B], mass: 1, radius: 0.01}\n  co: {rod: [B, C], mass: 2, radius: 0.01}\n"
        "  ro: {rod: [D, C], mass: 1.5, radius: 0.01}\n  cp: {rod: [C, E], mass: 1, radius: 0.01}\n"
        "  rk: {rod: [F, E], mass: 1, radius: 0.01}\n"
        "joints:\n"
        "  a: {revolute: [ground, cr], at: A, axis: z}\n  b: {revolute: [cr, co], at: B, axis: z}\n"
        "  c: {spherical: [co, ro], at: C}\n  d: {revolute: [ground, ro], at: D, axis: z}\n"
        "  e: {cylindrical: [ro, cp], at: C, axis: z}\n  f: {universal: [cp, rk], at: E, axes: [z, x]}\n"
        "  g: {revolute: [ground, rk], at: F, axis: z}\n";
    examination w;
    if (open_model(&w, text, "dense", 0, NULL)) {
        CHECK(w.g->nrow == 7 && w.g->equations == 10 && w.g->redundant == 2);
        check_sums(w.g);
        CHECK_SENTENCE(w.g->loop[0].reason, " c ", "(z)");
    }
    close_model(&w);
}

// Rods without inertia about their axis, supported by joints: the same result for all sizes.
static void test_sizes(void)
{
    static const char* const text =
        "cardan: 1\nname: sizes\nparameters: {s: 1}\ngravity: [0, =-9.81*s, 0]\n"
        "points: {A: [0, 0, 0], B: [=0.3*s, =0.4*s, 0], C: [=1.5*s, =1.2*s, 0], D: [=1.4*s, 0, 0]}\n"
        "bodies:\n  cr: {rod: [A, B], mass: =s^3}\n  co: {rod: [B, C], mass: =2*s^3}\n  ro: {rod: [C, D], mass: "
        "=1.5*s^3}\n"
        "joints:\n"
        "  a: {revolute: [ground, cr], at: A, axis: z}\n  b: {revolute: [cr, co], at: B, axis: z}\n"
        "  c: {revolute: [co, ro], at: C, axis: z}\n  d: {revolute: [ground, ro], at: D, axis: z}\n";
    static const char* const size[] = {"1e-6", "1e-3", "1", "1e3", "1e6", "1e8"};
    static const char* const by[]   = {"lagrange", "dense"};
    for (int i = 0; i < 6; ++i)
        for (int f = 0; f < 2; ++f) {
            const cardan_parameter_setting s = {.name = "s", .value = size[i]};
            examination                    w;
            if (open_model(&w, text, by[f], 1, &s)) {
                CHECK(w.status == CARDAN_OK);
                CHECK(w.g->dof == 1);
            }
            close_model(&w);
        }
    // with spherical joints at both ends the rotation of such a rod is undetermined, for all sizes
    for (int i = 0; i < 6; ++i) {
        static const char* const undetermined =
            "cardan: 1\nname: loose\nparameters: {s: 1}\n"
            "points: {A: [0, 0, 0], B: [=0.3*s, =0.4*s, 0], C: [=1.5*s, =1.2*s, 0], D: [=1.4*s, 0, 0]}\n"
            "bodies:\n  cr: {rod: [A, B], mass: =s^3}\n  co: {rod: [B, C], mass: =2*s^3}\n  ro: {rod: [C, D], mass: "
            "=1.5*s^3}\n"
            "joints:\n"
            "  a: {revolute: [ground, cr], at: A, axis: z}\n  b: {spherical: [cr, co], at: B}\n"
            "  c: {spherical: [co, ro], at: C}\n  d: {revolute: [ground, ro], at: D, axis: z}\n";
        const cardan_parameter_setting s = {.name = "s", .value = size[i]};
        examination                    w;
        if (open_model(&w, undetermined, "lagrange", 1, &s)) {
            CHECK(w.status == CARDAN_SINGULAR);
            CHECK_MESSAGE(&w.s.report.message[w.s.report.count - 1], CARDAN_CODE_FREE_BODY_MOTION, "body 'co'",
                          "(0.832, 0.555, 0)");
        }
        close_model(&w);
    }
}

#define DRIVEN(bearing)                                                                                                \
    "cardan: 1\nname: shaft\ngravity: [0, 0, 0]\nparameters: {b: 0.4}\n"                                               \
    "bodies:\n"                                                                                                        \
    "  s1: {rod: [[-1, 0, 0], [0, 0, 0]], mass: 1, radius: 0.05}\n"                                                    \
    "  s2: {rod: [[0, 0, 0], [=cos(b), =sin(b), 0]], mass: 1, radius: 0.05}\n"                                         \
    "joints:\n"                                                                                                        \
    "  j1: {" bearing "}\n"                                                                                            \
    "  u: {universal: [s1, s2], at: [0, 0, 0], axes: [z, [=-sin(b), =cos(b), 0.3]]}\n"                                 \
    "  j2: {cylindrical: [ground, s2], at: [=cos(b), =sin(b), 0], axis: [=cos(b), =sin(b), 0]}\n"

// A driven joint keeps a coordinate for its driver: a spherical joint has none.
static void test_driven(void)
{
    examination w;
    if (open_model(&w, DRIVEN("revolute: [ground, s1], at: [-1, 0, 0], axis: x, driver: =3*t"), "dense", 0, NULL)) {
        CHECK(w.g->nloop == 1 && w.g->loop[0].redundant == 2);
        CHECK_SUGGESTION(w.s.description, w.g->loop[0].suggested_joints, "j1 general rotation x z y");
    }
    close_model(&w);
    check_suggestion(
        DRIVEN("general: [ground, s1], at: [-1, 0, 0], steps: [{rotate: x}, {rotate: z}, {rotate: y}], driver: "
               "[=3*t, free, free]"),
        0);
    if (open_model(&w, DRIVEN("revolute: [ground, s1], at: [-1, 0, 0], axis: x"), "dense", 0, NULL))
        CHECK_SUGGESTION(w.s.description, w.g->loop[0].suggested_joints, "j1 spherical");
    close_model(&w);
}

// Drivers of one joint differ by their coordinates.
static void test_coordinates(void)
{
    static const char text[] =
        "cardan: 1\nname: gimbal\nbodies: {b: {at: [0, 0, 0], mass: 1, inertia: [0.1, 0.2, 0.25]}}\n"
        "joints: {f: {general: [ground, b], at: [0, 0, 0], steps: [{rotate: x}, {rotate: y}, {rotate: z}], driver: "
        "[=0.2*t, free, =0.3*t]}}\n";
    examination w;
    if (open_model(&w, text, "dense", 0, NULL)) {
        CHECK(w.g->nextra == 2);
        CHECK(w.g->extra[0].coordinate == 1 && w.g->extra[1].coordinate == 3);
    }
    close_model(&w);
    if (open_model(&w, DRIVEN("revolute: [ground, s1], at: [-1, 0, 0], axis: x, driver: =3*t"), "dense", 0, NULL))
        CHECK(w.g->nextra == 1 && w.g->extra[0].coordinate == 0);
    close_model(&w);
}

// A parallelogram with a third crank whose pivot F is displaced by e: locked or rounding, with the same decision by
// assembly and diagnosis. The message names all joints of both loops, because any of them can be displaced.
static void test_misplaced(void)
{
    static const char text[] =
        "cardan: 1\nparameters: {e: 0}\n"
        "points: {A: [0, 0, 0], B: [0, 1, 0], C: [1, 1, 0], D: [1, 0, 0], E: [2, 1, 0], F: [=2+e, 0, 0]}\n"
        "bodies: {a: {rod: [A, B], mass: 1}, b: {rod: [B, E], mass: 1}, c: {rod: [C, D], mass: 1}, d: {rod: [E, F], "
        "mass: 1}}\n"
        "joints:\n  A: {revolute: [ground, a], at: A, axis: z, start: {v: 1}}\n"
        "  B: {revolute: [a, b], at: B, axis: z}\n  C: {revolute: [b, c], at: C, axis: z}\n"
        "  D: {revolute: [c, ground], at: D, axis: z}\n  E: {revolute: [b, d], at: E, axis: z}\n"
        "  F: {revolute: [d, ground], at: F, axis: z}\n";
    static const char* const displacement[] = {"1e-2", "1e-6", "1e-7", "1e-8", "1e-9", "0"};
    for (int i = 0; i < 6; ++i) {
        const cardan_parameter_setting e       = {.name = "e", .value = displacement[i]};
        cardan_load_options            options = cardan_load_options_default();
        examination                    w       = {0};
        scene*                         s       = &w.s;
        options.nsetting                       = 1;
        options.setting                        = &e;
        CHECK(cardan_description_load_text(text, "scene.yaml", &options, &s->description, &s->report) == CARDAN_OK);
        CHECK(cardan_model_compile(s->description, CARDAN_TREE_BREADTH_FIRST, &s->model, &s->report) == CARDAN_OK);
        CHECK(cardan_data_create(s->model, cardan_formulation_find("dense"), &s->data, &s->report) == CARDAN_OK);
        CHECK(cardan_diagnosis_create(s->data, &w.g, &s->report) == CARDAN_OK);
        CHECK(w.g && w.g->dof == (i > 3));
        if (i > 0 && i < 4)
            CHECK_MESSAGE(&s->report.message[0], CARDAN_CODE_NEAR_SINGULAR_CONFIGURATION, "A, B, C, D, E and F");
        cardan_report_clear(&s->report);
        CHECK((cardan_data_assemble(s->data, NULL, NULL, NULL, NULL, &s->report) == CARDAN_OK) == (i > 3));
        if (i < 4)
            CHECK_MESSAGE(&s->report.message[0], CARDAN_CODE_START_INCONSISTENT, "'A'", "'B'", "'C'", "'D'", "'E'",
                          "'F'");
        close_model(&w);
    }
}

int main(void)
{
    RUN(test_misplaced());
    RUN(test_universal());
    RUN(test_shared());
    RUN(test_loaded_body());
    RUN(test_door());
    RUN(test_general_joints());
    RUN(test_components());
    RUN(test_counts());
    RUN(test_sizes());
    RUN(test_driven());
    RUN(test_coordinates());
    RUN(test_sentences("test_suggested_joints"));
    return test_end();
}
