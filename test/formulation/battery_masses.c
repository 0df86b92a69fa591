// SPDX-License-Identifier: BSD-3-Clause
// Large mass ratios: masses and inertias drawn independently from 1e-3 to 1e3. Random mechanisms with loops, gears,
// rods and drivers that satisfy their constraints as described, some with duplicate loop joints. All formulations give
// the accelerations of `dense`, or all report zero inertia (CARDAN_SINGULAR).
#include "body_accelerations.h"
#include "comparison_counts.h"
#include "random_tree.h"
#include "sentences.h"
#include "test.h"
#include "yaml_text.h"

#include <float.h>
#include <stdarg.h>
#include <string.h>

typedef struct draft {
    dice   d;
    char   text[8192];
    int    length, nbody, nquaternion;
    int    rotation[16]; // joints with one angle
    double condition; // largest ratio of the inertia of a body about a point at 2 m to its smallest moment of inertia
} draft;

static void put(draft* m, const char* form, ...)
{
    va_list list;
    va_start(list, form);
    m->length += vsnprintf(m->text + m->length, sizeof m->text - (size_t)m->length, form, list);
    va_end(list);
}

static void put_vector(draft* m, const char* key)
{
    const double x = dice_range(&m->d, -1, 1), y = dice_range(&m->d, -1, 1), z = dice_range(&m->d, -1, 1);
    put(m, "%s: [%.4f, %.4f, %.4f]", key, x, y, z);
}

// Slender rod or body without mass. Formulations must decide whether constraints determine the motion without inertia.
static void put_slender(draft* m, int i)
{
    const double x = dice_range(&m->d, -1, 1), y = dice_range(&m->d, -1, 1), z = dice_range(&m->d, -1, 1);
    if (dice_unit(&m->d) < 0.3)
        put(m, "  b%d: {at: [%.4f, %.4f, %.4f]}\n", i, x, y, z);
    else
        put(m, "  b%d: {rod: [[%.4f, %.4f, %.4f], [%.4f, %.4f, %.4f]], mass: 1}\n", i, x, y, z, x + 0.5, y - 0.2,
            z + 0.3);
}

static void put_body(draft* m, int i, double decades, double slender)
{
    if (dice_unit(&m->d) < slender) {
        put_slender(m, i);
        return;
    }
    const double mass = pow(10, dice_range(&m->d, -decades, decades)),
                 size = 0.2 * pow(10, dice_range(&m->d, -decades, decades));
    m->condition      = fmax(m->condition, 4 * mass / size);
    put(m, "  b%d: {", i);
    put_vector(m, "at");
    put(m, ", mass: %.4g, inertia: [%.4g, %.4g, %.4g]}\n", mass, size, 1.25 * size, 1.5 * size);
}

static void put_axes(draft* m, const char* type)
{
    if (strcmp(type, "universal") == 0)
        put(m, ", axes: [x, z]");
    else if (strcmp(type, "spherical") != 0)
        put(m, ", "), put_vector(m, "axis");
    if (strcmp(type, "screw") == 0) put(m, ", pitch: 0.3");
    put(m, "}\n");
}

static void put_joint(draft* m, int i)
{
    static const char* const types[] = {"revolute",    "revolute",  "universal", "spherical",
                                        "cylindrical", "prismatic", "planar",    "screw"};
    const char*              type    = types[dice_int(&m->d, 8)];
    if (i == 0 || dice_unit(&m->d) < 0.25)
        put(m, "  j%d: {%s: [ground, b%d], ", i, type, i);
    else
        put(m, "  j%d: {%s: [b%d, b%d], ", i, type, dice_int(&m->d, i), i);
    put_vector(m, "at");
    if (type[0] == 'r' && dice_unit(&m->d) < 0.4) put(m, ", start: {v: %.3f}", dice_range(&m->d, -2, 2));
    if (type[0] == 'r' || strcmp(type, "screw") == 0) m->rotation[m->nquaternion++] = i;
    put_axes(m, type);
}

static void put_loop(draft* m, int i)
{
    static const char* const types[] = {"spherical", "revolute", "universal", "cylindrical"};
    const char*              type    = types[dice_int(&m->d, 4)];
    const int                first = dice_int(&m->d, m->nbody), step = 1 + dice_int(&m->d, m->nbody);
    const int                second = (first + step) % (m->nbody + 1);
    if (second == m->nbody)
        put(m, "  l%d: {%s: [ground, b%d], ", i, type, first);
    else
        put(m, "  l%d: {%s: [b%d, b%d], ", i, type, first, second);
    put_vector(m, "at");
    put_axes(m, type);
}

// Add a duplicate of the last loop joint, whose line starts at `from`.
static void put_duplicate(draft* m, int from)
{
    char line[512];
    snprintf(line, sizeof line, "%s", strchr(m->text + from, ':'));
    put(m, "  again%s", line);
}

static const char* random_text(draft* m, uint64_t seed, double decades, double slender, bool twice)
{
    *m = (draft){.d = {seed}};
    put(m, "cardan: 1\nbodies:\n");
    m->nbody = 2 + dice_int(&m->d, 5);
    for (int i = 0; i < m->nbody; ++i) put_body(m, i, decades, slender);
    put(m, "joints:\n");
    for (int i = 0; i < m->nbody; ++i) put_joint(m, i);
    const int nloop = dice_int(&m->d, 3);
    int       last  = 0;
    for (int i = 0; i < nloop; ++i) last = m->length, put_loop(m, i);
    if (twice && nloop > 0) put_duplicate(m, last);
    put(m, "constraints:\n");
    const int other = dice_int(&m->d, m->nbody - 1) + 1;
    put(m, "  rod: {distance: [b0, b%d]}\n", other);
    const int n = m->nquaternion, *angle = m->rotation;
    if (n > 1) put(m, "  gear: {gear: [j%d, j%d], ratio: -2}\n", angle[n - 1], angle[0]);
    if (n > 0 && dice_unit(&m->d) < 0.4) put(m, "  drive: {driver: j%d, law: \"=0.4*sin(3*t)\"}\n", angle[n - 1]);
    return m->text;
}

static comparison_counts counts;
static int               reached; // mechanisms with an assembled state

// Compare all exact formulations with `dense`. Returns false if status or accelerations differ. Round-off of the state
// changes accelerations in proportion to the condition number.
static bool check_text(const char* text, const char* title, double condition, int* solved)
{
    cardan_description* d     = yaml_load(text);
    const int           dense = cardan_formulation_find("dense"), n = d ? cardan_description_get_view(d).nbody : 0;
    cardan_model*       m    = NULL;
    cardan_data*        at   = NULL;
    bool                good = true;
    if (d && cardan_model_compile(d, cardan_formulation_tree_policy(dense), &m, NULL) == CARDAN_OK &&
        cardan_data_create(m, dense, &at, NULL) == CARDAN_OK &&
        cardan_data_assemble(at, NULL, NULL, NULL, NULL, NULL) == CARDAN_OK) {
        cardan_report_clear(&yaml_report);
        const body_solution reference = solve_bodies(d, dense, cardan_formulation_tree_policy(dense), at, &yaml_report);
        *solved += reference.status == CARDAN_OK;
        ++reached;
        for (int f = 0; f < cardan_formulation_count(); ++f) {
            if (!cardan_formulation_is_exact(f)) continue;
            count_required(&counts, f, cardan_model_get_view(m).nconstraint > 0);
            cardan_report_clear(&yaml_report);
            const body_solution x = solve_bodies(d, f, cardan_formulation_tree_policy(f), at, &yaml_report);
            if (x.status == CARDAN_UNSUPPORTED) continue;
            count_compared(&counts, f);
            const double tolerance =
                fmax(4 * DBL_EPSILON * condition,
                     cardan_formulation_is_reference(f) ? 1e-8 : 1e-9); // reference implementations do not refine
            const bool agrees =
                x.status == reference.status &&
                (x.status != CARDAN_OK || (relative_difference(&x, &reference, n) < tolerance && x.error < tolerance));
            if (!agrees)
                printf("%s, %s: %s, dense %s, difference %.2g, residual %.2g\n", title, cardan_formulation_name(f),
                       cardan_status_name(x.status), cardan_status_name(reference.status),
                       relative_difference(&x, &reference, n), x.error);
            if (!agrees) yaml_print();
            good &= agrees;
        }
    }
    cardan_data_destroy(at);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return good;
}

static void test_random(double decades, double slender, bool twice, uint64_t from, uint64_t to)
{
    int bad = 0, solved = 0;
    for (uint64_t seed = from; seed <= to; ++seed) {
        draft m;
        char  title[64];
        snprintf(title, sizeof title, "seed %llu", (unsigned long long)seed);
        const char* text = random_text(&m, seed, decades, slender, twice);
        bad += !check_text(text, title, m.condition, &solved);
    }
    printf("masses of %g decades, %g slender, seeds %d to %d: %d have a solution, %d wrong\n", 2 * decades, slender,
           (int)from, (int)to, solved, bad);
    CHECK(solved > (int)(to - from) / 8);
    CHECK(bad == 0);
}

// Seeds for which a formulation once failed.
static void test_seeds(double decades, double slender, bool twice, int n, const int* seed)
{
    int       solved = 0;
    const int before = reached;
    for (int i = 0; i < n; ++i) {
        draft m;
        char  title[64];
        snprintf(title, sizeof title, "seed %d", seed[i]);
        const char* text = random_text(&m, (uint64_t)seed[i], decades, slender, twice);
        CHECK(check_text(text, title, m.condition, &solved));
        CHECK(reached == before + i + 1);
        if (reached != before + i + 1) printf("%s cannot be assembled\n", title);
    }
}

static void test_comparisons(void)
{
    printf("%d mechanisms compared\n", reached);
    CHECK(reached >= 300);
    check_comparisons(&counts, 9, reached);
}

// Body of one gram that two loops lock: with forces of 400 N its accelerations are pure round-off.
static const char* const locked =
    "cardan: 1\n"
    "bodies:\n"
    "  a: {at: [-0.8, 0.6, 0], mass: 1.3, inertia: [0.2, 0.2, 0.3]}\n"
    "  light: {at: [-0.140449, -0.863787, 0.969211], mass: 0.001, inertia: [0.01, 0.01, 0.01]}\n"
    "  b: {at: [-0.7, 0.8, 0.7], mass: 0.8, inertia: [0.2, 0.2, 0.3]}\n"
    "joints:\n"
    "  A: {revolute: [ground, a], at: [-0.8, 0.6, 0], axis: [-0.7, 0.8, -0.5]}\n"
    "  B: {spherical: [a, light], at: [-0.1, -0.8, 0.9]}\n"
    "  C: {planar: [a, b], at: [-0.731314, 0.893797, 0.794792], axis: [0.841602, -0.0176168, -0.519843]}\n"
    "  D: {cylindrical: [light, ground], at: [-0.5, 0.5, -0.5], axis: [0.4, 0.8, -0.5]}\n"
    "  E: {universal: [ground, b], at: [-0.4, -0.4, 0.4], axes: [x, z]}\n";

static const char* const locked_twice =
    "cardan: 1\n"
    "bodies:\n"
    "  light: {at: [0.47583, 0.750251, 0.626458], mass: 0.001, inertia: [0.01, 0.01, 0.01]}\n"
    "  b: {at: [-0.795625, 0.508278, 0.289417], mass: 1.52303, inertia: [0.2, 0.25, 0.3]}\n"
    "joints:\n"
    "  A: {cylindrical: [ground, light], at: [0.47583, 0.750251, 0.626458], axis: [-0.928714, -0.398241, -0.428085]}\n"
    "  B: {cylindrical: [ground, b], at: [-0.795625, 0.508278, 0.289417], axis: [-0.0535535, 0.910207, 0.889146]}\n"
    "  C: {spherical: [b, light], at: [-0.820944, -0.00652107, 0.231796]}\n"
    "  D: {universal: [ground, b], at: [0.402149, 0.522281, -0.59811], axes: [x, z]}\n";

// Driver on one of two geared joints: if the gear row is eliminated before the other joint, the driver row must be
// delayed with it.
static const char* const geared =
    "cardan: 1\n"
    "bodies:\n"
    "  b0: {at: [0.942954,0.73427,0.109921], mass: 1.76479, inertia: [0.2,0.25,0.3]}\n"
    "  b1: {at: [0.685253,0.853334,0.332741], mass: 0.001, inertia: [0.01,0.01,0.01]}\n"
    "  b2: {at: [0.172067,0.137437,-0.977057], mass: 0.001, inertia: [0.01,0.01,0.01]}\n"
    "  b3: {at: [0.291464,0.00506166,0.484053], mass: 0.001, inertia: [0.01,0.01,0.01]}\n"
    "  b4: {at: [0.444882,0.787925,-0.770852], mass: 0.001, inertia: [0.01,0.01,0.01]}\n"
    "  b5: {at: [0.973892,0.889935,-0.503019], mass: 0.001, inertia: [0.01,0.01,0.01]}\n"
    "  b6: {at: [-0.649913,-0.957904,-0.821764], mass: 1.72942, inertia: [0.2,0.25,0.3]}\n"
    "joints:\n"
    "  j0: {revolute: [ground,b0], at: [0.942954,0.73427,0.109921], axis: [0.645995,-0.942425,-0.827301], start: {v: "
    "1.38005}}\n"
    "  j1: {prismatic: [b0,b1], at: [0.685253,0.853334,0.332741], axis: [-0.109029,0.659288,-0.429505]}\n"
    "  j2: {universal: [b1,b2], at: [0.172067,0.137437,-0.977057], axes: [x,y]}\n"
    "  j3: {cylindrical: [b2,b3], at: [0.291464,0.00506166,0.484053], axis: [0.585634,0.159605,-0.912493]}\n"
    "  j4: {revolute: [b3,b4], at: [0.444882,0.787925,-0.770852], axis: [0.54433,-0.262606,-0.0826208]}\n"
    "  j5: {revolute: [b2,b5], at: [0.973892,0.889935,-0.503019], axis: [-0.756928,0.224167,0.468723]}\n"
    "  j6: {prismatic: [b3,b6], at: [-0.649913,-0.957904,-0.821764], axis: [0.661416,-0.351628,0.579271]}\n"
    "constraints:\n"
    "  g: {gear: [j5,j4], ratio: -2}\n"
    "  rod: {distance: [b4,b2]}\n"
    "  drv: {driver: j5, law: \"=0.4*sin(3*t)\"}\n";

// Slender rod on a spherical joint with a distance constraint from its end to another body: the spin of the rod has no
// inertia and no constraint.
static const char* const spins = "cardan: 1\n"
                                 "bodies:\n"
                                 "  r: {rod: [[0, 0, 0], [1, 0.3, 0.2]], mass: 1}\n"
                                 "  s: {at: [1, 0, 1], mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                                 "joints:\n"
                                 "  A: {spherical: [ground, r], at: [0, 0, 0]}\n"
                                 "  B: {revolute: [ground, s], at: [1, 0, 1], axis: x}\n"
                                 "constraints:\n"
                                 "  bar: {distance: [{on: r, at: [1, 0.3, 0.2]}, {on: s, at: [1, 0.5, 1]}]}\n";

// The same in a mechanism where the elimination of the rows leaves a spin inertia that is pure round-off.
static const char* const spins_on =
    "cardan: 1\n"
    "bodies:\n"
    "  b0: {at: [-0.422311,0.0284784,-0.560105], mass: 0.001, inertia: [0.01,0.01,0.01]}\n"
    "  b1: {rod: [[-0.0830946,-0.113805,0.853625],[0.416905,0.386195,1.35362]], mass: 0.890877}\n"
    "  b2: {rod: [[0.651778,-0.127065,-0.548913],[1.15178,0.372935,-0.0489134]], mass: 0.773689}\n"
    "  b3: {at: [0.770829,-0.0657234,-0.606337], mass: 1.35949, inertia: [0.2,0.25,0.3]}\n"
    "  b4: {at: [-0.0533286,0.390197,-0.486311], mass: 0.001, inertia: [0.01,0.01,0.01]}\n"
    "  b5: {at: [-0.68164,0.473434,-0.729406], mass: 0.001, inertia: [0.01,0.01,0.01]}\n"
    "joints:\n"
    "  j0: {universal: [ground,b0], at: [-0.422311,0.0284784,-0.560105], axes: [x,y]}\n"
    "  j1: {spherical: [b0,b1], at: [-0.0830946,-0.113805,0.853625]}\n"
    "  j2: {revolute: [ground,b2], at: [0.651778,-0.127065,-0.548913], axis: [-0.390785,-0.86923,-0.421919]}\n"
    "  j3: {revolute: [b0,b3], at: [0.770829,-0.0657234,-0.606337], axis: [-0.446216,0.42265,0.186679]}\n"
    "  j4: {planar: [b0,b4], at: [-0.0533286,0.390197,-0.486311], axis: [-0.69655,0.988571,0.743427]}\n"
    "  j5: {cylindrical: [b4,b5], at: [-0.68164,0.473434,-0.729406], axis: [0.848738,0.684461,-0.0496798]}\n"
    "constraints:\n"
    "  g: {gear: [j3,j2], ratio: -2}\n"
    "  rod: {distance: [b5,b1]}\n"
    "  drv: {driver: j3, law: \"=0.4*sin(3*t)\"}\n";

// Connecting rod without mass, and slender legs whose spin is prevented by universal joints: constraints determine the
// motions without inertia.
static const char* const massless_rod = "cardan: 1\n"
                                        "gravity: [0,0,0]\n"
                                        "parameters: {r: 0.1, l: 0.3, m: 2}\n"
                                        "points: {O: [0,0,0], P: [=r,0,0], X: [=r+l,0,0]}\n"
                                        "bodies:\n"
                                        "  crank: {rod: [O,P], mass: 1}\n"
                                        "  rod: {at: P}\n"
                                        "  piston: {at: X, mass: =m}\n"
                                        "joints:\n"
                                        "  main: {revolute: [ground,crank], at: O, axis: z, start: {q: 1, v: 20}}\n"
                                        "  big: {revolute: [crank,rod], at: P, axis: z}\n"
                                        "  small: {revolute: [rod,piston], at: X, axis: z}\n"
                                        "  bore: {prismatic: [ground,piston], at: X, axis: x}\n";

static const char* const slender_legs =
    "cardan: 1\n"
    "bodies: {t: {box: [1,1,0.1], at: [0,0,1], mass: 10}, a: {rod: [[0.5,0.5,0],[0.5,0.5,1]], mass: 1}, b: {rod: "
    "[[-0.5,0.5,0],[-0.5,0.5,1]], mass: 1}, c: {rod: [[-0.5,-0.5,0],[-0.5,-0.5,1]], mass: 1}, d: {rod: "
    "[[0.5,-0.5,0],[0.5,-0.5,1]], mass: 1}}\n"
    "joints:\n"
    "  a0: {spherical: [ground,a], at: [0.5,0.5,0]}\n"
    "  a1: {universal: [a,t], at: [0.5,0.5,1], axes: [x,y]}\n"
    "  b0: {spherical: [ground,b], at: [-0.5,0.5,0]}\n"
    "  b1: {universal: [b,t], at: [-0.5,0.5,1], axes: [x,y]}\n"
    "  c0: {spherical: [ground,c], at: [-0.5,-0.5,0]}\n"
    "  c1: {universal: [c,t], at: [-0.5,-0.5,1], axes: [x,y]}\n"
    "  d0: {spherical: [ground,d], at: [0.5,-0.5,0]}\n"
    "  d1: {universal: [d,t], at: [0.5,-0.5,1], axes: [x,y]}\n";

// A formulation that is not exact reports undetermined motions, too.
static void check_singular(const char* text, const char* formulation, const char* parts)
{
    cardan_description* d = yaml_load(text);
    const int           f = cardan_formulation_find(formulation);
    cardan_model*       m = NULL;
    cardan_data*        x = NULL;
    double              a[64];
    CHECK(d && cardan_model_compile(d, cardan_formulation_tree_policy(f), &m, NULL) == CARDAN_OK &&
          cardan_data_create(m, f, &x, NULL) == CARDAN_OK);
    CHECK(cardan_data_accelerate(x, a, NULL, &yaml_report) == CARDAN_SINGULAR);
    CHECK_CASE(&yaml_report, formulation, parts);
    cardan_data_destroy(x);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

static void test_spins(void)
{
    int solved = 0;
    CHECK(check_text(spins, "spin without inertia", 1, &solved));
    CHECK(check_text(spins_on, "spin without inertia in a mechanism", 1, &solved));
    CHECK(solved == 0);
    check_singular(spins, "penalty", "body 'r'|t = 0 s|(0.941, 0.282, 0.188)");
    CHECK(check_text(massless_rod, "rod without mass", 1, &solved));
    CHECK(check_text(slender_legs, "slender legs", 1, &solved));
    CHECK(solved == 2);
}

// Distance constraint between two bodies that a hinge connects: the hinge is locked. The coefficient of the other joint
// in the row is round-off only and must not be used to satisfy the row.
static const char* const locked_hinge =
    "cardan: 1\n"
    "bodies:\n"
    "  b0: {at: [-0.9472, 0.0329, -0.9746], mass: 0.00171, inertia: [0.001201, 0.001501, 0.001802]}\n"
    "  b4: {at: [-0.7119, 0.3986, 0.4844], mass: 88.22, inertia: [0.0004833, 0.0006041, 0.0007249]}\n"
    "joints:\n"
    "  j0: {cylindrical: [ground, b0], at: [-0.9891, 0.1608, 0.4414], axis: [-0.5029, 0.4185, -0.8939]}\n"
    "  j4: {revolute: [b0, b4], at: [-0.0742, 0.6048, 0.5857], start: {v: -1.423}, axis: [-0.6957, -0.8534, 0.1841]}\n"
    "constraints:\n"
    "  rod: {distance: [b0, b4]}\n";

static void test_locked_hinge(void)
{
    cardan_description* d = yaml_load(locked_hinge);
    const int           f = cardan_formulation_find("dense");
    cardan_model*       m = NULL;
    cardan_data*        x = NULL;
    CHECK(d && cardan_model_compile(d, cardan_formulation_tree_policy(f), &m, NULL) == CARDAN_OK &&
          cardan_data_create(m, f, &x, NULL) == CARDAN_OK);
    CHECK(cardan_data_assemble(x, NULL, NULL, NULL, NULL, NULL) == CARDAN_INCONSISTENT);
    cardan_data_destroy(x);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

static void test_locked(void)
{
    int solved = 0;
    CHECK(check_text(locked, "locked", 1, &solved));
    CHECK(check_text(locked_twice, "locked twice", 1, &solved));
    CHECK(check_text(geared, "geared and driven", 1, &solved));
    CHECK(solved == 3);
}

int main(void)
{
    static const int mass_ratio[] = {591, 737, 1609, 1749, 5060, 5327, 5649, 5852, 5929};
    // bodies without mass: undetermined motions, and one motion that is nearly undetermined (near_singular)
    static const int slender[]       = {7, 58, 788, 798, 809, 989, 1736, 1766, 3522, 5705};
    static const int near_singular[] = {330};
    static const int massless[]      = {1037, 1846, 1965, 2971};
    static const int twice[]         = {20, 39, 54};
    yaml_begin();
    RUN(test_locked());
    RUN(test_locked_hinge());
    RUN(test_spins());
    RUN(test_random(0, 0, false, 1, 100));
    RUN(test_random(3, 0, false, 101, 300));
    RUN(test_seeds(3, 0, false, (int)(sizeof mass_ratio / sizeof *mass_ratio), mass_ratio));
    RUN(test_random(0, 0.3, false, 301, 500));
    RUN(test_random(2, 0.3, true, 501, 600));
    RUN(test_seeds(0, 0.3, false, (int)(sizeof slender / sizeof *slender), slender));
    RUN(test_seeds(2, 0.3, false, (int)(sizeof near_singular / sizeof *near_singular), near_singular));
    RUN(test_seeds(0, 0.6, false, (int)(sizeof massless / sizeof *massless), massless));
    RUN(test_seeds(3, 0, true, (int)(sizeof twice / sizeof *twice), twice));
    RUN(test_comparisons());
    yaml_end();
    RUN(test_sentences("battery_masses"));
    return test_end();
}
