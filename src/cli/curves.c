// SPDX-License-Identifier: BSD-3-Clause
// Plots into files, and the sample of a running simulation that is plotted at its end.
#include "cli/curves.h"

#include "cli/files.h"
#include "cli/messages.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

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

int cd_write_curves(const cd_options* options, int nrun, const cd_plot_run* run, cd_plot_wish wish, const char* path,
                    bool force)
{
    cardan_report report = {0};
    cd_text       svg    = {0};
    const char*   list   = wish.npattern < 0 && options->columns ? options->columns : "";
    char*         copy   = cd_copy_string(list);
    const char**  word   = cd_allocate(strlen(list) / 2 + 2, sizeof *word);
    cardan_status status = CARDAN_NO_MEMORY;
    const bool    notes  = wish.npattern < 0;
    if (copy && word) {
        wish.npattern = split(copy, word);
        wish.pattern  = word;
        status        = cd_plot_results(nrun, run, &wish, &svg, &report);
    }
    free(copy);
    free(word);
    if (status != CARDAN_OK) {
        cd_text_free(&svg);
        const int code = cd_say_failure(&report, status);
        return status == CARDAN_BAD_INPUT && (*list || wish.x) ? CD_EXIT_USAGE : code; // columns that are not there
    }
    if (notes && !options->quiet) cd_say_report(&report);
    return cd_write_text(path, &svg, force);
}

enum { ROWS_MOST = 40000 };

struct cd_sample {
    cd_result_table table;
    int*            from;      // (ncolumn) column of the results
    long            skip, due; // every skip-th row is kept; rows until the next one
};

// The columns a plot without wishes shows: t, then up to CD_PLOT_CURVES of each of the first CD_PLOT_PANELS units.
static int choose(int ncolumn, const cd_column* head, int* from)
{
    const char* unit[CD_PLOT_PANELS];
    int         used[CD_PLOT_PANELS] = {0}, nunit = 0, n = 1;
    from[0] = 0;
    for (int i = 1; i < ncolumn; ++i) {
        const char* u = head[i].unit ? head[i].unit : "";
        int         k = 0;
        while (k < nunit && strcmp(unit[k], u) != 0) ++k;
        if (k == CD_PLOT_PANELS) continue;
        if (k == nunit) unit[nunit++] = u;
        if (used[k] == CD_PLOT_CURVES) continue;
        ++used[k];
        from[n++] = i;
    }
    return n;
}

cd_sample* cd_sample_create(int ncolumn, const cd_column* head)
{
    cd_sample* s = cd_allocate(1, sizeof *s);
    if (!s) return NULL;
    s->from = cd_allocate((size_t)ncolumn, sizeof *s->from);
    s->skip = s->due = 1;
    if (s->from) {
        s->table.ncolumn = choose(ncolumn, head, s->from);
        s->table.column  = cd_allocate((size_t)s->table.ncolumn, sizeof *s->table.column);
        s->table.value   = cd_allocate((size_t)s->table.ncolumn, sizeof *s->table.value);
    }
    bool good = s->from && s->table.column && s->table.value;
    for (int i = 0; good && i < s->table.ncolumn; ++i) {
        s->table.column[i] = head[s->from[i]];
        if (!s->table.column[i].unit) s->table.column[i].unit = "";
        good = (s->table.value[i] = cd_allocate(ROWS_MOST, sizeof(double))) != NULL;
    }
    if (good) return s;
    cd_sample_destroy(s);
    return NULL;
}

void cd_sample_row(cd_sample* s, const double* value)
{
    if (--s->due > 0) return;
    if (s->table.nrow == ROWS_MOST) {
        for (int i = 0; i < s->table.ncolumn; ++i)
            for (long r = 0; r < ROWS_MOST / 2; ++r) s->table.value[i][r] = s->table.value[i][2 * r];
        s->table.nrow /= 2;
        s->skip *= 2;
    }
    for (int i = 0; i < s->table.ncolumn; ++i) s->table.value[i][s->table.nrow] = value[s->from[i]];
    ++s->table.nrow;
    s->due = s->skip;
}

const cd_result_table* cd_sample_table(cd_sample* s) { return &s->table; }

void cd_sample_destroy(cd_sample* s)
{
    if (!s) return;
    for (int i = 0; s->table.value && i < s->table.ncolumn; ++i) free(s->table.value[i]);
    free(s->table.value);
    free(s->table.column);
    free(s->from);
    free(s);
}
