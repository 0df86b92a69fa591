// SPDX-License-Identifier: BSD-3-Clause
// CSV writer for results (RFC 4180): a header with names and units, then one line per sample.
#include "io/results/results.h"

#include "core/escape.h"
#include "core/file.h"
#include "core/number_locale.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cd_results {
    cd_file  file;
    int      ncolumn;
    long     nsample;
    locale_t c_locale; // number format of C; 0: locale of the thread, if out of memory
};

static bool write_header(cd_results* r, int ncolumn, const cd_column* column)
{
    cd_text line = {0};
    for (int i = 0; i < ncolumn; ++i) {
        const bool unit = column[i].unit && *column[i].unit;
        cd_text    name = {0};
        cd_text_format(&name, unit ? "%s [%s]" : "%s", column[i].name, unit ? column[i].unit : "");
        if (i) cd_text_add(&line, ",");
        if (!name.failed) cd_escape_csv(&line, name.data);
        line.failed |= name.failed;
        cd_text_free(&name);
    }
    cd_text_add(&line, "\n");
    const bool good = !line.failed;
    if (good) fwrite(line.data, 1, line.length, r->file.stream); // failures are detected when the file is closed
    cd_text_free(&line);
    return good;
}

cardan_status cd_results_create(const char* path, int ncolumn, const cd_column* column, bool replace,
                                cd_results** results, cardan_report* report)
{
    *results      = NULL;
    cd_results* r = cd_allocate(1, sizeof *r);
    if (!r)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while writing %s", path);
    r->ncolumn           = ncolumn;
    r->c_locale          = cd_locale_create();
    cardan_status status = cd_file_open(&r->file, path, replace, report);
    if (status == CARDAN_OK && !write_header(r, ncolumn, column))
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                             "out of memory while writing %s", path);
    if (status == CARDAN_OK)
        *results = r;
    else
        cd_results_discard(r);
    return status;
}

cardan_status cd_results_write_sample(cd_results* r, const double* value)
{
    const locale_t before = r->c_locale ? uselocale(r->c_locale) : (locale_t)0;
    for (int i = 0; i < r->ncolumn; ++i) {
        if (i) fputc(',', r->file.stream);
        if (isnan(value[i]))
            fputs(r->ncolumn == 1 ? "nan" : "", r->file.stream); // an empty line would not be a sample
        else
            fprintf(r->file.stream, "%.17g", value[i]);
    }
    fputc('\n', r->file.stream);
    const bool good = cd_file_is_good(&r->file);
    if (r->c_locale) uselocale(before);
    ++r->nsample;
    return good ? CARDAN_OK : CARDAN_FILE_ERROR;
}

static void release(cd_results* r)
{
    if (r->c_locale) freelocale(r->c_locale);
    free(r);
}

long cd_results_sample_count(const cd_results* r) { return r->nsample; }

cardan_status cd_results_close(cd_results* r, cardan_report* report)
{
    const cardan_status status = cd_file_commit(&r->file, report);
    release(r);
    return status;
}

void cd_results_discard(cd_results* r)
{
    if (!r) return;
    cd_file_discard(&r->file);
    release(r);
}
