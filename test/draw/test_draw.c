// SPDX-License-Identifier: BSD-3-Clause
// Pictures of mechanisms: positions of drawn elements against the closed form of the projection, planes of motion,
// depth order, labels; the SVG is well-formed.
#include "draw/draw_mechanism.h"

#include "draw/picture.h"
#include "drawing.h"
#include "sentences.h"
#include "xml_check.h"

#include <stdlib.h>

// A rod of length 2 at 0.5 rad from the vertical in the plane xz: the scale is the same in both directions.
static void test_pendulum(void)
{
    const cardan_body             body  = make_body("bob", 0, 0, -2);
    const cardan_joint            joint = make_joint("hinge", "revolute", CARDAN_GROUND, 0, 0, 0, 0, about_y);
    const cardan_description_view view  = {
         .name = "pendulum", .gravity = {0, 0, -9.81}, .nbody = 1, .njoint = 1, .body = &body, .joint = &joint};
    const cardan_pose  pose  = {{0, 0, 0}, {cos(0.25), 0, sin(-0.25), 0}}; // -0.5 rad about y: the bob moves to +x
    const cardan_pose* poses = &pose;
    char*              svg   = draw(&view, 1, &poses, CD_VIEW_AUTO);
    double             rod[4], bob[3];
    CHECK(element_numbers(svg, "<line", 0, line_ends, 4, rod));
    CHECK(element_numbers(svg, "<circle", 0, circle, 3, bob));
    const double dx = rod[2] - rod[0], dy = rod[3] - rod[1], length = hypot(dx, dy);
    CHECK_NEAR(dx / length, sin(0.5), 1e-4);
    CHECK_NEAR(dy / length, cos(0.5), 1e-4);
    CHECK_NEAR(bob[0], rod[2], 0);
    CHECK_NEAR(bob[1], rod[3], 0);
    CHECK_NEAR(length, (600 - 30 - 2 * 56 - 34) / cos(0.5),
               1e-3); // the picture fills the height between title, margins and annotations
    CHECK_NEAR((rod[0] + rod[2]) / 2, 400, 1e-3);
    CHECK_HAS(svg, ">pendulum</text>");
    CHECK_HAS(svg, ">hinge</text>");
    CHECK_HAS(svg, ">bob</text>");
    CHECK_HAS(svg, ">0.2 m</text>");
    free(svg);
}

// Round-off in the direction of an axis does not rotate its symbol: an axis toward the eye has angle 0, an axis in the
// page points right or up.
static void test_symbol_angle(void)
{
    static const double noise[] = {0, 1e-16, -1e-16, 3e-13, -3e-13};
    const cardan_body   body    = make_body("bob", 0, 0, -2);
    for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < 25; ++i) {
            cardan_joint j = make_joint("hinge", "revolute", CARDAN_GROUND, 0, 0, 0, 0,
                                        axis == 0   ? about_x
                                        : axis == 1 ? about_y
                                                    : about_z);
            for (int k = 0; k < 4; ++k) j.frame_first.q[k] += noise[(i + k * (1 + i / 5)) % 5];
            const cardan_description_view view = {.name = "p", .nbody = 1, .njoint = 1, .body = &body, .joint = &j};
            char*                         svg  = draw(&view, 0, NULL, CD_VIEW_FRONT);
            CHECK_HAS(svg, axis == 2 ? "rotate(-90.00)\" fill" : "rotate(0.00)\" fill");
            free(svg);
        }
}

// The drawn length of the scale bar equals its label.
static void test_scale_bar(void)
{
    const cardan_body             body  = make_body("bob", 0, 0, -2);
    const cardan_joint            joint = make_joint("hinge", "revolute", CARDAN_GROUND, 0, 0, 0, 0, about_y);
    const cardan_description_view view  = {
         .name = "p", .gravity = {0, 0, -9.81}, .nbody = 1, .njoint = 1, .body = &body, .joint = &joint};
    for (int i = 0; i < 2; ++i) {
        char*  svg = draw(&view, 0, NULL, i ? CD_VIEW_ISOMETRIC : CD_VIEW_FRONT);
        double rod[4], bar[2];
        CHECK(element_numbers(svg, "<line", 0, line_ends, 4, rod));
        const double page  = hypot(rod[2] - rod[0], rod[3] - rod[1]) / 2;
        const char*  start = strstr(svg, "v6m0 -3H");
        CHECK(start != NULL);
        if (!start) continue;
        bar[1] = strtod(start + 8, NULL);
        while (start[-1] != 'M') --start;
        bar[0] = strtod(start, NULL);
        // the rod is parallel to an axis, so the scale bar is valid for it in both views
        CHECK_NEAR((bar[1] - bar[0]) / page, 0.5, 1e-3);
        CHECK_HAS(svg, i ? ">0.5 m along each axis<" : ">0.5 m<");
        free(svg);
    }
}

static void test_motion_to_pose(void)
{
    const cardan_body   body   = make_body("b", 1, 2, 3);
    const cardan_motion motion = {.p = {5, 5, 5}, .q = {0.70710678118654752, 0, 0, 0.70710678118654752}};
    const cardan_pose   pose   = cd_body_frame_pose(&body, &motion);
    const cd_xyz        back   = xyz_transform(&pose, xyz_of(body.centre));
    CHECK_NEAR(back.x, 5, 1e-14);
    CHECK_NEAR(back.y, 5, 1e-14);
    CHECK_NEAR(back.z, 5, 1e-14);
    CHECK_NEAR(pose.p[0], 5 + 2, 1e-14); // 90 degrees about z map (1, 2, 3) to (-2, 1, 3)
    CHECK_NEAR(pose.p[1], 5 - 1, 1e-14);
}

static cardan_description_view four_bar(void)
{
    static cardan_body  body[3];
    static cardan_joint joint[4];
    body[0]  = make_body("crank", 0.25, 0.433, 0);
    body[1]  = make_body("coupler", 1.57, 1.11, 0);
    body[2]  = make_body("rocker", 2.32, 0.68, 0);
    joint[0] = make_joint("A", "revolute", CARDAN_GROUND, 0, 0, 0, 0, about_z);
    joint[1] = make_joint("B", "revolute", 0, 1, 0.5, 0.866, 0, about_z);
    joint[2] = make_joint("C", "revolute", 1, 2, 2.645, 1.355, 0, about_z);
    joint[3] = make_joint("D", "revolute", 2, CARDAN_GROUND, 2, 0, 0, about_z);
    return (cardan_description_view){
        .name = "four-bar", .gravity = {0, -9.81, 0}, .nbody = 3, .njoint = 4, .body = body, .joint = joint};
}

static void check_direction(cd_xyz d, double x, double y, double z)
{
    CHECK_NEAR(d.x, x, 1e-12);
    CHECK_NEAR(d.y, y, 1e-12);
    CHECK_NEAR(d.z, z, 1e-12);
}

static bool is_planar(const cardan_description_view* view, const cardan_pose* pose)
{
    cd_xyz normal;
    bool   planar = false;
    CHECK(cd_plane_of_motion(view, pose, &normal, &planar) == CARDAN_OK);
    return planar;
}

static void test_plane_of_motion(void)
{
    cardan_description_view view    = four_bar();
    const cardan_pose       pose[3] = {identity, identity, identity};
    cd_camera               camera[4];
    CHECK(is_planar(&view, pose));
    CHECK(cd_cameras_create(&view, pose, CD_VIEW_AUTO, camera) == 1);
    check_direction(camera[0].right, 1, 0, 0);
    check_direction(camera[0].up, 0, 1, 0);
    check_direction(camera[0].toward, 0, 0, 1);

    // spatial mechanisms: one axis not normal to the plane, one spherical joint, or one body without a joint
    cardan_joint* joint = (cardan_joint*)view.joint;
    memcpy(joint[2].frame_first.q, about_x, sizeof about_x);
    CHECK(!is_planar(&view, pose));
    view          = four_bar();
    joint[1].type = "spherical";
    CHECK(!is_planar(&view, pose));
    view        = four_bar();
    view.njoint = 2;
    CHECK(!is_planar(&view, pose));

    // the axis of a prismatic joint must lie in the plane
    view          = four_bar();
    joint[3].type = "prismatic";
    CHECK(!is_planar(&view, pose));
    memcpy(joint[3].frame_first.q, about_x, sizeof about_x);
    CHECK(is_planar(&view, pose));

    // gravity in the plane defines the upward direction; a pendulum in xz is drawn with x to the right and z up
    view            = four_bar();
    view.gravity[1] = 0;
    view.gravity[2] = -9.81;
    for (int i = 0; i < 4; ++i) memcpy(joint[i].frame_first.q, about_y, sizeof about_y);
    cd_cameras_create(&view, pose, CD_VIEW_AUTO, camera);
    check_direction(camera[0].right, 1, 0, 0);
    check_direction(camera[0].up, 0, 0, 1);
}

// The directions right, up and toward the eye form a right-handed frame.
static void test_cameras(void)
{
    const cardan_description_view view = four_bar();
    cd_camera                     camera[4];
    CHECK(cd_cameras_create(&view, NULL, CD_VIEW_THREE, camera) == 4);
    for (int i = 0; i < 4; ++i) {
        const cd_xyz toward = xyz_cross(camera[i].right, camera[i].up);
        check_direction(camera[i].toward, toward.x, toward.y, toward.z);
        CHECK_NEAR(xyz_length(camera[i].up), 1, 1e-12);
    }
    check_direction(camera[2].right, 1, 0, 0);  // front, y up
    check_direction(camera[0].up, 0, 0, -1);    // top
    check_direction(camera[3].right, 0, 0, -1); // side
    // an isometric projection shortens the three axes equally
    const double s = sqrt(2.0 / 3);
    for (int k = 0; k < 3; ++k) {
        const cd_xy d = cd_camera_project(&camera[1], (cd_xyz){k == 0, k == 1, k == 2});
        CHECK_NEAR(hypot(d.x, d.y), s, 1e-12);
    }
    cd_view_choice choice;
    CHECK(cd_view_choice_find("side", &choice) && choice == CD_VIEW_SIDE);
    CHECK(!cd_view_choice_find("sid", &choice));
}

static void test_three_views(void)
{
    const cardan_description_view view = four_bar();
    char*                         svg  = draw(&view, 0, NULL, CD_VIEW_THREE);
    CHECK(xml_count(svg, ">top<") == 1 && xml_count(svg, ">front<") == 1 && xml_count(svg, ">side<") == 1 &&
          xml_count(svg, ">isometric<") == 1);
    CHECK(xml_count(svg, ">crank</text>") == 4);
    free(svg);
}

static void test_snapshots(void)
{
    const cardan_body             body  = make_body("bob", 0, 0, -2);
    const cardan_joint            joint = make_joint("hinge", "revolute", CARDAN_GROUND, 0, 0, 0, 0, about_y);
    const cardan_description_view view  = {
         .name = "p", .gravity = {0, 0, -9.81}, .nbody = 1, .njoint = 1, .body = &body, .joint = &joint};
    const cardan_pose  pose[3] = {{{0, 0, 0}, {cos(0.3), 0, sin(0.3), 0}}, {{0, 0, 0}, {NAN, 0, 0, 0}}, identity};
    const cardan_pose* poses[] = {&pose[0], &pose[1], &pose[2]};
    char*              svg     = draw(&view, 3, poses, CD_VIEW_AUTO);
    CHECK(xml_count(svg, "<g opacity=") == 1);
    CHECK(xml_count(svg, ">bob</text>") == 1);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_NOT_FINITE, "warning: 1 of 3 ");
    free(svg);

    cd_text               text    = {0};
    const cd_draw_options options = cd_draw_options_default();
    cardan_report_clear(&report);
    CHECK(cd_draw_mechanism_svg(&view, 1, poses + 1, &options, &text, &report) == CARDAN_NOT_FINITE);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_NOT_FINITE, "error: ", "'p'");
    cd_text_free(&text);
}

// The box drawn from the inertia of a uniform box equals this box, for any orientation.
static void test_inertia_box(void)
{
    const double m = 3, l[3] = {0.2, 0.5, 0.9};
    const double I[3] = {m / 12 * (l[1] * l[1] + l[2] * l[2]), m / 12 * (l[0] * l[0] + l[2] * l[2]),
                         m / 12 * (l[0] * l[0] + l[1] * l[1])};
    const double q[4] = {0.5, 0.1, -0.7, 0.5};
    cardan_body  body = make_body("b", 1, 2, 3);
    body.mass         = m;
    cd_xyz column[3];
    for (int k = 0; k < 3; ++k) column[k] = xyz_rotate(q, (cd_xyz){k == 0, k == 1, k == 2});
    const double R[3][3] = {{column[0].x, column[1].x, column[2].x},
                            {column[0].y, column[1].y, column[2].y},
                            {column[0].z, column[1].z, column[2].z}};
    double       A[3][3] = {0};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) A[i][j] += R[i][k] * I[k] * R[j][k];
    const double inertia[6] = {A[0][0], A[1][1], A[2][2], A[0][1], A[0][2], A[1][2]};
    memcpy(body.inertia, inertia, sizeof inertia);

    cardan_pose frame;
    double      size[3];
    CHECK(cd_inertia_box(&body, &frame, size));
    // each edge is found in the direction given
    for (int k = 0; k < 3; ++k) {
        bool found = false;
        for (int i = 0; i < 3; ++i) {
            const cd_xyz axis = xyz_rotate(frame.q, (cd_xyz){i == 0, i == 1, i == 2});
            found |= fabs(size[i] - l[k]) < 1e-9 && fabs(fabs(xyz_dot(axis, column[k])) - 1) < 1e-9;
        }
        CHECK(found);
    }
    CHECK_NEAR(frame.p[2], 3, 0);
    body.inertia[0] = 1000;
    CHECK(!cd_inertia_box(&body, &frame, size));
}

// True if a polygon of this part of a picture contains the point, i.e. the point is on the same side of all edges.
static bool is_covered(const char* svg, double x, double y)
{
    for (const char* at = strstr(svg, "<polygon points=\""); at; at = strstr(at + 1, "<polygon points=\"")) {
        double px[8], py[8];
        int    count = 0, used = 0, left = 0;
        for (const char* c = at + 17; count < 8 && sscanf(c, "%lf,%lf%n", &px[count], &py[count], &used) == 2; ++count)
            c += used;
        for (int i = 0; i < count; ++i) {
            const int k = (i + 1) % count;
            left += (px[k] - px[i]) * (y - py[i]) - (py[k] - py[i]) * (x - px[i]) > 0;
        }
        if (count > 2 && (left == 0 || left == count)) return true;
    }
    return false;
}

// A large box and a sphere: the sphere is visible above the corners and outside the box, and hidden below it.
static void test_depth(void)
{
    static const double at[][3] = {{-0.6, -0.6, 0.3}, {0.6, 0.6, 0.3},  {-0.6, 0.6, 0.3}, {0.6, -0.6, 0.3},
                                   {0, 0, 0.2},       {0.9, -1.2, 0.0}, {0, 0, -0.3}};
    enum { COUNT = sizeof at / sizeof *at };
    const cardan_body body  = make_body("b", 0, 0, 0);
    cardan_shape      box   = {.body = 0, .kind = CARDAN_SHAPE_BOX, .pose = identity, .size = {2, 2, 0.2}};
    cardan_shape      ball  = {.body = 0, .kind = CARDAN_SHAPE_SPHERE, .pose = identity, .size = {0.1}};
    const double      angle = 0.3;
    for (int i = 0; i < COUNT; ++i)
        for (int rotated = 0; rotated < 2; ++rotated) {
            for (int k = 0; k < 3; ++k) ball.pose.p[k] = at[i][k];
            if (rotated) box.pose.q[0] = cos(angle / 2), box.pose.q[3] = sin(angle / 2);
            const cardan_shape            shape[] = {ball, box};
            const cardan_description_view view = {.name = "b", .nbody = 1, .nshape = 2, .body = &body, .shape = shape};
            char*                         svg  = draw(&view, 0, NULL, CD_VIEW_ISOMETRIC);
            const char*                   disc = strstr(svg, "<circle cx");
            double                        place[3];
            CHECK(xml_count(svg, "<polygon") == 3 && element_numbers(svg, "<circle", 0, circle, 3, place));
            CHECK(disc && is_covered(disc, place[0], place[1]) == (i == COUNT - 1));
            free(svg);
            box.pose = identity;
        }
}

// Every joint type, an unknown type, and names with characters that XML reserves.
static void test_every_symbol(void)
{
    static const char* const type[] = {"fixed",  "revolute",  "prismatic", "cylindrical", "screw", "universal",
                                       "planar", "spherical", "free",      "general",     "odd"};
    enum { COUNT = sizeof type / sizeof *type };
    cardan_body  body[COUNT];
    cardan_joint joint[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        body[i]  = make_body("<a & \"b\" \xFF>", i, 0.3, 0.4);
        joint[i] = make_joint(type[i], type[i], i % 3 ? CARDAN_GROUND : i - 1, i, i, 0, 0, i % 2 ? about_x : about_z);
        joint[i].nelementary   = 2;
        joint[i].elementary[0] = (cardan_elementary_joint){false, {1, 0, 0}};
        joint[i].elementary[1] = (cardan_elementary_joint){false, {0, 1, 0}};
        body[i].inertia[0]     = 1;
    }
    const double       point[] = {0, 0, 0, 1, 0, 0, 1, 1, 0};
    const cardan_shape shape[] = {
        {.body = 0, .kind = CARDAN_SHAPE_BOX, .pose = identity, .size = {1, 1, 1}},
        {.body = 1, .kind = CARDAN_SHAPE_SPHERE, .pose = identity, .size = {0.2}},
        {.body = 2, .kind = CARDAN_SHAPE_ROD, .pose = identity, .size = {1, 0.1}},
        {.body = 3, .kind = CARDAN_SHAPE_POINTS, .pose = identity, .npoint = 3, .point = point},
        {.body = CARDAN_GROUND, .kind = CARDAN_SHAPE_BOX, .pose = identity, .size = {2, 2, 0}},
    };
    const cardan_marker           marker[] = {{.name = "ground", .body = CARDAN_GROUND, .pose = identity},
                                              {.name = "m", .body = 4, .pose = identity}};
    const cardan_force            force    = {.name = "s", .type = "spring", .marker = {1, CARDAN_NONE}};
    const cardan_description_view view     = {.name    = "zoo & co",
                                              .nbody   = COUNT,
                                              .njoint  = COUNT,
                                              .nshape  = 5,
                                              .nmarker = 2,
                                              .nforce  = 1,
                                              .body    = body,
                                              .joint   = joint,
                                              .shape   = shape,
                                              .marker  = marker,
                                              .force   = &force};
    for (int choice = 0; cd_view_choice_name(choice); ++choice) free(draw(&view, 0, NULL, (cd_view_choice)choice));
    char* svg = draw(&view, 0, NULL, CD_VIEW_AUTO);
    CHECK_HAS(svg, ">&lt;a &amp; &quot;b&quot; \\xff&gt;</text>");
    CHECK_HAS(svg, "<title>zoo &amp; co</title>");
    free(svg);
}

// Springs, dampers and massless rods are drawn between their markers for any position of the bodies.
static void test_elements(void)
{
    const cardan_body   body     = make_body("b", 1, 0, 0);
    const cardan_marker marker[] = {{.name = "a", .body = CARDAN_GROUND, .pose = {.q = {1, 0, 0, 0}, .p = {0, 2, 0}}},
                                    {.name = "m", .body = 0, .pose = {.q = {1, 0, 0, 0}, .p = {0, 0, 3}}}};
    const cardan_force  force[]  = {{.name         = "s",
                                     .type         = "spring",
                                     .marker       = {1, 0},
                                     .stiffness    = {5},
                                     .damping      = {1},
                                     .force_table  = CARDAN_NONE,
                                     .damper_table = CARDAN_NONE},
                                    {.name         = "d",
                                     .type         = "spring",
                                     .marker       = {1, 0},
                                     .damping      = {1},
                                     .force_table  = CARDAN_NONE,
                                     .damper_table = CARDAN_NONE}};
    const cardan_constraint       rod  = {.name = "rod", .type = "distance", .marker = {1, 0}};
    const cardan_description_view view = {.name        = "elements",
                                          .nbody       = 1,
                                          .nmarker     = 2,
                                          .nforce      = 2,
                                          .nconstraint = 1,
                                          .body        = &body,
                                          .marker      = marker,
                                          .force       = force,
                                          .constraint  = &rod};
    const cardan_pose             pose = {.q = {1, 0, 0, 0}, .p = {10, 0, 0}};
    cd_scene                      scene;
    int                           found[CD_PRIMITIVE_JOINT + 1] = {0};
    CHECK(cd_scene_create(&view, &pose, &scene, NULL) == CARDAN_OK);
    for (int i = 0; i < scene.nprimitive; ++i) {
        const cd_primitive* m = &scene.primitive[i];
        const bool          between =
            m->kind == CD_PRIMITIVE_SPRING || m->kind == CD_PRIMITIVE_DAMPER || m->kind == CD_PRIMITIVE_BAR;
        ++found[m->kind];
        if (between)
            CHECK_NEAR(hypot(hypot(m->a.x - m->b.x, m->a.y - m->b.y), m->a.z - m->b.z), sqrt(100 + 4 + 9), 1e-12);
    }
    CHECK(found[CD_PRIMITIVE_SPRING] == 1 && found[CD_PRIMITIVE_DAMPER] == 1 && found[CD_PRIMITIVE_BAR] == 1 &&
          found[CD_PRIMITIVE_JOINT] == 2);
    cd_scene_destroy(&scene);
    free(draw(&view, 1, (const cardan_pose* const[]){&pose}, CD_VIEW_ISOMETRIC));
}

// Empty pictures, single points, and dimensions far from one metre.
static void test_extremes(void)
{
    cardan_description_view view = {.name = "empty"};
    free(draw(&view, 0, NULL, CD_VIEW_AUTO));
    for (int power = -9; power <= 9; power += 3) {
        const double       size  = pow(10, power);
        const cardan_body  body  = make_body("bob", 0, 0, -size);
        const cardan_joint joint = make_joint("hinge", "revolute", CARDAN_GROUND, 0, 0, 0, 0, about_y);
        view       = (cardan_description_view){.name = "p", .nbody = 1, .njoint = 1, .body = &body, .joint = &joint};
        char*  svg = draw(&view, 0, NULL, CD_VIEW_AUTO);
        double rod[4];
        CHECK(element_numbers(svg, "<line", 0, line_ends, 4, rod));
        CHECK_NEAR(hypot(rod[2] - rod[0], rod[3] - rod[1]), 600 - 30 - 2 * 56 - 34, 1e-3);
        free(svg);
    }
    const cardan_body point = make_body("point", 0, 0, 0);
    view                    = (cardan_description_view){.name = "point", .nbody = 1, .body = &point};
    free(draw(&view, 0, NULL, CD_VIEW_THREE));
}

// Labels of many bodies do not overlap, and a note reports labels without a free position.
static void test_labels_do_not_overlap(void)
{
    enum { COUNT = 60 };
    static cardan_body  body[COUNT];
    static cardan_joint joint[COUNT];
    static char         name[COUNT][16];
    for (int i = 0; i < COUNT; ++i) {
        snprintf(name[i], sizeof name[i], "link%d", i);
        body[i]  = make_body(name[i], 0.1 * i + 0.05, 0, 0.02 * i);
        joint[i] = make_joint(name[i], "revolute", i - 1, i, 0.1 * i, 0, 0.02 * i, about_y);
    }
    const cardan_description_view view = {
        .name = "chain", .gravity = {0, 0, -9.81}, .nbody = COUNT, .njoint = COUNT, .body = body, .joint = joint};
    char*             svg = draw(&view, 0, NULL, CD_VIEW_AUTO);
    cd_page_rectangle box[2 * COUNT];
    int               count = 0;
    for (const char* at = strstr(svg, "paint-order"); at && count < 2 * COUNT; at = strstr(at + 1, "paint-order")) {
        const char* start = at;
        while (strncmp(start, "<text x=\"", 9) != 0) --start;
        double x, y, size;
        CHECK(sscanf(start, "<text x=\"%lf\" y=\"%lf\" font-size=\"%lf\"", &x, &y, &size) == 3);
        box[count++] = (cd_page_rectangle){x, y - 0.8 * size, 5 * 0.5 * size, 0.8 * size};
    }
    CHECK(count > 40);
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < i; ++k)
            CHECK(box[i].x + box[i].width <= box[k].x || box[k].x + box[k].width <= box[i].x ||
                  box[i].y + box[i].height <= box[k].y || box[k].y + box[k].height <= box[i].y);
    char expected[80];
    snprintf(expected, sizeof expected, "note: %d ", 2 * COUNT - count);
    CHECK(count == 2 * COUNT || report.count == 1);
    if (count < 2 * COUNT) CHECK_MESSAGE(&report.message[0], CARDAN_CODE_NAMES_OMITTED, expected);
    free(svg);
}

// The time is linear in the number of bodies, also for a long chain in reverse order.
static void test_long_chain(void)
{
    enum { COUNT = 50000 };
    cardan_body*  body  = calloc(COUNT, sizeof *body);
    cardan_joint* joint = calloc(COUNT, sizeof *joint);
    for (int i = 0; body && joint && i < COUNT; ++i) {
        body[i]              = make_body("b", 0.1 * i, 0, 0);
        joint[COUNT - 1 - i] = make_joint("j", "revolute", i - 1, i, 0.1 * i, 0, 0, about_y);
    }
    const cardan_description_view view = {
        .name = "chain", .nbody = COUNT, .njoint = COUNT, .body = body, .joint = joint};
    char* svg = draw(&view, 0, NULL, CD_VIEW_AUTO);
    CHECK(xml_count(svg, "<line") >= COUNT - 1);
    free(svg);
    free(body);
    free(joint);
}

int main(void)
{
    RUN(test_pendulum());
    RUN(test_symbol_angle());
    RUN(test_scale_bar());
    RUN(test_motion_to_pose());
    RUN(test_plane_of_motion());
    RUN(test_cameras());
    RUN(test_three_views());
    RUN(test_snapshots());
    RUN(test_inertia_box());
    RUN(test_depth());
    RUN(test_every_symbol());
    RUN(test_elements());
    RUN(test_extremes());
    RUN(test_labels_do_not_overlap());
    RUN(test_long_chain());
    RUN(test_sentences("test_draw"));
    return test_end();
}
