// SPDX-License-Identifier: BSD-3-Clause
// Numbers in files have a point, whatever language the program speaks. Files are read and written between these two,
// which change the calling thread alone.
#pragma once

#include <locale.h>

// The locale of the calling thread with numbers as in C, for uselocale and then freelocale; 0 without memory.
locale_t cd_locale_create(void);
// Numbers as in C from now on; returns what was before. Without memory nothing changes.
locale_t cd_locale_enter(void);
void     cd_locale_leave(locale_t before);
