// SPDX-License-Identifier: BSD-3-Clause
// Schema of the model file: the manual in docs/ is current, the JSON Schema is valid, every table entry is complete.
#include "yaml_text.h"

#include "core/json.h"
#include "io/schema/schema.h"

static char* read_whole(const char* path)
{
    cd_text text = {0};
    char    buffer[4096];
    size_t  n;
    FILE*   stream = fopen(path, "r");
    while (stream && (n = fread(buffer, 1, sizeof buffer, stream)) > 0) cd_text_add_bytes(&text, buffer, n);
    if (stream) fclose(stream);
    return cd_text_detach(&text);
}

static void test_manual_is_current(void)
{
    cd_text text = {0};
    cd_schema_manual(&text);
    char* written = read_whole(CARDAN_SOURCE "/docs/model-file.md");
    CHECK(text.data && written && strcmp(text.data, written) == 0); // cardan schema --manual > docs/model-file.md
    free(written);
    cd_text_free(&text);
}

// The first example of the manual is a valid model.
static void test_manual_example(void)
{
    cd_text text = {0};
    cd_schema_manual(&text);
    char* begin = strstr(text.data, "```yaml\n");
    char* end   = begin ? strstr(begin + 8, "```") : NULL;
    CHECK(end != NULL);
    if (end) {
        *end                  = '\0';
        cardan_description* d = yaml_load(begin + 8);
        CHECK(d && cardan_description_get_view(d).nbody == 3);
        cardan_description_destroy(d);
    }
    cd_text_free(&text);
}

// Every reference of the schema has a definition.
static void check_references(const cd_json_document* document, const cd_json_node* definitions,
                             const cd_json_node* node, int* count)
{
    for (const cd_json_node* n = node->first; n; n = n->next) {
        if (n->key && strcmp(n->key, "$ref") == 0) {
            const char* name = n->string + strlen("#/definitions/");
            CHECK(strncmp(n->string, "#/definitions/", 14) == 0 && cd_json_find(document, definitions, name));
            ++*count;
        }
        check_references(document, definitions, n, count);
    }
}

static void test_json(void)
{
    cd_text           text     = {0};
    cd_json_document* document = NULL;
    cardan_report     report   = {0};
    cd_schema_json(&text);
    CHECK(cd_json_parse(text.data, text.length, "schema", &document, &report) == CARDAN_OK);
    if (document) {
        const cd_json_node* root = cd_json_root(document);
        CHECK_TEXT(cd_json_find(document, root, "$schema")->string, "http://json-schema.org/draft-07/schema#");
        const cd_json_node* properties = cd_json_find(document, root, "properties");
        CHECK(properties && cd_json_find(document, properties, "joints") && cd_json_find(document, properties, "run"));
        int count = 0;
        check_references(document, cd_json_find(document, root, "definitions"), root, &count);
        CHECK(count > 100);
    }
    cd_json_destroy(document);
    cd_text_free(&text);
}

// Words of `only` are keys of the same section that name a type; sections of value types exist; every key has a
// description.
static void test_rows(void)
{
    for (int s = 0; cd_section_at(s); ++s) {
        const char* section = cd_section_at(s)->name;
        for (int i = 0; cd_key_at(section, i); ++i) {
            const cd_key* key = cd_key_at(section, i);
            const size_t  n   = strlen(key->help);
            char          only[200];
            CHECK(n > 3 && key->help[n - 1] == '.');
            if (key->applies_to[0] == '!' || key->applies_to[0] == '?') continue;
            snprintf(only, sizeof only, "%s", key->applies_to);
            for (char *remaining = only, *word; (word = strsep(&remaining, " "));) {
                const cd_key* type = *word ? cd_key_find(section, word) : NULL;
                CHECK(!*word || (type && (type->applies_to[0] == '!' || type->applies_to[0] == '?')));
            }
        }
    }
    for (int i = 1; i < cd_value_type_count(); ++i) {
        const cd_value_type* shape = cd_value_type_at((cd_value_type_id)i);
        CHECK(!shape->section || cd_section_find(shape->section));
        CHECK(shape->scalar != CD_SCALAR_NONE || shape->max_count || shape->section || shape->map_value);
    }
}

int main(void)
{
    yaml_begin();
    RUN(test_manual_is_current());
    RUN(test_manual_example());
    RUN(test_json());
    RUN(test_rows());
    yaml_end();
    return test_end();
}
