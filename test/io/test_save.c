// SPDX-License-Identifier: BSD-3-Clause
// Saved model files: exact text, numbers with all bits, names that need quotes; a saved description is read back
// unchanged.
#include "model_folders.h"
#include "sentences.h"
#include "test.h"

#include <cardan/io.h>
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static cardan_report report;
static char          folder[200], path[300];

static const char* in_folder(const char* name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int files_in_folder(void)
{
    int  count = 0;
    DIR* open  = opendir(folder);
    for (const struct dirent* e; open && (e = readdir(open));) count += e->d_name[0] != '.';
    if (open) closedir(open);
    return count;
}

static cardan_expression formula(cardan_description* d, const char* text)
{
    cardan_expression node = CARDAN_NONE;
    cardan_report_clear(&report);
    const cardan_status status = cardan_description_parse(d, text, cardan_location_none(), &node, &report);
    CHECK(status == CARDAN_OK);
    if (status) printf("%s\n", report.message[0].text);
    return node;
}

static void test_pendulum(void)
{
    static const char   expected[] = "cardan: 1\n"
                                     "name: pendulum\n"
                                     "gravity: [0, 0, -9.81]\n"
                                     "\n"
                                     "bodies:\n"
                                     "  bob:\n"
                                     "    at: [0, 0, 0.5]\n"
                                     "    mass: 1\n"
                                     "    centre: [0, 0, -1]\n"
                                     "    inertia: [0.1, 0.1, 0.01]\n"
                                     "\n"
                                     "joints:\n"
                                     "  hinge:\n"
                                     "    revolute: [ground, bob]\n"
                                     "    at: [0, 0, 0.5]\n"
                                     "    orientation: [0.5, -0.5, -0.5, -0.5]\n"
                                     "    at_second: [0, 0, 0]\n"
                                     "    orientation_second: [0.5, -0.5, -0.5, -0.5]\n"
                                     "    limits: [-1, 2]\n"
                                     "    damping: 0.1\n"
                                     "    start: {q: 0.3, v: -0.5}\n";
    cardan_description* d          = cardan_description_create("pendulum");
    cardan_body         b          = cardan_body_default("bob");
    b.mass                         = 1;
    b.centre[2]                    = -1;
    b.pose.p[2]                    = 0.5;
    b.inertia[0] = b.inertia[1] = 0.1;
    b.inertia[2]                = 0.01;
    const int              bob  = cardan_description_add_body(d, &b);
    cardan_joint           j    = cardan_joint_default("hinge", "revolute", CARDAN_GROUND, bob);
    cardan_axis_properties axis = cardan_axis_properties_default();
    j.frame_first.p[2]          = 0.5;
    for (int i = 0; i < 4; ++i) j.frame_first.q[i] = j.frame_second.q[i] = i ? -0.5 : 0.5;
    axis.lower      = -1;
    axis.upper      = 2;
    axis.damping    = 0.1;
    j.naxis         = 1;
    j.axis          = &axis;
    j.start_q_given = j.start_v_given = true;
    j.start_q[0]                      = 0.3;
    j.start_v[0]                      = -0.5;
    cardan_description_add_joint(d, &j);
    char* text = cardan_description_save_text(d);
    CHECK_TEXT(text, expected);
    free(text);
    cardan_description_destroy(d);
}

// ---- all elements

static cardan_pose pose(double seed)
{
    cardan_pose p = {{seed, 0.1 * seed, -1 / seed}, {1, 0.3 * seed, -0.2, 0.7 / seed}};
    double      n = 0;
    for (int i = 0; i < 4; ++i) n += p.q[i] * p.q[i];
    for (int i = 0; i < 4; ++i) p.q[i] /= sqrt(n);
    return p;
}

static const char* const names[] = {"plain", "upper arm",   "a: b, [c]",     "no",         "12",  "(hi)",
                                    "it's",  "back\\slash", "\xc3\xbcmlaut", "FL.wheel-2", "# x", "a: [b]"};
enum { NBODY = sizeof names / sizeof *names };

static void add_bodies(cardan_description* d)
{
    for (int i = 0; i < NBODY; ++i) {
        cardan_body b = cardan_body_default(names[i]);
        b.pose        = pose(1 + 0.37 * i);
        b.mass        = i == 1 ? 0 : 1 / (3.0 + i);
        for (int k = 0; k < 3; ++k) {
            b.centre[k]      = i == 2 ? 0 : sqrt(2 + i + k);
            b.inertia[k]     = 1 + 0.1 * k / 3;
            b.inertia[3 + k] = i % 2 ? 0 : 0.01 * k / 7;
        }
        cardan_description_add_body(d, &b);
    }
}

static void add_shapes(cardan_description* d)
{
    const cardan_shape shapes[] = {
        {.body = 1, .kind = CARDAN_SHAPE_BOX, .pose = pose(2), .size = {1, 0.1, 1.0 / 3}},
        {.body = 1, .kind = CARDAN_SHAPE_ROD, .pose = pose(3), .size = {2, 0.05}},
        {.body = 2, .kind = CARDAN_SHAPE_SPHERE, .pose = {{0, 1.0 / 3, 0}, {1, 0, 0, 0}}, .size = {0.25}},
        {.body   = 2,
         .kind   = CARDAN_SHAPE_POINTS,
         .pose   = cardan_pose_default(),
         .npoint = 3,
         .point  = (const double[]){0, 0, 0, 1, 2, 1.0 / 3, 4, 5, 6}},
        {.body = 2, .kind = CARDAN_SHAPE_BOX, .pose = cardan_pose_default(), .size = {1, 1, 1}},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) cardan_description_add_shape(d, &shapes[i]);
}

// A chain with one joint of each type and all axis properties.
static void add_joints(cardan_description* d)
{
    static const struct {
        const char* type;
        int         nq, nv;
    } types[] = {
        {"fixed", 0, 0},     {"revolute", 1, 1}, {"prismatic", 1, 1}, {"cylindrical", 2, 2}, {"screw", 1, 1},
        {"universal", 2, 2}, {"planar", 3, 3},   {"spherical", 4, 3}, {"free", 7, 6},        {"general", 5, 5},
    };
    for (int i = 0; i < 10; ++i) {
        char name[40];
        snprintf(name, sizeof name, "joint %s", types[i].type);
        cardan_joint           j = cardan_joint_default(name, types[i].type, i - 1, i);
        cardan_axis_properties axis[CARDAN_JOINT_VELOCITIES_MAX];
        j.frame_first  = pose(1.1 + i);
        j.frame_second = pose(2.3 + i);
        j.pitch        = i == 4 ? 0.0123 : 0;
        j.nelementary  = i == 5 ? 2 : i == 9 ? 5 : 0;
        for (int k = 0; k < j.nelementary; ++k) {
            j.elementary[k].is_translation  = i == 9 && k % 2;
            const double a                  = i == 9 ? 0.4 * k : 0; // the axes of a universal joint are perpendicular
            j.elementary[k].axis[k % 2]     = cos(a);
            j.elementary[k].axis[k % 2 + 1] = sin(a);
        }
        const bool quaternion = i == 7 || i == 8;
        for (int k = 0; k < types[i].nv; ++k) {
            axis[k]                   = cardan_axis_properties_default();
            axis[k].damping           = 0.1 + k;
            axis[k].friction_forward  = 1.0 / (3 + k);
            axis[k].friction_backward = 0.2;
            axis[k].friction_speed    = 0.01;
            axis[k].armature          = 0.001 * (1 + k);
            if (quaternion) continue;
            axis[k].stiffness        = 7 + k;
            axis[k].spring_reference = 0.1 * k / 3;
            axis[k].upper            = 1 + k;
            axis[k].lower            = i == 3 && k == 1 ? -INFINITY : -1.0 / 3;
            axis[k].stop_stiffness   = 1e5;
            axis[k].stop_damping     = 100;
        }
        j.naxis         = types[i].nv;
        j.axis          = axis;
        j.start_q_given = j.start_v_given = types[i].nq > 0;
        j.start_is_guess                  = i == 3;
        for (int k = 0; k < types[i].nq; ++k) j.start_q[k] = 0.1 * (k + 1);
        for (int k = 0; k < types[i].nv; ++k) j.start_v[k] = -1 / (3.0 + k);
        if (quaternion) memcpy(j.start_q + types[i].nq - 4, pose(5).q, 4 * sizeof(double));
        cardan_description_add_joint(d, &j);
    }
    const cardan_coupling couplings[] = {{.joint = 2, .other = 1, .factor = -1.0 / 3, .offset = 0.25},
                                         {.joint = 4, .other = 1, .factor = 2}};
    cardan_description_add_coupling(d, &couplings[0]);
    cardan_description_add_coupling(d, &couplings[1]);
}

static void add_other_elements(cardan_description* d)
{
    const double       x[] = {-1, 0, 1.0 / 3, 4}, y[] = {-100, 0, 10, 1e5};
    const cardan_table tables[] = {
        {.name = "load", .count = 4, .x = x, .y = y, .interpolation = CARDAN_INTERPOLATION_MONOTONE},
        {.name = "damper_law", .count = 2, .x = x, .y = y}};
    const cardan_marker    markers[] = {{.name = "tip", .body = 1, .pose = pose(1.5)},
                                        {.name = "wall", .body = CARDAN_GROUND, .pose = pose(2.5)},
                                        {.name = "the eye", .body = 3, .pose = cardan_pose_default()}};
    const cardan_parameter parameter = {.name = "k", .value = 1.0 / 3};
    for (int i = 0; i < 2; ++i) cardan_description_add_table(d, &tables[i]);
    for (int i = 0; i < 3; ++i) cardan_description_add_marker(d, &markers[i]);
    cardan_description_add_parameter(d, &parameter);
    cardan_description_add_state(d, &(cardan_user_state){.name = "filter", .start = 0.1, .rate = CARDAN_NONE});
    cardan_description_add_state(d, &(cardan_user_state){.name = "slow_one", .rate = CARDAN_NONE});
    cardan_description_set_state_rate(d, 0, formula(d, "k*(q('joint revolute') - filter)"));
    cardan_description_set_state_rate(
        d, 1, formula(d, "if(filter > 1 and t < 3, load(filter), damper_law(t) - v('joint universal', 2)^2)"));

    cardan_force f = cardan_force_default("rope", "spring");
    f.marker[0]    = cardan_description_find_marker(d, "tip");
    f.marker[1]    = cardan_description_find_marker(d, "wall");
    f.stiffness[0] = 1000.0 / 3;
    f.damping[0]   = 7;
    f.free_length  = 0.3;
    f.preload      = 2;
    cardan_description_add_force(d, &f);
    f.name         = "bump stop";
    f.marker[1]    = CARDAN_NONE;
    f.stiffness[0] = f.damping[0] = f.preload = 0;
    f.force_table                             = 0;
    f.damper_table                            = 1;
    cardan_description_add_force(d, &f);

    f              = cardan_force_default("spiral", "torsion");
    f.marker[0]    = cardan_description_find_marker(d, "upper arm");
    f.marker[1]    = cardan_description_find_marker(d, "tip");
    f.stiffness[0] = 3;
    f.free_length  = -0.1;
    cardan_description_add_force(d, &f);

    f           = cardan_force_default("rubber", "bushing");
    f.marker[0] = cardan_description_find_marker(d, "the eye");
    f.marker[1] = cardan_description_find_marker(d, "wall");
    for (int i = 0; i < 6; ++i) f.stiffness[i] = 1e6 / (3 + i), f.damping[i] = i;
    cardan_description_add_force(d, &f);

    f              = cardan_force_default("wind", "force");
    f.marker[0]    = cardan_description_find_marker(d, "tip");
    f.frame        = cardan_description_find_marker(d, "the eye");
    f.component[0] = formula(d, "-2*vx(tip, 'the eye')*abs(vx(tip, 'the eye')) + distance(tip, wall)");
    f.component[1] = formula(d, "atan2(y(tip), z(tip)) + angle(tip, wall, x) - angle(tip, wall)");
    f.component[2] = cardan_description_add_constant(d, 0.5);
    cardan_description_add_force(d, &f);

    f              = cardan_force_default("twist", "torque");
    f.marker[0]    = cardan_description_find_marker(d, "tip");
    f.marker[1]    = cardan_description_find_marker(d, "upper arm");
    f.component[0] = f.component[1] = cardan_description_add_constant(d, 0);
    f.component[2]                  = formula(d, "sin(2*pi*t) - wz(tip) + speed(tip, wall)");
    cardan_description_add_force(d, &f);

    f              = cardan_force_default("motor", "actuator");
    f.joint        = cardan_description_find_joint(d, "joint planar");
    f.axis         = 2;
    f.component[0] = formula(d, "-10*q('joint planar', 3) + exp(-t)");
    f.lower        = -5;
    f.upper        = 5;
    cardan_description_add_force(d, &f);

    cardan_description_add_output(
        d, &(cardan_output){.name = "height", .unit = "m", .value = formula(d, "z('upper arm')")});
    cardan_description_add_output(d, &(cardan_output){.name = "odd name", .value = formula(d, "x(wall) + slow_one")});
    cardan_run_defaults run = cardan_run_defaults_empty();
    run.duration            = 10;
    run.output_interval     = 0.01;
    run.tolerance           = 1e-9;
    run.integrator          = "rk4";
    run.formulation         = "order-n";
    run.stop_condition      = formula(d, "-z(tip)");
    cardan_description_set_run_defaults(d, &run);
    cardan_description_set_gravity(d, (double[]){0, -9.80665, 1.0 / 3});
}

static cardan_description* describe_all_elements(void)
{
    cardan_description* d = cardan_description_create("everything: $1 \"and\" more");
    add_bodies(d);
    add_shapes(d);
    add_joints(d);
    add_other_elements(d);
    return d;
}

// Formulas of parameters are evaluated: the saved text lists the parameters, the description read from it has none.
static void remove_parameters(char* text)
{
    char* comment = strstr(text, "\n#   ");
    if (!comment) return;
    do --comment; // the line before the first parameter
    while (comment > text && *comment != '\n');
    memmove(comment, strstr(comment, "\n\n") + 1, strlen(strstr(comment, "\n\n")));
}

static void test_round_trip(void)
{
    cardan_description* d     = describe_all_elements();
    cardan_description* again = NULL;
    char*               first = cardan_description_save_text(d);
    CHECK_HAS(first, "\n#   k: 0.3333333333333333\n");
    if (first) remove_parameters(first);
    cardan_report_clear(&report);
    CHECK(first && cardan_description_save(d, in_folder("everything.yaml"), &report) == CARDAN_OK);
    CHECK(cardan_description_load(path, NULL, &again, &report) == CARDAN_OK);
    for (int i = 0; i < report.count; ++i) printf("%s\n", report.message[i].text);
    CHECK(report.count == 0);
    if (again) {
        char* second = cardan_description_save_text(again);
        CHECK(second && strcmp(first, second) == 0);
        for (size_t i = 0, line = 1; second && first[i]; ++i, line += first[i] == '\n')
            if (first[i] != second[i]) {
                printf("line %zu: %.60s\n     not: %.60s\n", line, second + i, first + i);
                break;
            }
        free(second);
    }
    remove(path);
    free(first);
    cardan_description_destroy(again);
    cardan_description_destroy(d);
}

// ---- every model of the repository: the saved text is read back to the same text

static char* text_of(const char* name)
{
    cardan_description* d = NULL;
    cardan_report_clear(&report);
    CHECK(cardan_description_load(name, NULL, &d, &report) == CARDAN_OK);
    if (!d) printf("%s\n", report.count ? report.message[0].text : name);
    char* text = d ? cardan_description_save_text(d) : NULL;
    cardan_description_destroy(d);
    return text;
}

static void check_model(const char* name)
{
    char* first = text_of(name);
    CHECK(first != NULL);
    FILE* file = fopen(in_folder("model.yaml"), "w");
    if (first && file) fputs(first, file);
    if (file) fclose(file);
    if (first) remove_parameters(first);
    char* second = first ? text_of(path) : NULL;
    CHECK(first && second && strcmp(first, second) == 0);
    if (first && second && strcmp(first, second) != 0) printf("%s\n", name);
    remove(path);
    free(first);
    free(second);
}

static int check_models(const char* folder_name)
{
    int  count = 0;
    DIR* open  = opendir(folder_name);
    CHECK(open != NULL);
    for (const struct dirent* e; open && (e = readdir(open));) {
        char        name[600], file[1200];
        struct stat s;
        snprintf(name, sizeof name, "%s/%s", folder_name, e->d_name);
        snprintf(file, sizeof file, "%s/%s.yaml", name, e->d_name);
        if (e->d_name[0] == '.' || stat(file, &s) != 0 || lacks_hulls(name)) continue;
        check_model(name);
        ++count;
    }
    if (open) closedir(open);
    return count;
}

static void test_models(void)
{
    CHECK(check_models(CARDAN_SOURCE "/models") >= 9);
    CHECK(check_models(CARDAN_SOURCE "/models/robots") == 5);
}

// ---- numbers

static void test_numbers(void) // all finite values are preserved
{
    enum { COUNT = 4000 };
    static double x[COUNT];
    uint64_t      state = 88172645463325252u;
    for (int i = 0; i < COUNT; ++i) {
        uint64_t bits;
        do {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // all magnitudes, and values near 1
            bits = i % 3 ? state : (state & 0x800fffffffffffffu) | 0x3ff0000000000000u;
            memcpy(&x[i], &bits, sizeof bits);
        } while (!isfinite(x[i]));
    }
    x[0]                  = -0.0;
    x[1]                  = 5e-324;
    x[2]                  = 1.7976931348623157e308;
    cardan_description* d = cardan_description_create("numbers");
    for (int i = 0; i + 2 < COUNT; i += 3) {
        cardan_body b = cardan_body_default("b");
        char        name[20];
        snprintf(name, sizeof name, "b%d", i);
        b.name = name;
        memcpy(b.pose.p, x + i, 3 * sizeof(double));
        cardan_description_add_body(d, &b);
    }
    char* text = cardan_description_save_text(d);
    CHECK(text != NULL);
    const char* s = text;
    for (int i = 0; s && i + 2 < COUNT; i += 3) {
        s = strstr(s, "at: [");
        CHECK(s != NULL);
        if (!s) break;
        s += 5;
        for (int k = 0; k < 3; ++k) {
            char*        end;
            const double value = strtod(s, &end);
            CHECK(memcmp(&value, &x[i + k], sizeof value) == 0);
            s = end + 1;
        }
    }
    free(text);
    cardan_description_destroy(d);
}

// ---- files

static void check_rejected(const cardan_description* d, const char* name, cardan_status status, const char* parts)
{
    char expected[600];
    cardan_report_clear(&report);
    CHECK(cardan_description_save(d, name, &report) == status);
    snprintf(expected, sizeof expected, "%s: error: ", name);
    CHECK(strncmp(report.message[0].text, expected, strlen(expected)) == 0);
    CHECK_CASE(&report, strrchr(name, '/'), parts);
}

static void test_files(void)
{
    cardan_description* d = cardan_description_create("empty");
    CHECK(cardan_description_save(d, in_folder("empty.yaml"), NULL) == CARDAN_OK);
    CHECK(cardan_description_save(d, path, NULL) == CARDAN_OK); // overwrite
    CHECK(files_in_folder() == 1);
    struct stat s;
    CHECK(stat(path, &s) == 0 && (s.st_mode & 0600) == 0600 && !(s.st_mode & 0111));
    remove(path);

    check_rejected(d, in_folder("no/such/folder.yaml"), CARDAN_FILE_ERROR, "");
    check_rejected(d, in_folder("model.urdf"), CARDAN_BAD_USAGE, "");
    CHECK(mkdir(in_folder("full.yaml"), 0777) == 0);
    check_rejected(d, path, CARDAN_FILE_ERROR, "");
    CHECK(files_in_folder() == 1); // no partial file remains
    rmdir(path);
    CHECK(cardan_description_save(d, NULL, &report) == CARDAN_BAD_USAGE);
    cardan_description_destroy(d);
}

// Elements without a representation in a model file are rejected with a message.
static void check_body_rejected(const char* name, const char* parts)
{
    cardan_description* d = cardan_description_create("names");
    const cardan_body   b = cardan_body_default(name);
    cardan_description_add_body(d, &b);
    CHECK(cardan_description_save_text(d) == NULL);
    check_rejected(d, in_folder("names.yaml"), CARDAN_BAD_INPUT, parts);
    cardan_description_destroy(d);
}

static void test_rejected(void)
{
    check_body_rejected("rail$i", "'rail$i'");
    check_body_rejected("6\"", "'6\"'");
    check_body_rejected("=a", "'=a'");
    check_body_rejected("a\tb", "'a\\tb'");
    check_body_rejected("", "");
    check_body_rejected("world", "'world'");

    cardan_description* d = cardan_description_create("nan");
    cardan_description_set_gravity(d, (double[]){0, NAN, 0});
    check_rejected(d, in_folder("nan.yaml"), CARDAN_BAD_INPUT, "");
    cardan_description_destroy(d);

    d              = cardan_description_create("force");
    cardan_force f = cardan_force_default("f", "magnet");
    cardan_description_add_force(d, &f);
    check_rejected(d, in_folder("force.yaml"), CARDAN_BAD_INPUT, "'magnet'");
    cardan_description_destroy(d);

    d = cardan_description_create("state");
    cardan_description_add_state(
        d, &(cardan_user_state){.name = "two words", .rate = cardan_description_add_constant(d, 1)});
    check_rejected(d, in_folder("state.yaml"), CARDAN_BAD_INPUT, "'two words'");
    cardan_description_destroy(d);
    CHECK(files_in_folder() == 0);
}

int main(void)
{
    snprintf(folder, sizeof folder, "%s/cardan_XXXXXX", P_tmpdir);
    if (!mkdtemp(folder)) return 1;
    RUN(test_pendulum());
    RUN(test_numbers());
    RUN(test_round_trip());
    RUN(test_models());
    RUN(test_files());
    RUN(test_rejected());
    rmdir(folder);
    RUN(test_sentences("test_save"));
    return test_end();
}
