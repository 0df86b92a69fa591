// SPDX-License-Identifier: BSD-3-Clause
// Plots of result files, and decimated plot data of a running simulation.
#include "cli/report/result_curves.h"

#include "cli/support/output_files.h"
#include "cli/support/messages.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

// Split a comma-separated list in place. Returns the number of words.
static int split_list(char* copy, const char** word)
{
    int n = 0;
    for (char* w; (w = strsep(&copy, ","));) {
        w += strspn(w, " ");
        for (size_t k = strlen(w); k > 0 && w[k - 1] == ' ';) w[--k] = 0;
        if (*w) word[n++] = w;
    }
    return n;
}

int cd_write_curves_svg(const cd_options* options, int nrun, const cd_plot_run* run, cd_plot_options plot_options,
                        const char* path, bool force)
{
    cardan_report report = {0};
    cd_text       svg    = {0};
    const char*   list   = plot_options.npattern < 0 && options->columns ? options->columns : "";
    char*         copy   = cd_copy_string(list);
    const char**  word   = cd_allocate(strlen(list) / 2 + 2, sizeof *word);
    cardan_status status = CARDAN_NO_MEMORY;
    const bool    notes  = plot_options.npattern < 0;
    if (copy && word) {
        plot_options.npattern = split_list(copy, word);
        plot_options.pattern  = word;
        status                = cd_plot_results(nrun, run, &plot_options, &svg, &report);
    }
    free(copy);
    free(word);
    if (status != CARDAN_OK) {
        cd_text_free(&svg);
        const int code = cd_report_failure(&report, status);
        return status == CARDAN_BAD_INPUT && (*list || plot_options.x) ? CD_EXIT_USAGE : code; // unknown columns
    }
    if (notes && !options->quiet) cd_print_report(&report);
    return cd_write_text(path, &svg, force);
}

enum { SAMPLES_MAX = 40000 };

struct cd_plot_data {
    cd_result_table table;
    int*            source_column;     // (ncolumn) column of the results
    int             nomitted;          // columns that are not plotted
    long            stride, countdown; // every stride-th sample is stored; samples until the next
};

// Columns selected so far, by unit.
typedef struct column_selection {
    const char* unit[CD_PLOT_PANELS_MAX];
    int         used[CD_PLOT_PANELS_MAX], nunit, count;
    int*        from;
} column_selection;

static void select_column(column_selection* c, const cd_column* head, int i)
{
    const char* u = head[i].unit ? head[i].unit : "";
    int         k = 0;
    while (k < c->nunit && strcmp(c->unit[k], u) != 0) ++k;
    if (k == CD_PLOT_PANELS_MAX) return;
    if (k == c->nunit) c->unit[c->nunit++] = u;
    if (c->used[k] == CD_PLOT_CURVES_MAX) return;
    ++c->used[k];
    c->from[c->count++] = i;
}

// Select the columns of a default plot: t, then up to CD_PLOT_CURVES_MAX of each of the first CD_PLOT_PANELS_MAX units;
// columns of `first` before the others.
static int select_columns(int ncolumn, const cd_column* head, const bool* first, int* from)
{
    column_selection c = {.from = from, .count = 1};
    from[0]            = 0;
    for (int i = 1; first && i < ncolumn; ++i)
        if (first[i]) select_column(&c, head, i);
    for (int i = 1; i < ncolumn; ++i)
        if (!first || !first[i]) select_column(&c, head, i);
    return c.count;
}

cd_plot_data* cd_plot_data_create(int ncolumn, const cd_column* head, const bool* first)
{
    cd_plot_data* s = cd_allocate(1, sizeof *s);
    if (!s) return NULL;
    s->source_column = cd_allocate((size_t)ncolumn, sizeof *s->source_column);
    s->stride = s->countdown = 1;
    if (s->source_column) {
        s->table.ncolumn = select_columns(ncolumn, head, first, s->source_column);
        s->nomitted      = ncolumn - s->table.ncolumn;
        s->table.column  = cd_allocate((size_t)s->table.ncolumn, sizeof *s->table.column);
        s->table.value   = cd_allocate((size_t)s->table.ncolumn, sizeof *s->table.value);
    }
    bool good = s->source_column && s->table.column && s->table.value;
    for (int i = 0; good && i < s->table.ncolumn; ++i) {
        s->table.column[i] = head[s->source_column[i]];
        if (!s->table.column[i].unit) s->table.column[i].unit = "";
        good = (s->table.value[i] = cd_allocate(SAMPLES_MAX, sizeof(double))) != NULL;
    }
    if (good) return s;
    cd_plot_data_destroy(s);
    return NULL;
}

void cd_plot_data_add_sample(cd_plot_data* s, const double* value)
{
    if (--s->countdown > 0) return;
    if (s->table.nsample == SAMPLES_MAX) {
        for (int i = 0; i < s->table.ncolumn; ++i)
            for (long r = 0; r < SAMPLES_MAX / 2; ++r) s->table.value[i][r] = s->table.value[i][2 * r];
        s->table.nsample /= 2;
        s->stride *= 2;
    }
    for (int i = 0; i < s->table.ncolumn; ++i) s->table.value[i][s->table.nsample] = value[s->source_column[i]];
    ++s->table.nsample;
    s->countdown = s->stride;
}

int cd_plot_data_omitted_count(const cd_plot_data* s) { return s->nomitted; }

const cd_result_table* cd_plot_data_table(cd_plot_data* s) { return &s->table; }

void cd_plot_data_destroy(cd_plot_data* s)
{
    if (!s) return;
    for (int i = 0; s->table.value && i < s->table.ncolumn; ++i) free(s->table.value[i]);
    free(s->table.value);
    free(s->table.column);
    free(s->source_column);
    free(s);
}
