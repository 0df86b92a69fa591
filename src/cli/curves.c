// SPDX-License-Identifier: BSD-3-Clause
// Results read back from their files and plotted.
#include "cli/curves.h"

#include "cli/files.h"
#include "cli/messages.h"
#include "core/memory.h"
#include "draw/plot_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// "results/four-bar.csv" -> "four-bar"; the caller frees.
static char* run_name(const char* path)
{
    const char*  slash = strrchr(path, '/');
    const char*  name  = slash ? slash + 1 : path;
    const char*  dot   = strrchr(name, '.');
    const size_t n     = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    return strndup(name, n);
}

// The words of a comma-separated list; `copy` owns them. Returns how many.
static int split(char* copy, const char** word)
{
    int n = 0;
    for (char* w; (w = strsep(&copy, ","));) {
        w += strspn(w, " ");
        for (size_t k = strlen(w); k > 0 && w[k - 1] == ' ';) w[--k] = 0;
        if (*w) word[n++] = w;
    }
    return n;
}

static cardan_status read_runs(int nrun, const char* const* csv, cd_plot_run* run, cardan_report* report)
{
    for (int i = 0; i < nrun; ++i) {
        cd_result_table*    table  = NULL;
        const cardan_status status = cd_results_read(csv[i], &table, report);
        run[i]                     = (cd_plot_run){.name = run_name(csv[i]), .table = table};
        if (status != CARDAN_OK) return status;
        if (!run[i].name) return CARDAN_NO_MEMORY;
    }
    return CARDAN_OK;
}

static cardan_status plot(const cd_options* options, int nrun, const cd_plot_run* run, cd_plot_wish wish, bool chosen, cd_text* svg,
                          cardan_report* report)
{
    const char*  list = chosen && options->columns ? options->columns : "";
    char*        copy = cd_copy_string(list);
    const char** word = cd_allocate(strlen(list) / 2 + 2, sizeof *word);
    cardan_status status = CARDAN_NO_MEMORY;
    if (copy && word) {
        wish.npattern = split(copy, word);
        wish.pattern  = word;
        status        = cd_plot_results(nrun, run, &wish, svg, report);
    }
    free(copy);
    free(word);
    return status;
}

int cd_write_curves(const cd_options* options, int nrun, const char* const* csv, const char* title, const char* subtitle,
                    const char* path, bool force)
{
    // only `plot` chooses columns of the picture; those of `run` were chosen for the file
    const bool    plots  = !title;
    cardan_report report = {0};
    cd_text       svg    = {0};
    cd_plot_run*  run    = cd_allocate((size_t)nrun, sizeof *run);
    cd_plot_wish  wish   = {.x        = options->abscissa,
                            .x_log    = options->logarithmic_x,
                            .y_log    = options->logarithmic,
                            .title    = plots ? options->title : title,
                            .subtitle = subtitle,
                            .width    = isnan(options->width) ? 0 : options->width,
                            .height   = isnan(options->height) ? 0 : options->height};
    cardan_status status = run ? read_runs(nrun, csv, run, &report) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = plot(options, nrun, run, wish, plots, &svg, &report);
    for (int i = 0; run && i < nrun; ++i) {
        free((char*)run[i].name);
        cd_results_destroy((cd_result_table*)run[i].table);
    }
    free(run);
    if (status != CARDAN_OK) {
        cd_text_free(&svg);
        return cd_say_failure(&report, status);
    }
    if (plots && !options->quiet) cd_say_report(&report);
    return cd_write_text(path, &svg, force);
}
