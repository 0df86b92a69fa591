// SPDX-License-Identifier: BSD-3-Clause
// The words of a formula.
#pragma once

#include "expression/parse.h"

enum { CD_NAME_LENGTH = 256 };

typedef enum cd_token_kind { CD_TOKEN_END, CD_TOKEN_NUMBER, CD_TOKEN_NAME, CD_TOKEN_SIGN, CD_TOKEN_BAD } cd_token_kind;

// A sign of one character is itself; the others have a letter each.
enum {
    CD_SIGN_LESS_EQUAL    = 'l',
    CD_SIGN_GREATER_EQUAL = 'g',
    CD_SIGN_EQUAL         = 'e',
    CD_SIGN_UNEQUAL       = 'u',
    CD_SIGN_NOT           = 'n',
};

typedef struct cd_token {
    cd_token_kind kind;
    int           start, end;           // offsets into the text
    double        value;                // of a number
    char          sign;                 // ^ for ** too, & for && and `and`, | for || and `or`, CD_SIGN_NOT for `not`
    char          name[CD_NAME_LENGTH]; // of a name, without quotes
} cd_token;

// The token that begins at or after `at`. CD_TOKEN_BAD with `error` filled for what is none.
cd_token cd_token_read(const char* text, int at, cd_parse_error* error);
