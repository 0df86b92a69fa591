// SPDX-License-Identifier: BSD-3-Clause
// Parser: --name value, --name=value, -n value, -nvalue; "--" ends the options, "-" alone is an operand.
#include "cli/options.h"

#include "cli/commands/commands.h"
#include "cli/support/messages.h"
#include "core/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cd_option options_table[] = {
#define OPTION(id, names, letter, argument, kind, field, standard, help)                                               \
    [CD_OPTION_##id] = {names, letter, argument, kind, offsetof(cd_options, field), standard, help},
#include "cli/options.def"
#undef OPTION
};

const cd_option* cd_option_at(cd_option_id id) { return &options_table[id]; }

// True if `name` (n characters) is one of the blank-separated names of the option.
static bool is_named(const cd_option* option, const char* name, size_t n)
{
    for (const char* p = option->names; *p;) {
        const size_t length = strcspn(p, " ");
        if (length == n && memcmp(p, name, n) == 0) return true;
        p += length + (p[length] == ' ');
    }
    return false;
}

static const cd_option* find_long(const cd_command* command, const char* name, size_t n)
{
    for (int i = 0; i < command->noption; ++i)
        if (is_named(cd_option_at(command->option[i]), name, n)) return cd_option_at(command->option[i]);
    return NULL;
}

static const cd_option* find_letter(const cd_command* command, char letter)
{
    for (int i = 0; i < command->noption; ++i)
        if (cd_option_at(command->option[i])->letter == letter) return cd_option_at(command->option[i]);
    return NULL;
}

static const char* candidate(void* user, int i)
{
    const cd_command* command = user;
    return i < command->noption ? cd_option_at(command->option[i])->names : NULL;
}

// Find another command with this option, for the error message.
static const cd_command* other_command(const char* name, size_t n)
{
    for (int i = 0; i < cd_command_count(); ++i)
        if (find_long(cd_command_at(i), name, n)) return cd_command_at(i);
    return NULL;
}

static bool fail_unknown(const cd_command* command, const char* argument)
{
    const char*  name = argument + strspn(argument, "-");
    const size_t n    = strcspn(name, "=");
    char*        word = strndup(name, n);
    if (!word) return cd_report_no_memory(), false;
    const char*       suggestion = cd_nearest_name(word, candidate, (void*)command);
    const cd_command* other      = other_command(name, n);
    free(word);
    if (suggestion && argument[1] == '-')
        cd_report_usage_error(command, "there is no option '%.*s' (did you mean '--%.*s'?)",
                              (int)strcspn(argument, "="), argument, (int)strcspn(suggestion, " "), suggestion);
    else if (other && argument[1] == '-')
        cd_report_usage_error(command, "there is no option '--%.*s'; `cardan %s` has it", (int)n, name, other->name);
    else
        cd_report_usage_error(command, "there is no option '%.*s'", (int)strcspn(argument, "="), argument);
    return false;
}

static bool read_number(const cd_command* command, const cd_option* option, const char* text, double* value)
{
    char*           end   = NULL;
    const cd_option o     = *option;
    const int       shown = (int)strcspn(o.names, " ");
    *value                = strtod(text, &end);
    if (end == text || *end || !isfinite(*value))
        return cd_report_usage_error(command, "--%.*s takes a number, not '%s'", shown, o.names, text), false;
    if (o.kind != CD_ARGUMENT_NUMBER && !(*value > 0))
        return cd_report_usage_error(command, "--%.*s must be positive, not %s", shown, o.names, text), false;
    if (o.kind == CD_ARGUMENT_POSITIVE_INTEGER && (*value != floor(*value) || *value > 1e9))
        return cd_report_usage_error(command, "--%.*s takes an integer up to 1e9, not %s", shown, o.names, text), false;
    return true;
}

static bool read_setting(const cd_command* command, const char* text, cd_options* options)
{
    const char* equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return cd_report_usage_error(command, "--set takes NAME=VALUE, for example --set length=0.5, not '%s'", text),
               false;
    char* name = strndup(text, (size_t)(equals - text));
    if (!name) return cd_report_no_memory(), false;
    for (int i = 0; i < options->nsetting; ++i) {
        const cardan_parameter_setting* before = &options->setting[i];
        if (!before->name || strcmp(before->name, name) != 0 || strcmp(before->value, equals + 1) == 0) continue;
        cd_report_usage_error(command, "--set gives two values to '%s', %s and %s", name, before->value, equals + 1);
        free(name);
        return false;
    }
    options->setting[options->nsetting++] = (cardan_parameter_setting){.name = name, .value = equals + 1};
    return name != NULL;
}

// Reject an option that is given twice with different values: one of the values would be ignored.
static bool check_given_once(const cd_command* command, const cd_option* option, const char* value, const char** given)
{
    const char* const before = *given;
    *given                   = value;
    if (!before || option->kind == CD_ARGUMENT_NONE || option->kind == CD_ARGUMENT_ASSIGNMENT ||
        strcmp(before, value) == 0)
        return true;
    cd_report_usage_error(command, "--%.*s is given twice, '%s' and '%s'", (int)strcspn(option->names, " "),
                          option->names, before, value);
    return false;
}

static bool store_value(const cd_command* command, const cd_option* option, const char* value, cd_options* options)
{
    void*  field  = (char*)options + option->field;
    double number = 0;
    switch (option->kind) {
    case CD_ARGUMENT_NONE:
        *(bool*)field = true;
        return true;
    case CD_ARGUMENT_TEXT:
        if (!*value && option->field != offsetof(cd_options, title))
            return cd_report_usage_error(command, "--%.*s needs %s; the value is empty",
                                         (int)strcspn(option->names, " "), option->names, option->argument),
                   false;
        *(const char**)field = value;
        return true;
    case CD_ARGUMENT_ASSIGNMENT:
        return read_setting(command, value, options);
    case CD_ARGUMENT_NUMBER:
    case CD_ARGUMENT_POSITIVE:
        if (!read_number(command, option, value, &number)) return false;
        *(double*)field = number;
        return true;
    case CD_ARGUMENT_POSITIVE_INTEGER:
        if (!read_number(command, option, value, &number)) return false;
        *(int*)field = (int)number;
        return true;
    }
    return false;
}

// Parse the option at argv[*i]. If its value is the next argument, *i is incremented.
static bool parse_option(const cd_command* command, int argc, const char* const* argv, int* i, const char** given,
                         cd_options* options)
{
    const char*      argument = argv[*i];
    const bool       is_long  = argument[1] == '-';
    const size_t     n        = strcspn(argument, "=");
    const cd_option* option   = is_long ? find_long(command, argument + 2, n - 2) : find_letter(command, argument[1]);
    if (!option) return fail_unknown(command, argument);

    const char* value = is_long ? (argument[n] ? argument + n + 1 : NULL) : (argument[2] ? argument + 2 : NULL);
    if (option->kind == CD_ARGUMENT_NONE && value)
        return cd_report_usage_error(command, "'%.*s' takes no value", is_long ? (int)n : 2, argument), false;
    if (option->kind != CD_ARGUMENT_NONE && !value) {
        if (*i + 1 >= argc)
            return cd_report_usage_error(command, "'%s' needs a value %s", argument, option->argument), false;
        value = argv[++*i];
    }
    return check_given_once(command, option, value, &given[option - options_table]) &&
           store_value(command, option, value, options);
}

static bool check_operands(const cd_command* command, const cd_options* options)
{
    if (options->help) return true;
    if (options->noperand < command->noperand_min)
        return cd_report_usage_error(command, options->noperand == 0 ? "%s is missing" : "part of %s is missing",
                                     command->operands),
               false;
    for (int i = 0; i < options->noperand; ++i)
        if (!*options->operand[i])
            return cd_report_usage_error(command, "argument %d of %s is empty", i + 1, command->operands), false;
    if (options->noperand > command->noperand_max)
        return cd_report_usage_error(command, "too many arguments: '%s'", options->operand[command->noperand_max]),
               false;
    return true;
}

bool cd_options_parse(const cd_command* command, int argc, const char* const* argv, cd_options* options)
{
    *options         = (cd_options){.duration            = NAN,
                                    .output_interval     = NAN,
                                    .step                = NAN,
                                    .max_step            = NAN,
                                    .regularization      = NAN,
                                    .violation_tolerance = NAN,
                                    .baumgarte_rate      = NAN,
                                    .tolerance           = NAN,
                                    .time                = NAN,
                                    .width               = NAN,
                                    .height              = NAN,
                                    .scale               = NAN};
    options->operand = calloc((size_t)argc + 1, sizeof *options->operand);
    options->setting = calloc((size_t)argc + 1, sizeof *options->setting);
    if (!options->operand || !options->setting) return cd_report_no_memory(), false;

    const char* given[CD_OPTION_COUNT] = {0};
    bool        options_allowed        = true;
    for (int i = 0; i < argc; ++i) {
        if (options_allowed && strcmp(argv[i], "--") == 0)
            options_allowed = false;
        else if (!options_allowed || argv[i][0] != '-' || !argv[i][1])
            options->operand[options->noperand++] = argv[i];
        else if (!parse_option(command, argc, argv, &i, given, options))
            return false;
    }
    return check_operands(command, options);
}

void cd_options_free(cd_options* options)
{
    for (int i = 0; i < options->nsetting; ++i) free((char*)options->setting[i].name);
    free(options->setting);
    free(options->operand);
}
