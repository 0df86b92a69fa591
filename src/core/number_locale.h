// SPDX-License-Identifier: BSD-3-Clause
// Decimal point in files, independent of the locale of the program. Files are read and written between cd_locale_enter
// and cd_locale_leave, which change only the calling thread.
#pragma once

#include <locale.h>

// Locale of the calling thread with LC_NUMERIC "C", for uselocale and freelocale; 0 if there is no memory.
locale_t cd_locale_create(void);
// Switch to LC_NUMERIC "C"; returns the previous locale. Without memory nothing changes.
locale_t cd_locale_enter(void);
void     cd_locale_leave(locale_t before);
