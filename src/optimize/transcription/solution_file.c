// SPDX-License-Identifier: BSD-3-Clause
// Solution of an NLP, stored with the results of its OCP: unknowns and multipliers, which results columns do not
// contain. A solve that starts from these results uses them if its NLP has the same blocks over the same unknowns;
// targets, bounds and weights may differ. Two hashes, of the NLP and of the results, identify what belongs together, so
// that results that were rewritten or edited have no solution.
//
// Multipliers help only near the optimum: an interior-point method that starts close to active bounds hardly leaves
// them. The arm of paper 003 takes 28 iterations from a line, 15 from results without multipliers, and with them 2 for
// the same target, 4 for twice the weight of rates, 8 for a target 7 mm away, but 30 for one 45 mm away, where it takes
// 19 without them. Therefore they are used only if the conditions of the new task are violated by little.
#include "optimize/transcription/ocp.h"

#include "core/check_arguments.h"
#include "core/file.h"
#include "core/json.h"
#include "io/results/results.h"
#include "optimize/nlp/fnv_hash.h"
#include "optimize/optimize_tolerances.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void hash_program(const cardan_ocp* p, char text[17])
{
    const int size[] = {p->nlp.n, p->nlp.m, p->N, p->degree, p->scaled_by_h};
    uint64_t  hash   = cd_fnv_hash(cd_fnv_offset_basis, size, sizeof size);
    hash             = cd_fnv_hash(hash, p->scheme.name, strlen(p->scheme.name));
    hash             = cd_fnv_hash(hash, p->form.name, strlen(p->form.name));
    for (int i = 0; i < p->nlp.nblock; ++i) {
        const cd_nlp_block* b = &p->nlp.block[i];
        hash                  = cd_fnv_hash(hash, b->function->name, strlen(b->function->name));
        hash                  = cd_fnv_hash(hash, b->unknown, (size_t)b->shape->nunknown * sizeof *b->unknown);
        hash                  = cd_fnv_hash(hash, &b->first_row, sizeof b->first_row);
    }
    snprintf(text, 17, "%016llx", (unsigned long long)hash);
}

cardan_status cardan_ocp_save(const cardan_ocp* p, const char* results, cardan_report* report)
{
    CD_REQUIRE_POINTER(p, "ocp", report);
    CD_REQUIRE_POINTER(results, "results", report);
    char  program[17], content[65];
    char* path = cd_results_sibling_path(results, ".solution.json");
    if (!path) return CARDAN_NO_MEMORY;
    if (!p->has_optimum) return remove(path), free(path), CARDAN_OK; // of an earlier solution, if any
    cardan_status  status = cd_file_content_hash(results, content, report);
    cd_text        text   = {0};
    cd_json_writer json   = cd_json_writer_to(&text);
    hash_program(p, program);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "program", program);
    cd_json_string(&json, "results", content);
    cd_json_numbers(&json, "unknowns", p->nlp.n, p->solution.x);
    cd_json_numbers(&json, "lower", p->nlp.n, p->solution.lambda_lower);
    cd_json_numbers(&json, "upper", p->nlp.n, p->solution.lambda_upper);
    cd_json_numbers(&json, "rows", p->nlp.m, p->solution.lambda);
    cd_json_end(&json);
    cd_text_add(&text, "\n");
    if (text.failed) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = cd_file_write(path, text.data, text.length, true, report);
    cd_text_free(&text);
    free(path);
    return status;
}

static bool has_string(const cd_json_document* d, const char* key, const char* word)
{
    const cd_json_node* node = cd_json_find(d, cd_json_root(d), key);
    return node && node->kind == CD_JSON_STRING && strcmp(node->string, word) == 0;
}

static bool read_numbers(const cd_json_document* d, const char* key, int count, double* value)
{
    const cd_json_node* node   = cd_json_find(d, cd_json_root(d), key);
    cardan_report       silent = {0};
    return node && node->kind == CD_JSON_ARRAY &&
           cd_json_read_numbers(d, node, key, count, value, &silent) == CARDAN_OK;
}

static bool is_near_feasible(cardan_ocp* p)
{
    cd_block_nlp_constraints(&p->nlp, p->solution.x, p->solution.g);
    for (int i = 0; i < p->nlp.m; ++i)
        if (!(fmax(p->nlp.g_lower[i] - p->solution.g[i], p->solution.g[i] - p->nlp.g_upper[i]) <=
              cd_warm_start_violation))
            return false;
    return true;
}

cardan_status cd_ocp_load_solution(cardan_ocp* p, const char* results)
{
    cardan_report     silent = {0};
    char *            path = cd_results_sibling_path(results, ".solution.json"), *text = NULL;
    size_t            length   = 0;
    cd_json_document* document = NULL;
    char              program[17], content[65];
    const int         n = p->nlp.n;
    if (!path) return CARDAN_NO_MEMORY;
    hash_program(p, program);
    bool ok = cd_file_read(path, &text, &length, &silent) == CARDAN_OK &&
              cd_json_parse(text, length, path, &document, &silent) == CARDAN_OK &&
              cd_json_root(document)->kind == CD_JSON_OBJECT && has_string(document, "program", program) &&
              cd_file_content_hash(results, content, &silent) == CARDAN_OK && has_string(document, "results", content);
    ok = ok && read_numbers(document, "lower", n, p->solution.lambda_lower) &&
         read_numbers(document, "upper", n, p->solution.lambda_upper) &&
         read_numbers(document, "rows", p->nlp.m, p->solution.lambda) &&
         read_numbers(document, "unknowns", n, p->solution.x) && is_near_feasible(p);
    if (ok) memcpy(p->nlp.x_start, p->solution.x, (size_t)n * sizeof(double));
    p->has_multipliers = ok;
    cd_json_destroy(document);
    free(text);
    free(path);
    return silent.no_memory ? CARDAN_NO_MEMORY : CARDAN_OK;
}
