// SPDX-License-Identifier: BSD-3-Clause
// LC_NUMERIC "C" for the calling thread.
#include "core/number_locale.h"

locale_t cd_locale_create(void)
{
    const locale_t copy  = duplocale(uselocale((locale_t)0));
    const locale_t plain = copy ? newlocale(LC_NUMERIC_MASK, "C", copy) : (locale_t)0;
    if (!plain && copy) freelocale(copy);
    return plain;
}

locale_t cd_locale_enter(void)
{
    const locale_t current = uselocale((locale_t)0), plain = cd_locale_create();
    if (plain) uselocale(plain);
    return current;
}

void cd_locale_leave(locale_t before)
{
    const locale_t plain = uselocale(before);
    if (plain != before && plain != LC_GLOBAL_LOCALE) freelocale(plain);
}
