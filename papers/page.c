// SPDX-License-Identifier: BSD-3-Clause
#include "page.h"

FILE* page_create(const char* folder, const char* name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* f = fopen(path, "w");
    if (!f) fprintf(stderr, "cannot write %s\n", path);
    return f;
}

bool page_draw(const char* folder, const char* name, cd_text* svg)
{
    FILE* f    = svg->failed ? NULL : page_create(folder, name);
    bool  good = f && fwrite(svg->data, 1, svg->length, f) == svg->length;
    if (f) good = fclose(f) == 0 && good;
    if (f && !good) fprintf(stderr, "%s/%s is incomplete\n", folder, name);
    cd_text_free(svg);
    return good;
}

bool page_plot(const char* folder, const char* name, const cd_plot* plot)
{
    cd_text       svg    = {0};
    cardan_report report = {0};
    if (cd_plot_svg(plot, &svg, &report)) {
        fprintf(stderr, "%s: %s\n", name, report.count > 0 ? report.message[report.count - 1].text : "failed");
        cd_text_free(&svg);
        return false;
    }
    return page_draw(folder, name, &svg);
}
