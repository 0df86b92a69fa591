// SPDX-License-Identifier: BSD-3-Clause
// The page in a build without the viewer.
#include "view/view_page.h"

const unsigned char cd_view_page[]          = {0};
const size_t        cd_view_page_length     = 0;
const char          cd_view_script_source[] = "'none'";
const char          cd_view_style_source[]  = "'none'";
