// SPDX-License-Identifier: BSD-3-Clause
// Pages of pictures: size of the page, bodies that hide others, supports at ground.
#include "draw/draw_mechanism.h"

#include "draw/picture.h"
#include "drawing.h"

// Draw on a page that fits; returns the SVG and its size.
static char* draw_fitting(const cardan_description_view* view, cd_view_choice view_choice, double size[2])
{
    static const char* const page[]  = {" width=\"", " height=\""};
    cd_text                  svg     = {0};
    cd_draw_options          options = cd_draw_options_default();
    options.view_choice              = view_choice;
    CHECK(cd_draw_mechanism_svg(view, 0, NULL, &options, &svg, &report) == CARDAN_OK);
    char* text = cd_text_detach(&svg);
    CHECK(element_numbers(text, "<svg", 0, page, 2, size));
    CHECK_TEXT(xml_problem(text), "");
    return text;
}

// A mechanism fills the page: a long horizontal rod gives a low page, a vertical one a narrow page; so does a page with
// three views. A page of given size is kept.
static void test_page_fits(void)
{
    const cardan_joint      joint = make_joint("hinge", "revolute", CARDAN_GROUND, 0, 0, 0, 0, about_y);
    cardan_body             body  = make_body("bob", 2, 0, 0);
    cardan_description_view view  = {
         .name = "rod", .gravity = {0, 0, -9.81}, .nbody = 1, .njoint = 1, .body = &body, .joint = &joint};
    double size[2], rod[4];
    char*  svg = draw_fitting(&view, CD_VIEW_AUTO, size);
    CHECK(size[0] == 800);
    CHECK_NEAR(size[1], 30 + 2 * 56 + 34, 1e-9);
    CHECK(element_numbers(svg, "<line", 0, line_ends, 4, rod));
    CHECK_NEAR(fabs(rod[2] - rod[0]), 800 - 2 * 56, 0.02);
    free(svg);
    body = make_body("bob", 0, 0, -2);
    svg  = draw_fitting(&view, CD_VIEW_AUTO, size);
    CHECK(size[0] == 280 && size[1] == 600);
    free(svg);
    svg = draw_fitting(&view, CD_VIEW_THREE, size); // extents in the rows: 0 (top) and 2 (front)
    CHECK(element_numbers(svg, "<line", 0, line_ends, 4, rod));
    CHECK(size[1] == 600 && size[0] < 800);
    free(svg);
    svg = draw(&view, 0, NULL, CD_VIEW_AUTO);
    CHECK(element_numbers(svg, "<svg", 0, (const char* const[]){" width=\"", " height=\""}, 2, size));
    CHECK(size[0] == 800 && size[1] == 600);
    free(svg);
}

// A sphere inside a box is visible: the box is transparent. A sphere next to it or in front of it leaves it opaque.
static void test_hiding_body_is_transparent(void)
{
    const cardan_body body[2]          = {make_body("box", 0, 0, 0), make_body("ball", 0, 0, 0)};
    cardan_shape      shape[2]         = {{.kind = CARDAN_SHAPE_BOX, .body = 0, .pose = identity, .size = {2, 2, 2}},
                                          {.kind = CARDAN_SHAPE_SPHERE, .body = 1, .pose = identity, .size = {0.2}}};
    const cardan_description_view view = {.name = "box", .nbody = 2, .body = body, .nshape = 2, .shape = shape};
    static const struct {
        double y;
        bool   hidden;
    } place[] = {{0, true}, {3, true}, {-3, false}}; // inside, behind and in front, seen from the front (along +y)
    for (int i = 0; i < 3; ++i) {
        shape[1].pose.p[1] = place[i].y;
        char* svg          = draw(&view, 0, NULL, CD_VIEW_FRONT);
        CHECK((strstr(svg, "opacity=\"0.5\"") != NULL) == place[i].hidden);
        free(svg);
    }
    shape[1].pose.p[0] = 4; // next to it
    char* svg          = draw(&view, 0, NULL, CD_VIEW_FRONT);
    CHECK(strstr(svg, "opacity=\"0.5\"") == NULL);
    free(svg);
}

// Every attachment to ground has a support: joints, ends of springs and rods, locks.
static void test_supports(void)
{
    const cardan_body             body          = make_body("b", 0, 0, 0);
    const cardan_joint            joint         = make_joint("j", "revolute", CARDAN_GROUND, 0, 0, 0, 0, about_y);
    const cardan_marker           marker        = {.name = "m", .body = 0, .pose = identity};
    const cardan_force            spring        = {.type = "spring", .marker = {0, CARDAN_NONE}, .stiffness = {1}};
    const cardan_constraint       constraint[2] = {{.name = "rod", .type = "distance", .marker = {CARDAN_NONE, 0}},
                                                   {.name = "lock", .type = "lock", .marker = {0, CARDAN_NONE}}};
    const cardan_description_view view          = {.name        = "supports",
                                                   .nbody       = 1,
                                                   .body        = &body,
                                                   .njoint      = 1,
                                                   .joint       = &joint,
                                                   .nmarker     = 1,
                                                   .marker      = &marker,
                                                   .nforce      = 1,
                                                   .force       = &spring,
                                                   .nconstraint = 2,
                                                   .constraint  = constraint};
    cd_scene                      scene;
    int                           count = 0;
    CHECK(cd_scene_create(&view, NULL, &scene, NULL) == CARDAN_OK);
    for (int i = 0; i < scene.nprimitive; ++i) count += scene.primitive[i].kind == CD_PRIMITIVE_SUPPORT;
    CHECK(count == 4);
    cd_scene_destroy(&scene);
}

int main(void)
{
    RUN(test_page_fits());
    RUN(test_hiding_body_is_transparent());
    RUN(test_supports());
    return test_end();
}
