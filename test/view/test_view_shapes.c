// SPDX-License-Identifier: BSD-3-Clause
// Shapes of contacts in the scene message: kinds and sizes of the protocol, in the frame of the body.
#include "test.h"

#include "core/json.h"
#include "view/mechanism/shape_json.h"

static const cardan_pose turned = {{1, 2, 3}, {0.5, 0.5, 0.5, 0.5}}; // x to y, y to z, z to x

// Text of one shape without spaces and line ends.
static const char* json_of(cardan_shape_kind kind, double a, double b, double c)
{
    static char    plain[2000];
    cd_text        text      = {0};
    cd_json_writer json      = cd_json_writer_to(&text);
    cardan_shape   shape     = cardan_shape_default(0, kind);
    const double   height[4] = {0, 1, 2, 3}, point[9] = {0, 0, 0, 1, 0, 0, 0, 0, 1};
    const int      triangle[3] = {0, 1, 2};
    shape.pose                 = turned;
    shape.size[0]              = a;
    shape.size[1]              = b;
    shape.size[2]              = c;
    shape.material             = "rubber";
    shape.field                = (cardan_height_grid){.nx = 2, .ny = 2, .spacing = {2, 4}, .height = height};
    shape.npoint               = 3;
    shape.point                = point;
    shape.ntriangle            = 1;
    shape.triangle             = triangle;
    CHECK(cd_shape_has_json(&shape));
    cd_shape_json(&json, &shape);
    size_t n = 0;
    for (size_t i = 0; i < text.length && n + 1 < sizeof plain; ++i)
        if (text.data[i] != ' ' && text.data[i] != '\n') plain[n++] = text.data[i];
    plain[n] = '\0';
    cd_text_free(&text);
    return plain;
}

#define POSE "\"pose\":[1,2,3,0.5,0.5,0.5,0.5]"

static void test_kinds(void)
{
    CHECK_TEXT(json_of(CARDAN_SHAPE_CAPSULE, 4, 0.5, 0),
               "{\"kind\":\"capsule\",\"a\":[-1,2,3],\"b\":[3,2,3],\"radius\":0.5}");
    CHECK_TEXT(json_of(CARDAN_SHAPE_ROD, 4, 0.5, 0),
               "{\"kind\":\"cylinder\",\"a\":[-1,2,3],\"b\":[3,2,3],\"radius\":0.5}");
    CHECK_TEXT(json_of(CARDAN_SHAPE_BOX, 1, 2, 3), "{\"kind\":\"box\"," POSE ",\"size\":[1,2,3]}");
    CHECK_TEXT(json_of(CARDAN_SHAPE_PLANE, 5, 6, 0), "{\"kind\":\"plane\"," POSE ",\"size\":[5,6]}");
    CHECK_TEXT(json_of(CARDAN_SHAPE_ELLIPSOID, 1, 2, 3), "{\"kind\":\"ellipsoid\"," POSE ",\"radii\":[1,2,3]}");
    CHECK_TEXT(json_of(CARDAN_SHAPE_TORUS, 2, 0.5, 0), "{\"kind\":\"torus\"," POSE ",\"radius\":2,\"tube\":0.5}");
    CHECK_TEXT(json_of(CARDAN_SHAPE_MESH, 1, 1, 1),
               "{\"kind\":\"mesh\",\"vertices\":[1,2,3,1,3,3,2,2,3],\"triangles\":[0,1,2]}");
    // corners (-+1, -+2, z): x to y, y to z, z to x
    CHECK_TEXT(json_of(CARDAN_SHAPE_HEIGHT_FIELD, 0, 0, 0),
               "{\"kind\":\"mesh\",\"vertices\":[1,1,1,2,3,1,3,1,5,4,3,5],\"triangles\":[0,1,3,0,3,2]}");
}

static void test_pictures(void) // shapes that are only drawn remain primitives of pictures
{
    cardan_shape shape = cardan_shape_default(0, CARDAN_SHAPE_BOX);
    CHECK(!cd_shape_has_json(&shape));
    shape.kind = CARDAN_SHAPE_POINTS;
    CHECK(!cd_shape_has_json(&shape));
    shape.kind = CARDAN_SHAPE_SPHERE;
    CHECK(!cd_shape_has_json(&shape));
}

int main(void)
{
    RUN(test_kinds());
    RUN(test_pictures());
    return test_end();
}
