// SPDX-License-Identifier: BSD-3-Clause
// Tokens of a formula.
#pragma once

#include "expression/parse.h"

enum { CD_TOKEN_NAME_SIZE = 256 };

typedef enum cd_token_kind {
    CD_TOKEN_END,
    CD_TOKEN_NUMBER,
    CD_TOKEN_NAME,
    CD_TOKEN_OPERATOR,
    CD_TOKEN_ERROR
} cd_token_kind;

// Operators of one character are that character; the others have a letter each.
enum {
    CD_OPERATOR_LESS_EQUAL    = 'l',
    CD_OPERATOR_GREATER_EQUAL = 'g',
    CD_OPERATOR_EQUAL         = 'e',
    CD_OPERATOR_UNEQUAL       = 'u',
    CD_OPERATOR_NOT           = 'n',
};

typedef struct cd_token {
    cd_token_kind kind;
    int           start, end;    // offsets into the text
    double        value;         // of a number
    char          operator_code; // ^ also for **, & for && and `and`, | for || and `or`, CD_OPERATOR_NOT for `not`
    char          name[CD_TOKEN_NAME_SIZE]; // of a name, without quotes
} cd_token;

// Token that begins at or after `at`. CD_TOKEN_ERROR, with `error` filled, if there is no valid one.
cd_token cd_token_read(const char* text, int at, cd_parse_error* error);
