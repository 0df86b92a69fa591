// SPDX-License-Identifier: BSD-3-Clause
// Block functions and blocks of the transcription, from the rows and the binding of its builder.
#include "optimize/transcription/transcription_builder.h"

const cd_block_function* cd_builder_add_function(transcription_builder* w, const char* name, int nrow,
                                                 cd_node objective)
{
    if (!w->ok) return NULL; // an earlier allocation failed
    cd_block_function* function =
        cd_block_function_create(w->graph, name, nrow, w->row, objective, w->model->multipliers.sigma, w->unknown,
                                 w->model->multipliers, w->model->implicit.n > 0 ? &w->model->implicit : NULL);
    w->ok = cd_block_nlp_add_function(&w->ocp->nlp, function);
    return w->ok ? function : NULL;
}

void cd_builder_add_block(transcription_builder* w, const cd_block_function* function, int interval, bool bounded)
{
    w->ok = w->ok && function &&
            cd_block_nlp_add_block(&w->ocp->nlp, function, interval, &w->binding, bounded ? w->lower : NULL,
                                   bounded ? w->upper : NULL);
}
