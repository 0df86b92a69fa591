// SPDX-License-Identifier: BSD-3-Clause
// CSV files of tables and height fields: read once, kept in the memory of the model file.
#include "io/yaml/read_model.h"

#include "core/file.h"

#include <stdlib.h>
#include <string.h>

cardan_status cd_model_source_csv(cd_model_source* source, const char* path, const cd_csv_text** csv, char* reason)
{
    for (*csv = source->first_csv; *csv; *csv = (*csv)->next)
        if (strcmp((*csv)->path, path) == 0) return CARDAN_OK;
    char*               text = NULL;
    size_t              length;
    const cardan_status status = cd_file_read_with_reason(path, &text, &length, reason);
    if (status) return status;
    cd_csv_text* added = cd_pool_alloc(&source->pool, 1, sizeof *added);
    char*        name  = cd_pool_string(&source->pool, path, strlen(path));
    char*        kept  = cd_pool_string(&source->pool, text, length);
    free(text);
    if (!added || !name || !kept) return CARDAN_NO_MEMORY;
    *added            = (cd_csv_text){.path = name, .text = kept, .length = length, .next = source->first_csv};
    source->first_csv = added;
    *csv              = added;
    return CARDAN_OK;
}
