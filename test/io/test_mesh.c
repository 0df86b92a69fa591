// SPDX-License-Identifier: BSD-3-Clause
// Meshes: readers, triangulation of polygons, edges, volume integrals against closed forms; meshes of model files and of
// URDF files.
#include "test.h"

#include "core/parts.h"
#include "io/mesh/mesh.h"
#include "math/pi.h"

#include <cardan/io.h>

#include <stdlib.h>
#include <unistd.h>

#define DATA CARDAN_SOURCE "/test/data/mesh/"

static char folder[] = "/tmp/cardan_mesh_XXXXXX";

static const char* write_file(const char* name, const char* text)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "w");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
    return path;
}

static cd_mesh_integrals integrals_of(const cd_mesh* m)
{
    return cd_mesh_integrate(m->nvertex, m->vertex, m->ntriangle, m->triangle);
}

static void check_closed(const cd_mesh* m)
{
    cd_mesh_edges edges;
    CHECK(cd_mesh_count_edges(m->ntriangle, m->triangle, &edges) && edges.nopen == 0 && edges.nunoriented == 0);
}

static void test_tetrahedron(void) // V = 1/6, centre 1/4, Ixx = 2 V 3/80, Ixy = V/80
{
    static const char* const files[] = {DATA "tetrahedron.stl", CARDAN_SOURCE "/test/fuzz/corpus/stl/ascii.stl",
                                        CARDAN_SOURCE "/test/fuzz/corpus/obj/tetrahedron.obj"};
    for (int i = 0; i < 3; ++i) {
        cd_mesh m;
        char    reason[CD_MESH_REASON_SIZE];
        CHECK(cd_mesh_read(files[i], &m, reason) == CARDAN_OK);
        CHECK(m.nvertex == 4 && m.ntriangle == 4);
        check_closed(&m);
        const cd_mesh_integrals g = integrals_of(&m);
        CHECK_NEAR(g.volume, 1.0 / 6, 1e-15);
        for (int k = 0; k < 3; ++k) {
            CHECK_NEAR(g.centre[k], 0.25, 1e-15);
            CHECK_NEAR(g.inertia[k], g.volume * 3 / 40, 1e-15);
            CHECK_NEAR(g.inertia[3 + k], g.volume / 80, 1e-15);
        }
        cd_mesh_release(&m);
    }
}

static void test_bracket(void) // two boxes, 60 x 20 x 10 and 20 x 30 x 10, by the parallel-axis theorem
{
    cd_mesh m;
    char    reason[CD_MESH_REASON_SIZE];
    CHECK(cd_mesh_read(DATA "bracket.obj", &m, reason) == CARDAN_OK);
    CHECK(m.nvertex == 12 && m.ntriangle == 20);
    check_closed(&m);
    const double            V = 12000 + 6000, x = (12000 * 30. + 6000 * 10) / V, y = (12000 * 10. + 6000 * 35) / V;
    const cd_mesh_integrals g = integrals_of(&m);
    CHECK_NEAR(g.volume, V, 1e-14);
    CHECK_NEAR(g.centre[0], x, 1e-14);
    CHECK_NEAR(g.centre[1], y, 1e-14);
    CHECK_NEAR(g.centre[2], 5, 1e-14);
    CHECK_NEAR(g.inertia[2],
               12000. * (3600 + 400) / 12 + 6000. * (400 + 900) / 12 + 12000 * (pow(30 - x, 2) + pow(10 - y, 2)) +
                   6000 * (pow(10 - x, 2) + pow(35 - y, 2)),
               1e-13);
    CHECK_NEAR(g.inertia[3], -12000 * (30 - x) * (10 - y) - 6000 * (10 - x) * (35 - y), 1e-13);

    const double mirror[3] = {-2, 2, 2}; // a reflection keeps the outside; far away no digits are lost
    cd_mesh_scale(&m, mirror);
    for (int i = 0; i < m.nvertex; ++i) m.vertex[3 * i] += 1e6;
    const cd_mesh_integrals h = integrals_of(&m);
    CHECK_NEAR(h.volume, 8 * V, 1e-9);
    CHECK_NEAR(h.centre[0], 1e6 - 2 * x, 1e-14);
    CHECK_NEAR(h.inertia[2], 32 * g.inertia[2], 1e-9);
    CHECK_NEAR(h.inertia[3], -32 * g.inertia[3], 1e-9);
    cd_mesh_reverse(&m);
    CHECK(integrals_of(&m).volume < 0);
    cd_mesh_release(&m);
}

// Sphere of radius 1 with n bands of 2n sectors.
static void make_sphere(int n, cd_mesh* mesh)
{
    cd_mesh_builder b = {0};
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 2 * n; ++k) {
            int index[4];
            for (int c = 0; c < 4; ++c) {
                const int    row = i + c / 2, column = (k + (c == 1 || c == 2)) % (2 * n);
                const double u = CD_PI * row / n, v = CD_PI * column / n;
                const double s    = row == 0 || row == n ? 0 : sin(u);
                const double p[3] = {s * cos(v), s * sin(v), cos(u)};
                index[c]          = cd_mesh_add_vertex(&b, p);
            }
            cd_mesh_add_triangle(&b, index[0], index[3], index[2]);
            cd_mesh_add_triangle(&b, index[0], index[2], index[1]);
        }
    cd_mesh_builder_release(&b);
    *mesh = b.mesh;
}

static void test_sphere(void) // the error of volume and inertia decreases with the square of the edges
{
    double error[3][2];
    for (int i = 0; i < 3; ++i) {
        cd_mesh m;
        make_sphere(16 << i, &m);
        check_closed(&m);
        const cd_mesh_integrals g = integrals_of(&m);
        error[i][0]               = 1 - g.volume / (4 * CD_PI / 3);
        error[i][1]               = 1 - g.inertia[2] / (8 * CD_PI / 15);
        CHECK_NEAR(g.centre[0], 0, 1e-14);
        cd_mesh_release(&m);
    }
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 2; ++k) CHECK_NEAR(error[i][k] / error[i + 1][k], 4, 0.02);
}

static void test_bad_files(void)
{
    static const struct {
        const char *name, *text, *part;
    } cases[] = {
        {"a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x\n", "line 4"},
        {"b.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", "ends in line 5"},
        {"c.stl", "", "neither"},
        {"d.stl", "solid\nendsolid\n", "no triangle"},
        {"e.obj", "v 0 0 0\nf 1 2 3\n", "line 2"},
        {"f.obj", "v 0 0\n", "2 coordinates in line 1"},
        {"g.obj", "v 0 0 nan\n", "'nan' in line 1"},
        {"h.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", "2 vertices in line 3"},
        {"i.obj", "v 0 0 0\nf 1x 1 1\n", "'1x' in line 2"},
        {"j.obj", "v 0 0 0\nf -2 1 1\n", "vertex -2"},
        {"k.ply", "ply\n", ".stl, .obj or .dae"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        cd_mesh m;
        char    reason[CD_MESH_REASON_SIZE];
        CHECK(cd_mesh_read(write_file(cases[i].name, cases[i].text), &m, reason) == CARDAN_BAD_INPUT);
        CHECK(!m.vertex && !m.triangle);
        CHECK_HAS(reason, cases[i].part);
    }
}

static cardan_description* load(const char* name, const char* text, cardan_report* report)
{
    cardan_description* d = NULL;
    cardan_description_load(write_file(name, text), NULL, &d, report);
    return d;
}

#define MODEL(body) "cardan: 1\nbodies:\n  b: " body "\njoints: {j: {free: [ground, b]}}\n"

static void test_model(void) // steel bracket in a frame, with the key `mesh`; saved and read again
{
    cardan_report       report = {0};
    cardan_description* d =
        load("m.yaml", MODEL("{mesh: " DATA "bracket.obj, scale: 0.001, density: 8000, at: [1, 2, 3]}"), &report);
    CHECK(d != NULL);
    if (!d) return;
    const cardan_description_view v = cardan_description_get_view(d);
    CHECK_NEAR(v.body[0].mass, 8000 * 18e-6, 1e-14);
    CHECK_NEAR(v.body[0].centre[0], 0.42 / 18, 1e-14);
    CHECK(v.nshape == 1 && v.shape[0].kind == CARDAN_SHAPE_MESH && v.shape[0].ntriangle == 20);
    CHECK_NEAR(v.shape[0].point[3], 0.06, 1e-15);
    char* text = cardan_description_save_text(d);
    CHECK(text != NULL);
    cardan_description* e     = text ? load("saved.yaml", text, &report) : NULL;
    char*               again = e ? cardan_description_save_text(e) : NULL;
    CHECK(text && again && strcmp(text, again) == 0);
    free(again);
    free(text);
    cardan_description_destroy(e);
    cardan_description_destroy(d);
}

static void test_model_without_frame(void) // the body frame is at the mass centre, the mesh where it was
{
    cardan_report       report = {0};
    cardan_description* d      = load("c.yaml",
                                      MODEL("{mesh: " DATA "bracket.obj, scale: 0.001, mass: 1, "
                                                 "orientation: {axis: z, angle: =pi/2}}"),
                                      &report);
    CHECK(d != NULL);
    if (!d) return;
    const cardan_description_view v = cardan_description_get_view(d);
    CHECK_NEAR(v.body[0].pose.p[0], 0.42 / 18, 1e-14);
    CHECK_NEAR(v.body[0].centre[0], 0, 1e-14);
    cd_mesh m;
    char    reason[CD_MESH_REASON_SIZE];
    CHECK(cd_mesh_read(DATA "bracket.obj", &m, reason) == CARDAN_OK);
    const cd_mesh_integrals g = integrals_of(&m);
    CHECK_NEAR(v.body[0].inertia[0], g.inertia[1] / g.volume * 1e-6, 1e-12); // the x axis of the body is y of the world
    CHECK_NEAR(v.body[0].inertia[3], -g.inertia[3] / g.volume * 1e-6, 1e-12);
    CHECK_NEAR(v.shape[0].pose.p[1], 0.42 / 18, 1e-12);
    cd_mesh_release(&m);
    cardan_description_destroy(d);
}

static void test_model_errors(void)
{
    static const struct {
        const char *body, *part;
    } cases[] = {
        {MODEL("{mesh: " DATA "open.stl, mass: 1}"), "3 open edges"},
        {MODEL("{mesh: none.stl, mass: 1}"), "none.stl"},
        {MODEL("{mesh: " DATA "bracket.obj, mass: 1, centre: [0, 0, 0]}"), "'mesh'"},
        {MODEL("{mesh: " DATA "bracket.obj, mass: 1, scale: 0}"), "'scale'"},
        {MODEL("{mass: 1, shape: {mesh: none.stl}}"), "none.stl"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        cardan_report       report = {0};
        cardan_description* d      = load("e.yaml", cases[i].body, &report);
        CHECK(!d && report.count == 1);
        if (report.count > 0) CHECK_HAS(report.message[0].text, cases[i].part);
        cardan_description_destroy(d);
    }
}

static void test_shape_and_mirror(void)
{
    cardan_report       report = {0};
    cardan_description* d =
        load("t.yaml",
             "cardan: 1\ntemplates:\n  part:\n    bodies: {b: {mass: 1, at: [1, 2, 3], shape: {mesh: " DATA
             "bracket.obj, scale: [1, 2, 3], at: [0, 1, 0]}}}\n    joints: {j: {free: [ground, b]}}\n"
             "use: {L: {part: {}}, R: {part: {}, mirror: y}}\n",
             &report);
    CHECK(d != NULL);
    if (!d) return;
    const cardan_description_view v = cardan_description_get_view(d);
    CHECK(v.nshape == 2);
    for (int s = 0; s < v.nshape; ++s) {
        const cardan_shape* m = &v.shape[s];
        CHECK_NEAR(m->size[1], s ? -2 : 2, 0);
        CHECK_NEAR(m->pose.p[1], s ? -1 : 1, 0);
        CHECK_NEAR(m->point[3 * 2 + 1], s ? -40 : 40, 0);
        CHECK(cd_mesh_integrate(m->npoint, m->point, m->ntriangle, m->triangle).volume > 0);
    }
    cardan_description_destroy(d);
}

#define ROBOT(mesh)                                                                                                    \
    "<robot name='r'><link name='a'><visual><origin xyz='0 0 1'/><geometry><mesh filename='" mesh                      \
    "' scale='2 2 -2'/></geometry></visual></link></robot>\n"

static void test_urdf(void)
{
    if (cd_part_missing("libxml2")) return;
    write_file("part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    char        package[400];
    const char* name = strrchr(folder, '/') + 1;
    snprintf(package, sizeof package,
             "<robot name='r'><link name='a'><visual><geometry><mesh filename='package://%s/part.obj' scale='2 2 -2'/>"
             "</geometry></visual></link></robot>\n",
             name);
    const char* const texts[] = {ROBOT("part.obj"), package};
    for (int i = 0; i < 2; ++i) {
        cardan_report       report = {0};
        cardan_description* d      = load("r.urdf", texts[i], &report);
        CHECK(d && report.count == 0);
        const cardan_description_view v = cardan_description_get_view(d);
        CHECK(v.nshape == 1 && v.shape[0].kind == CARDAN_SHAPE_MESH && v.shape[0].ntriangle == 4);
        if (v.nshape == 1)
            CHECK_NEAR(cd_mesh_integrate(4, v.shape[0].point, 4, v.shape[0].triangle).volume, 8.0 / 6, 1e-15);
        cardan_description_destroy(d);
    }
    cardan_report       report = {0};
    cardan_description* d      = load("w.urdf", ROBOT("package://none/part.obj"), &report);
    CHECK(d && report.count == 1 && report.message[0].severity == CARDAN_WARNING);
    if (report.count == 1) CHECK_HAS(report.message[0].text, "package://none/part.obj");
    cardan_description_destroy(d);
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    RUN(test_tetrahedron());
    RUN(test_bracket());
    RUN(test_sphere());
    RUN(test_bad_files());
    RUN(test_model());
    RUN(test_model_without_frame());
    RUN(test_model_errors());
    RUN(test_shape_and_mirror());
    RUN(test_urdf());
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return test_end() || system(command) != 0;
}
