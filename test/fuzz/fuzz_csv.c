// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: readers of CSV files, result tables and tables of a model file.
#include "fuzz.h"

#include "io/results/results.h"

#include <cardan/io.h>
#include <stdio.h>
#include <stdlib.h>

static void read_table(const char* path, const char* columns)
{
    char                model[400];
    cardan_report       report      = {0};
    cardan_description* description = NULL;
    snprintf(model, sizeof model, "cardan: 1\ntables: {f: {csv: %s%s}}\noutputs: {o: =f(t)}\n", path, columns);
    if (cardan_description_load_text(model, "model.yaml", NULL, &description, &report) == CARDAN_OK)
        cardan_description_destroy(description);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char*            text   = fuzz_text(data, size);
    cardan_report    report = {0};
    cd_result_table* table  = NULL;
    if (cd_result_table_parse(text, size, "results.csv", &table, &report) == CARDAN_OK) {
        cd_result_table_find_column(table, "time");
        cd_result_table_destroy(table);
    }
    free(text);
    const char* path = fuzz_file(data, size);
    read_table(path, "");
    read_table(path, ", columns: [time, 3]");
    return 0;
}
