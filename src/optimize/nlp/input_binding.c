// SPDX-License-Identifier: BSD-3-Clause
#include "optimize/nlp/input_binding.h"

#include "core/memory.h"

#include <stdlib.h>

bool cd_binding_create(cd_binding* b, int ninput)
{
    *b       = (cd_binding){.ninput = ninput};
    b->value = cd_allocate((size_t)ninput + 1, sizeof *b->value);
    b->first = cd_allocate((size_t)ninput + 1, sizeof *b->first);
    b->count = cd_allocate((size_t)ninput + 1, sizeof *b->count);
    return b->value && b->first && b->count;
}

void cd_binding_release(cd_binding* b)
{
    free(b->value);
    free(b->first);
    free(b->count);
    free(b->term);
}

void cd_bind_value(cd_binding* b, int input, double value)
{
    b->value[input] = value;
    b->count[input] = 0;
}

void cd_bind_empty(cd_binding* b, int input)
{
    cd_bind_value(b, input, 0);
    b->first[input] = b->nterm;
}

void cd_bind_unknown(cd_binding* b, int input, int unknown, double coefficient)
{
    cd_bind_empty(b, input);
    cd_bind_add_term(b, input, unknown, coefficient);
}

void cd_bind_add_term(cd_binding* b, int input, int unknown, double coefficient)
{
    if (coefficient == 0) return;
    if (!cd_array_grow((void**)&b->term, &b->term_capacity, b->nterm, sizeof *b->term)) {
        b->failed = true;
        return;
    }
    b->term[b->nterm++] = (cd_term){unknown, coefficient};
    ++b->count[input];
}
