// SPDX-License-Identifier: BSD-3-Clause
// Small multiples: one panel per cell with title and legend; the label of the horizontal axis is below the lowest
// panels only; missing values and constant values.
#include "draw/plot/plot_grid.h"
#include "test.h"
#include "xml_check.h"

#include <stdlib.h>

static const double x[5] = {-2, -1, 0, 1, 2}, ascending[5] = {0, 1, 2, 3, 4}, missing[5] = {1, NAN, 3, NAN, 5},
                    constant[5] = {7, 7, 7, 7, 7};

static char* draw(int npanel, int columns)
{
    static const double* const value[] = {ascending, missing, constant};
    cd_curve                   curve[8];
    cd_panel                   panel[8];
    const cd_plot_key          key    = {"FL & co", 0, 0};
    cd_text                    svg    = {0};
    cardan_report              report = {0};
    for (int i = 0; i < npanel; ++i) {
        curve[i] = (cd_curve){.count = 5, .x = x, .y = value[i % 3], .colour = i};
        panel[i] = (cd_panel){.name = "camber", .unit = "deg", .ncurve = 1, .curve = &curve[i]};
    }
    const cd_plot plot = {.title  = "axle <front>",
                          .x_name = "travel",
                          .x_unit = "mm",
                          .npanel = npanel,
                          .panel  = panel,
                          .nkey   = 1,
                          .key    = &key};
    CHECK(cd_plot_small_multiples(&plot, columns, &svg, &report) == CARDAN_OK);
    return cd_text_detach(&svg);
}

static void test_cells(void)
{
    char* svg = draw(7, 3);
    CHECK_TEXT(xml_problem(svg), "");
    CHECK(xml_count(svg, ">camber [deg]<") == 7);
    CHECK(xml_count(svg, ">travel [mm]<") == 3); // one below each column
    CHECK(xml_count(svg, "FL &amp; co") == 1);
    CHECK(xml_count(svg, "axle &lt;front&gt;") >= 1);
    free(svg);
    svg = draw(2, 4);
    CHECK_TEXT(xml_problem(svg), "");
    CHECK(xml_count(svg, ">travel [mm]<") == 2);
    free(svg);
}

static void test_no_panels(void)
{
    cd_text       svg    = {0};
    cardan_report report = {0};
    CHECK(cd_plot_small_multiples(&(cd_plot){0}, 3, &svg, &report) == CARDAN_BAD_USAGE);
    CHECK(report.errors == 1);
    cd_text_free(&svg);
}

int main(void)
{
    RUN(test_cells());
    RUN(test_no_panels());
    return test_end();
}
