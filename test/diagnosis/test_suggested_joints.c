// SPDX-License-Identifier: BSD-3-Clause
// The doctor on mechanisms whose repair takes thought: universal joints, joints that loops share, bodies that carry a
// load; sentences about parallel axes; counts that add up; and sizes from a grain to a planet. Every repair is carried
// out and examined again.
#include "analysis_models.h"
#include "suggestion.h"

typedef struct ward {
    scene             s;
    cardan_diagnosis* g;
    cardan_status     status;
} ward;

static bool admit(ward* w, const char* text, const char* formulation, int nsetting,
                  const cardan_parameter_setting* setting)
{
    *w              = (ward){0};
    const bool good = scene_text(&w->s, text, formulation, nsetting, setting);
    if (good) w->status = cardan_diagnose(w->s.data, &w->g, &w->s.report);
    CHECK(w->g != NULL);
    return w->g != NULL;
}

static void dismiss(ward* w)
{
    cardan_diagnosis_destroy(w->g);
    scene_close(&w->s);
}

// Equations as they are told: of loops and ties, and how many of them repeat others.
static void check_sums(const cardan_diagnosis* g)
{
    int rows = 0, repeated = 0;
    for (int l = 0; l < g->nloop; ++l) rows += g->loop[l].nrow, repeated += g->loop[l].redundant;
    for (int i = 0; i < g->nextra; ++i) rows += g->extra[i].nrow, repeated += g->extra[i].redundant;
    CHECK(rows == g->equations);
    CHECK(repeated == g->redundant);
}

// What is left when the repair is made: the same freedom, and nothing that repeats.
static void check_cured(const char* text, int dof)
{
    ward w;
    if (admit(&w, text, "dense", 0, NULL)) {
        CHECK(w.g->dof == dof);
        CHECK(w.g->redundant == 0);
        check_sums(w.g);
    }
    dismiss(&w);
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
    ward w;
    if (admit(&w, SARRUS("{revolute: [q2, top], at: C2, axis: x}"), "dense", 0, NULL)) {
        CHECK(w.g->dof == 1 && w.g->redundant == 1);
        CHECK_SUGGESTION(w.s.description, w.g->loop[0].suggested_joints, "c2 universal z");
    }
    dismiss(&w);
    check_cured(SARRUS("{universal: [q2, top], at: C2, axes: [x, z]}"), 1);
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
    ward w;
    if (admit(&w, GOVERNOR("revolute", ", axis: y}\n  k2: {axis: y, revolute", "revolute", "prismatic"), "dense", 0,
              NULL)) {
        CHECK(w.g->dof == 2 && w.g->redundant == 6);
        CHECK_SUGGESTION(w.s.description, w.g->loop[0].suggested_joints, "k2 spherical s2 cylindrical");
        CHECK_SUGGESTION(w.s.description, w.g->loop[1].suggested_joints, "k1 spherical sleeve cylindrical");
    }
    dismiss(&w);
    check_cured(GOVERNOR("spherical", "}\n  k2: {spherical", "cylindrical", "cylindrical"), 2);
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

// Roberval's balance: a pan may not be left out, however little it adds. A bar of the same joints that is light and
// bare may.
static void test_pan(void)
{
    static const char* const       text  = ROBERVAL("revolute: [top, R], axis: y", "revolute: [bot, R], axis: y");
    const cardan_parameter_setting light = {.name = "m", .value = "0.1"};
    ward                           w;
    if (admit(&w, text, "dense", 0, NULL)) {
        CHECK(w.g->dof == 1 && w.g->redundant == 7);
        CHECK_SUGGESTION(w.s.description, w.g->loop[1].suggested_joints,
                         "b2 spherical b1 general rotation y x translation z");
    }
    dismiss(&w);
    if (admit(&w, text, "dense", 1, &light)) CHECK_SUGGESTION(w.s.description, w.g->loop[1].suggested_joints, "R");
    dismiss(&w);
    if (admit(&w,
              ROBERVAL("general: [top, R], steps: [{rotate: y}, {rotate: x}, {translate: z}]", "spherical: [bot, R]"),
              "dense", 0, NULL))
        CHECK(w.g->dof == 1 && w.g->loop[1].redundant == 0);
    dismiss(&w);
}

#define DOOR(low, high)                                                                                                \
    "cardan: 1\nname: door\nbodies: {door: {at: [0.5, 0, 1], box: [1, 0.05, 2], mass: 20}}\njoints:\n"                 \
    "  low: {" low ", at: [0, 0, 0.2]}\n  high: {" high ", at: [0, 0, 1.8]}\n"

// A door on two hinges that lean against each other: it is all there is, and is not left out to make hinges sound.
static void test_door(void)
{
    ward w;
    if (admit(&w, DOOR("revolute: [ground, door], axis: z", "revolute: [ground, door], axis: [0.001, 0, 1]"), "dense",
              0, NULL)) {
        CHECK(w.g->dof == 0 && w.g->redundant == 4);
        CHECK_SUGGESTION(w.s.description, w.g->loop[0].suggested_joints,
                         "high general rotation (0.001, 0, 1) y translation (1, 0, -0.001) low spherical");
    }
    dismiss(&w);
    check_cured(
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

// Slides alone, and hinges and slides on one line: no other type of joint is free enough, single steps are.
static void test_steps(void)
{
    ward w;
    if (admit(&w, WEDGE("prismatic: [a, b], axis: [1, 0, -0.5]", "prismatic: [ground, b], axis: z"), "dense", 0, NULL))
        CHECK_SUGGESTION(w.s.description, w.g->loop[0].suggested_joints,
                         "v general translation z rotation x y "
                         "s general translation (0.894, 0, -0.447) y rotation (0.447, 0, 0.894)");
    dismiss(&w);
    check_cured(WEDGE("general: [a, b], steps: [{translate: [1, 0, -0.5]}, {translate: y}, {rotate: [0.5, 0, 1]}]",
                      "general: [ground, b], steps: [{translate: z}, {rotate: x}, {rotate: y}]"),
                1);
    if (admit(&w, VICE("prismatic: [ground, jaw], axis: x", "revolute: [spindle, jaw], axis: x"), "dense", 0, NULL))
        CHECK_SUGGESTION(w.s.description, w.g->loop[0].suggested_joints,
                         "collar spherical slide general translation x rotation z y");
    dismiss(&w);
    check_cured(
        VICE("general: [ground, jaw], steps: [{translate: x}, {rotate: z}, {rotate: y}]", "spherical: [spindle, jaw]"),
        1);
}

// A trammel: of the forces of its two slots only those across the plane are not unique.
static void test_components(void)
{
    ward w;
    if (admit(&w,
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
    dismiss(&w);
}

// The tree cuts the ball and the universal joint, and 7 equations are left; of the joints that the doctor names there
// are 10. Told is one count.
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
    ward w;
    if (admit(&w, text, "dense", 0, NULL)) {
        CHECK(w.g->nrow == 7 && w.g->equations == 10 && w.g->redundant == 2);
        check_sums(w.g);
        CHECK_SENTENCE(w.g->loop[0].reason, " c ", "(z)");
    }
    dismiss(&w);
}

// Rods without inertia about themselves, which joints must hold: the same verdict for every size.
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
            ward                           w;
            if (admit(&w, text, by[f], 1, &s)) {
                CHECK(w.status == CARDAN_OK);
                CHECK(w.g->dof == 1);
            }
            dismiss(&w);
        }
    // where a ball holds the end of such a rod nothing does, of any size
    for (int i = 0; i < 6; ++i) {
        static const char* const loose =
            "cardan: 1\nname: loose\nparameters: {s: 1}\n"
            "points: {A: [0, 0, 0], B: [=0.3*s, =0.4*s, 0], C: [=1.5*s, =1.2*s, 0], D: [=1.4*s, 0, 0]}\n"
            "bodies:\n  cr: {rod: [A, B], mass: =s^3}\n  co: {rod: [B, C], mass: =2*s^3}\n  ro: {rod: [C, D], mass: "
            "=1.5*s^3}\n"
            "joints:\n"
            "  a: {revolute: [ground, cr], at: A, axis: z}\n  b: {spherical: [cr, co], at: B}\n"
            "  c: {spherical: [co, ro], at: C}\n  d: {revolute: [ground, ro], at: D, axis: z}\n";
        const cardan_parameter_setting s = {.name = "s", .value = size[i]};
        ward                           w;
        if (admit(&w, loose, "lagrange", 1, &s)) {
            CHECK(w.status == CARDAN_SINGULAR);
            CHECK_MESSAGE(&w.s.report.message[w.s.report.count - 1], CARDAN_CODE_FREE_BODY_MOTION, "body 'co'",
                          "(0.832, 0.555, 0)");
        }
        dismiss(&w);
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

// A joint that is driven keeps a coordinate to drive: a ball has none.
static void test_driven(void)
{
    ward w;
    if (admit(&w, DRIVEN("revolute: [ground, s1], at: [-1, 0, 0], axis: x, driver: =3*t"), "dense", 0, NULL)) {
        CHECK(w.g->nloop == 1 && w.g->loop[0].redundant == 2);
        CHECK_SUGGESTION(w.s.description, w.g->loop[0].suggested_joints, "j1 general rotation x z y");
    }
    dismiss(&w);
    check_cured(DRIVEN("general: [ground, s1], at: [-1, 0, 0], steps: [{rotate: x}, {rotate: z}, {rotate: y}], driver: "
                       "[=3*t, free, free]"),
                0);
    if (admit(&w, DRIVEN("revolute: [ground, s1], at: [-1, 0, 0], axis: x"), "dense", 0, NULL))
        CHECK_SUGGESTION(w.s.description, w.g->loop[0].suggested_joints, "j1 spherical");
    dismiss(&w);
}

// Drivers of one joint are told apart by their coordinates.
static void test_coordinates(void)
{
    static const char text[] =
        "cardan: 1\nname: gimbal\nbodies: {b: {at: [0, 0, 0], mass: 1, inertia: [0.1, 0.2, 0.25]}}\n"
        "joints: {f: {general: [ground, b], at: [0, 0, 0], steps: [{rotate: x}, {rotate: y}, {rotate: z}], driver: "
        "[=0.2*t, free, =0.3*t]}}\n";
    ward w;
    if (admit(&w, text, "dense", 0, NULL)) {
        CHECK(w.g->nextra == 2);
        CHECK(w.g->extra[0].coordinate == 1 && w.g->extra[1].coordinate == 3);
    }
    dismiss(&w);
    if (admit(&w, DRIVEN("revolute: [ground, s1], at: [-1, 0, 0], axis: x, driver: =3*t"), "dense", 0, NULL))
        CHECK(w.g->nextra == 1 && w.g->extra[0].coordinate == 0);
    dismiss(&w);
}

// A parallelogram with a third crank, whose pivot F is off by e: locked, or rounding, and assembly and doctor agree
// which. What is told names all joints of both loops, as nobody knows which of them is misplaced.
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
    static const char* const off[] = {"1e-2", "1e-6", "1e-7", "1e-8", "1e-9", "0"};
    for (int i = 0; i < 6; ++i) {
        const cardan_parameter_setting e       = {.name = "e", .value = off[i]};
        cardan_load_options            options = cardan_load_options_default();
        ward                           w       = {0};
        scene*                         s       = &w.s;
        options.nsetting                       = 1;
        options.setting                        = &e;
        CHECK(cardan_load_text(text, "scene.yaml", &options, &s->description, &s->report) == CARDAN_OK);
        CHECK(cardan_model_compile(s->description, CARDAN_TREE_BREADTH_FIRST, &s->model, &s->report) == CARDAN_OK);
        CHECK(cardan_data_create(s->model, cardan_formulation_find("dense"), &s->data, &s->report) == CARDAN_OK);
        CHECK(cardan_diagnose(s->data, &w.g, &s->report) == CARDAN_OK);
        CHECK(w.g && w.g->dof == (i > 3));
        if (i > 0 && i < 4)
            CHECK_MESSAGE(&s->report.message[0], CARDAN_CODE_NEAR_SINGULAR_CONFIGURATION, "A, B, C, D, E and F");
        cardan_report_clear(&s->report);
        CHECK((cardan_assemble(s->data, NULL, NULL, NULL, NULL, &s->report) == CARDAN_OK) == (i > 3));
        if (i < 4)
            CHECK_MESSAGE(&s->report.message[0], CARDAN_CODE_START_INCONSISTENT, "'A'", "'B'", "'C'", "'D'", "'E'",
                          "'F'");
        dismiss(&w);
    }
}

int main(void)
{
    RUN(test_misplaced());
    RUN(test_universal());
    RUN(test_shared());
    RUN(test_pan());
    RUN(test_door());
    RUN(test_steps());
    RUN(test_components());
    RUN(test_counts());
    RUN(test_sizes());
    RUN(test_driven());
    RUN(test_coordinates());
    RUN(test_sentences("test_suggested_joints"));
    return test_end();
}
