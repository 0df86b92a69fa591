// SPDX-License-Identifier: BSD-3-Clause
// Error reports of the reader, with location and element.
#include "io/yaml/read_model.h"

#include <stdio.h>

bool cd_reader_fail_no_memory(cd_reader* r)
{
    if (r->status != CARDAN_NO_MEMORY)
        cardan_fail(r->report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(), "out of memory");
    r->status = CARDAN_NO_MEMORY;
    ++r->nerror;
    return false;
}

bool cd_reader_fail(cd_reader* r, const cd_yaml* at, const char* format, ...)
{
    char    message[CARDAN_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ++r->nerror;
    if (r->status == CARDAN_OK) r->status = CARDAN_BAD_INPUT;
    cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_MODEL_INVALID,
                at ? cd_yaml_location(at) : cardan_location_none(), "%s", message);
    return false;
}

// Format a message with its prefix "joint 'A': ".
static void format_message(const cd_model_element* e, char* text, size_t size, const char* format, va_list arguments)
{
    int n = 0;
    if (e->label) n = snprintf(text, size, e->name ? "%s '%.160s': " : "%s: ", e->label, e->name);
    if (n >= 0 && (size_t)n < size) vsnprintf(text + n, size - (size_t)n, format, arguments);
}

bool cd_element_fail(const cd_model_element* e, const cd_yaml* at, const char* format, ...)
{
    char    message[CARDAN_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    format_message(e, message, sizeof message, format, arguments);
    va_end(arguments);
    if (e->node) e->node->has_error = true;
    return cd_reader_fail(e->reader, at ? at : e->node, "%s", message);
}

bool cd_element_warn(const cd_model_element* e, const cd_yaml* at, const char* format, ...)
{
    char    message[CARDAN_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    format_message(e, message, sizeof message, format, arguments);
    va_end(arguments);
    if (e->reader->options->strict) {
        if (e->node) e->node->has_error = true;
        return cd_reader_fail(e->reader, at, "%s", message);
    }
    cardan_warn(e->reader->report, CARDAN_CODE_MODEL_DOUBTFUL, cd_yaml_location(at), "%s", message);
    return true;
}
