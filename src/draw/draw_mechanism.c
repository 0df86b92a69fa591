// SPDX-License-Identifier: BSD-3-Clause
// Page with pictures: create the scenes, lay out the rectangles, find a common scale, draw.
#include "draw/draw_mechanism.h"

#include "core/number_locale.h"
#include "core/memory.h"
#include "draw/picture.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

typedef struct page {
    const cardan_description_view* view;
    const cd_draw_options*         options;
    int                            nscene;
    cd_scene*                      scene;  // (nscene) oldest first
    cd_colour*                     colour; // (nbody)
    cd_text*                       svg;
    bool*                          named; // labels of the newest scene that were placed
} page;

cd_draw_options cd_draw_options_default(void)
{
    return (cd_draw_options){
        .width = 800, .height = 600, .fits_page = true, .body_names = true, .joint_names = true, .annotations = true};
}

typedef struct extent {
    double left, right, low, high;
} extent;

static void extend(extent* e, cd_xy q, double radius)
{
    e->left  = fmin(e->left, q.x - radius);
    e->right = fmax(e->right, q.x + radius);
    e->low   = fmin(e->low, q.y - radius);
    e->high  = fmax(e->high, q.y + radius);
}

static bool has_two_ends(cd_primitive_kind kind)
{
    return kind == CD_PRIMITIVE_BAR || kind == CD_PRIMITIVE_RAIL || kind == CD_PRIMITIVE_OFFSET_LINE ||
           kind == CD_PRIMITIVE_SPRING || kind == CD_PRIMITIVE_DAMPER;
}

// Extent of all scenes in the picture plane [m].
static extent extent_of(const page* g, const cd_camera* camera)
{
    extent e = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (int s = 0; s < g->nscene; ++s) {
        const cd_scene* scene = &g->scene[s];
        for (int i = 0; i < scene->npoint; ++i) extend(&e, cd_camera_project(camera, scene->point[i]), 0);
        for (int i = 0; i < scene->nprimitive; ++i) {
            const cd_primitive* m = &scene->primitive[i];
            if (m->kind != CD_PRIMITIVE_FACE) extend(&e, cd_camera_project(camera, m->a), m->radius);
            if (has_two_ends(m->kind)) extend(&e, cd_camera_project(camera, m->b), m->radius);
        }
    }
    if (!(e.left <= e.right)) e = (extent){0, 0, 0, 0};
    return e;
}

static int by_value(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// Radius of joint symbols [px]: 0.16 of the median bar length on the page, between 1.2 and 6.
static double symbol_radius(const page* g, double scale)
{
    const cd_scene* scene  = &g->scene[g->nscene - 1];
    double*         length = cd_allocate((size_t)scene->nprimitive + 1, sizeof *length);
    int             count  = 0;
    if (!length) g->svg->failed = true;
    for (int i = 0; length && i < scene->nprimitive; ++i)
        if (scene->primitive[i].kind == CD_PRIMITIVE_BAR)
            length[count++] = scale * xyz_distance(scene->primitive[i].a, scene->primitive[i].b);
    double unit = 6;
    if (count > 0) {
        qsort(length, (size_t)count, sizeof *length, by_value);
        unit = fmin(6, fmax(1.2, 0.16 * length[count / 2]));
    }
    free(length);
    return unit;
}

enum { VIEW_TITLE = 22 }; // [px] height of the title of a view

static void draw_picture(const page* g, const cd_picture* p, bool four)
{
    const bool has_title = four || g->options->view_choice != CD_VIEW_AUTO;
    for (int i = 0; i < g->nscene; ++i) {
        const bool   last    = i == g->nscene - 1;
        const double opacity = last ? 1 : 0.12 + 0.4 * i / (g->nscene - 1);
        if (!last) cd_text_format(g->svg, "<g opacity=\"%.2f\">\n", opacity);
        cd_draw_scene(p, &g->scene[i], !last);
        if (!last) cd_text_add(g->svg, "</g>\n");
    }
    if (g->options->body_names || g->options->joint_names) {
        const cd_label_options label_options = {g->options->body_names, g->options->joint_names, four,
                                                g->options->annotations ? 62 : 0};
        cd_picture             below_title   = *p;
        if (has_title) below_title.rectangle.y += VIEW_TITLE, below_title.rectangle.height -= VIEW_TITLE;
        cd_draw_labels(&below_title, &g->scene[g->nscene - 1], label_options, g->named);
    }
    if (has_title)
        cd_svg_text(g->svg, p->rectangle.x + 10, p->rectangle.y + 18,
                    (cd_font){.size = 12, .colour = CD_COLOUR_SECONDARY}, p->camera->title);
    if (g->options->annotations) cd_draw_annotations(p);
}

// Title and subtitle: width on the page [px], 0 if there is none.
static double title_width(const page* g)
{
    const char* title = g->options->title ? g->options->title : g->view->name;
    return (title ? 1.12 * cd_svg_text_width(title, 15) : 0) +
           (g->options->subtitle ? 14 + cd_svg_text_width(g->options->subtitle, 12) : 0);
}

static void draw_title(const page* g)
{
    const char*  title = g->options->title ? g->options->title : g->view->name;
    const double width = title ? 1.12 * cd_svg_text_width(title, 15) : 0;
    if (title && *title)
        cd_svg_text(g->svg, 14, 24, (cd_font){.size = 15, .colour = CD_COLOUR_TEXT, .bold = true}, title);
    if (g->options->subtitle)
        cd_svg_text(g->svg, 14 + width + (title && *title ? 14 : 0), 24,
                    (cd_font){.size = 12, .colour = CD_COLOUR_SECONDARY}, g->options->subtitle);
}

enum { COLUMNS_MAX = 2, ROWS_MAX = 2 };

// Layout of the page: a table of pictures with a common scale; widths of columns and heights of rows follow from the
// extents of the pictures, so that the mechanism fills the page.
typedef struct page_layout {
    int    ncolumn, nrow;
    double top;                                // [px] height of the title
    double margin, below;                      // [px] around the mechanism; strip of the annotations below it
    double scale;                              // [px/m]
    double width, height;                      // [px] page
    double column[COLUMNS_MAX], row[ROWS_MAX]; // [px] widths and heights
    extent covered[COLUMNS_MAX * ROWS_MAX];    // [m] of each picture
} page_layout;

// Distribute the room that the mechanism leaves equally; without room (fits_page) only the least width of each.
static double distribute(int count, const double* content, double scale, double border, double least, double total,
                         bool fits, double* size)
{
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += size[i] = fmax(scale * content[i] + border, least);
    if (fits && sum < total) return sum;
    for (int i = 0; i < count; ++i) size[i] += (total - sum) / count;
    return total;
}

static page_layout lay_out(const page* g, int ncamera, const cd_camera* camera)
{
    const bool  four                = ncamera == 4;
    page_layout l                   = {.ncolumn = four ? 2 : 1,
                                       .nrow    = four ? 2 : 1,
                                       .top     = title_width(g) > 0 ? 30 : 0,
                                       .margin  = four ? 34 : 56,
                                       .below   = g->options->annotations ? (four ? 60 : 34) : 0,
                                       .scale   = INFINITY};
    double      across[COLUMNS_MAX] = {0}, high[ROWS_MAX] = {0}, wide = 0, tall = 0;
    for (int i = 0; i < ncamera; ++i) {
        const extent e = l.covered[i] = extent_of(g, &camera[i]);
        across[i % l.ncolumn]         = fmax(across[i % l.ncolumn], e.right - e.left);
        high[i / l.ncolumn]           = fmax(high[i / l.ncolumn], e.high - e.low);
    }
    for (int i = 0; i < l.ncolumn; ++i) wide += across[i];
    for (int i = 0; i < l.nrow; ++i) tall += high[i];
    const double border = 2 * l.margin, strip = border + l.below, room = g->options->height - l.top;
    l.scale = fmin((g->options->width - l.ncolumn * border) / fmax(wide, DBL_MIN),
                   (room - l.nrow * strip) / fmax(tall, DBL_MIN));
    if (!(l.scale < 1e12)) l.scale = 200; // mechanism without extent
    const double least = g->options->annotations ? 280 : 0;
    l.width            = distribute(l.ncolumn, across, l.scale, border, fmin(least, g->options->width / l.ncolumn),
                                    g->options->width, g->options->fits_page, l.column);
    l.height           = l.top + distribute(l.nrow, high, l.scale, strip, 0, room, g->options->fits_page, l.row);
    if (g->options->fits_page && l.width < title_width(g) + 28) {
        const double more = fmin(title_width(g) + 28, g->options->width) - l.width;
        for (int i = 0; i < l.ncolumn; ++i) l.column[i] += more / l.ncolumn;
        l.width += more;
    }
    return l;
}

static void draw_page(page* g, int ncamera, const cd_camera* camera, const page_layout* l)
{
    const bool   four = ncamera == 4;
    const double unit = symbol_radius(g, l->scale);
    draw_title(g);
    for (int i = 0; i < ncamera; ++i) {
        const int               c = i % l->ncolumn, r = i / l->ncolumn;
        const extent*           e   = &l->covered[i];
        const cd_page_rectangle box = {c ? l->column[0] : 0, l->top + (r ? l->row[0] : 0), l->column[c], l->row[r]};
        cd_picture p    = {.svg = g->svg, .view = g->view, .camera = &camera[i], .rectangle = box, .colour = g->colour};
        p.scale         = l->scale;
        p.symbol_radius = unit;
        p.origin.x      = box.x + box.width / 2 - l->scale * (e->left + e->right) / 2;
        p.origin.y      = box.y + (box.height - l->below) / 2 + l->scale * (e->low + e->high) / 2;
        draw_picture(g, &p, four);
    }
    if (!four) return;
    cd_svg_line(g->svg, l->column[0], l->top + 8, l->column[0], l->height - 8, CD_COLOUR_GRID, 1);
    cd_svg_line(g->svg, 8, l->top + l->row[0], l->width - 8, l->top + l->row[0], CD_COLOUR_GRID, 1);
}

static bool finite_poses(const cardan_description_view* view, const cardan_pose* pose)
{
    for (int i = 0; pose && i < view->nbody; ++i)
        if (!xyz_finite(xyz_of(pose[i].p)) || !isfinite(pose[i].q[0] + pose[i].q[1] + pose[i].q[2] + pose[i].q[3]))
            return false;
    return true;
}

static cardan_status make_scenes(page* g, int nsnapshot, const cardan_pose* const* pose, const cardan_pose** newest,
                                 cardan_report* report)
{
    int skipped = 0;
    for (int i = 0; i < (nsnapshot ? nsnapshot : 1); ++i) {
        const cardan_pose* at = nsnapshot ? pose[i] : NULL;
        if (!finite_poses(g->view, at)) {
            ++skipped;
            continue;
        }
        *newest                    = at;
        const cardan_status status = cd_scene_create(g->view, at, &g->scene[g->nscene++], report);
        if (status != CARDAN_OK) return status;
    }
    if (g->nscene == 0)
        return cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_NOT_FINITE, cardan_location_none(),
                           "no snapshot of '%s' is finite: there is nothing to draw", g->view->name);
    if (skipped)
        cardan_warn(report, CARDAN_CODE_NOT_FINITE, cardan_location_none(),
                    "%d of %d snapshots are not finite and are omitted from the picture", skipped, nsnapshot);
    return CARDAN_OK;
}

// Cameras; the plane of motion depends on poses, those of the design configuration if none are given.
static int find_cameras(const page* g, const cardan_pose* newest, cd_camera camera[4])
{
    cardan_pose* design = newest ? NULL : cd_allocate((size_t)g->view->nbody, sizeof *design);
    if (!newest && !design) return 0; // memory is exhausted
    for (int i = 0; design && i < g->view->nbody; ++i) design[i] = g->view->body[i].pose;
    const int count = cd_cameras_create(g->view, newest ? newest : design, g->options->view_choice, camera);
    free(design);
    return count;
}

static void note_unlabelled(const page* g, cardan_report* report)
{
    const cd_scene* newest = &g->scene[g->nscene - 1];
    int             count  = 0;
    for (int i = 0; i < newest->nlabel; ++i)
        count += !g->named[i] && (newest->label[i].body >= 0 ? g->options->body_names : g->options->joint_names);
    if (count)
        cardan_note(report, CARDAN_CODE_NAMES_OMITTED, cardan_location_none(),
                    "%d name%s omitted because the picture has no room", count, count == 1 ? "" : "s");
}

cardan_status cd_draw_mechanism_svg(const cardan_description_view* view, int nsnapshot, const cardan_pose* const* pose,
                                    const cd_draw_options* options, cd_text* svg, cardan_report* report)
{
    cd_camera          camera[4];
    const cardan_pose* newest = NULL;
    page               g      = {.view = view, .options = options, .svg = svg};
    g.scene                   = cd_allocate((size_t)nsnapshot + 1, sizeof *g.scene);
    g.colour                  = cd_allocate((size_t)view->nbody, sizeof *g.colour);
    cardan_status status      = g.scene && g.colour && cd_body_colours(view, g.colour) ? CARDAN_OK : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = make_scenes(&g, nsnapshot, pose, &newest, report);
    if (status == CARDAN_OK && !(g.named = cd_allocate((size_t)g.scene[g.nscene - 1].nlabel, sizeof *g.named)))
        status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        const locale_t before  = cd_locale_enter();
        const int      ncamera = find_cameras(&g, newest, camera);
        if (ncamera == 0) svg->failed = true;
        const page_layout layout = lay_out(&g, ncamera, camera);
        cd_svg_begin(svg, layout.width, layout.height, options->title ? options->title : view->name);
        if (ncamera > 0) draw_page(&g, ncamera, camera, &layout);
        cd_svg_end(svg);
        cd_locale_leave(before);
        if (!svg->failed) note_unlabelled(&g, report);
    }
    if (status == CARDAN_NO_MEMORY || svg->failed)
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                             "out of memory while drawing '%s'", view->name);
    for (int i = 0; i < g.nscene; ++i) cd_scene_destroy(&g.scene[i]);
    free(g.scene);
    free(g.colour);
    free(g.named);
    return status;
}
