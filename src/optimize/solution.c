// SPDX-License-Identifier: BSD-3-Clause
// The solution of a program beside the results of its plan: unknowns and multipliers, which columns of results do not
// have. A search that starts from these results takes them where its program has the same blocks over the same
// unknowns; targets, bounds and weights may be others. What belongs together is told by two digests, that of the
// program and that of the results, so that results which were written anew or changed by hand have no solution.
//
// Multipliers are worth something near the optimum alone: an interior point that starts beside active bounds hardly
// leaves them. The arm of paper 003 takes 28 iterations from a line, 15 from results without multipliers, and with them
// 2 for the same target, 4 for twice the weight of rates, 8 for a target 7 mm off, but 30 for one that is 45 mm off,
// where it takes 19 without them. So they are taken where the conditions of the new task are missed by little.
#include "optimize/plan.h"

#include "core/arguments.h"
#include "core/file.h"
#include "core/json.h"
#include "io/results.h"
#include "optimize/mix.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void digest_program(const cardan_plan* p, char text[17])
{
    const int size[] = {p->program.n, p->program.m, p->N, p->degree, p->scaled};
    uint64_t  hash   = cd_mix(cd_mix_start, size, sizeof size);
    hash             = cd_mix(hash, p->scheme.name, strlen(p->scheme.name));
    hash             = cd_mix(hash, p->form.name, strlen(p->form.name));
    for (int i = 0; i < p->program.nblock; ++i) {
        const cd_block* b = &p->program.block[i];
        hash              = cd_mix(hash, b->kind->name, strlen(b->kind->name));
        hash              = cd_mix(hash, b->unknown, (size_t)b->shape->nunknown * sizeof *b->unknown);
        hash              = cd_mix(hash, &b->row, sizeof b->row);
    }
    snprintf(text, 17, "%016llx", (unsigned long long)hash);
}

cardan_status cardan_plan_save(const cardan_plan* p, const char* results, cardan_report* report)
{
    CD_REFUSE_NULL(p, "plan", report);
    CD_REFUSE_NULL(results, "results", report);
    char  program[17], content[65];
    char* path = cd_results_sibling(results, ".solution.json");
    if (!path) return CARDAN_NO_MEMORY;
    if (!p->ran) return remove(path), free(path), CARDAN_OK; // that of an earlier motion, if any
    cardan_status status = cd_content_hash(results, content, report);
    cd_text       text   = {0};
    cd_json       json   = cd_json_to(&text);
    digest_program(p, program);
    cd_json_object(&json, NULL);
    cd_json_string(&json, "program", program);
    cd_json_string(&json, "results", content);
    cd_json_numbers(&json, "unknowns", p->program.n, p->solved.x);
    cd_json_numbers(&json, "lower", p->program.n, p->solved.x_lower);
    cd_json_numbers(&json, "upper", p->program.n, p->solved.x_upper);
    cd_json_numbers(&json, "rows", p->program.m, p->solved.lambda);
    cd_json_end(&json);
    cd_text_add(&text, "\n");
    if (text.failed) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = cd_file_write(path, text.data, text.length, true, report);
    cd_text_free(&text);
    free(path);
    return status;
}

static bool says(const cd_json_document* d, const char* key, const char* word)
{
    const cd_json_node* node = cd_json_find(d, cd_json_root(d), key);
    return node && node->kind == CD_JSON_STRING && strcmp(node->string, word) == 0;
}

static bool numbers(const cd_json_document* d, const char* key, int count, double* value)
{
    const cd_json_node* node   = cd_json_find(d, cd_json_root(d), key);
    cardan_report       silent = {0};
    return node && node->kind == CD_JSON_ARRAY &&
           cd_json_read_numbers(d, node, key, count, value, &silent) == CARDAN_OK;
}

static const double near_enough = 0.01; // [m, rad, 1/s] what rows may miss

static bool is_near(cardan_plan* p)
{
    cd_chain_rows(&p->program, p->solved.x, p->solved.g);
    for (int i = 0; i < p->program.m; ++i)
        if (!(fmax(p->program.g_lower[i] - p->solved.g[i], p->solved.g[i] - p->program.g_upper[i]) <= near_enough))
            return false;
    return true;
}

cardan_status cd_solution_take(cardan_plan* p, const char* results)
{
    cardan_report     silent = {0};
    char *            path = cd_results_sibling(results, ".solution.json"), *text = NULL;
    size_t            length   = 0;
    cd_json_document* document = NULL;
    char              program[17], content[65];
    const int         n = p->program.n;
    if (!path) return CARDAN_NO_MEMORY;
    digest_program(p, program);
    bool ok = cd_file_read(path, &text, &length, &silent) == CARDAN_OK &&
              cd_json_parse(text, length, path, &document, &silent) == CARDAN_OK &&
              cd_json_root(document)->kind == CD_JSON_OBJECT && says(document, "program", program) &&
              cd_content_hash(results, content, &silent) == CARDAN_OK && says(document, "results", content);
    ok = ok && numbers(document, "lower", n, p->solved.x_lower) && numbers(document, "upper", n, p->solved.x_upper) &&
         numbers(document, "rows", p->program.m, p->solved.lambda) && numbers(document, "unknowns", n, p->solved.x) &&
         is_near(p);
    if (ok) memcpy(p->program.x_start, p->solved.x, (size_t)n * sizeof(double));
    p->warm = ok;
    cd_json_destroy(document);
    free(text);
    free(path);
    return silent.no_memory ? CARDAN_NO_MEMORY : CARDAN_OK;
}
