// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: reader of OBJ files; the edges of an accepted mesh are counted, and its volume is integrated.
#include "fuzz.h"

#include "core/number_locale.h"
#include "io/mesh/mesh.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char            reason[CD_MESH_REASON_SIZE] = "";
    cd_mesh_builder b                           = {0};
    cd_mesh_edges   edges;
    char*           text   = fuzz_text(data, size);
    const locale_t  before = cd_locale_enter();
    const bool      ok     = text && cd_read_obj(text, size, &b, reason);
    cd_locale_leave(before);
    if (!ok && text && !reason[0]) abort(); // a failure has a reason
    const cd_mesh m = b.mesh;
    for (int i = 0; i < 3 * m.ntriangle; ++i)
        if (m.triangle[i] < 0 || m.triangle[i] >= m.nvertex) abort();
    if (ok && cd_mesh_count_edges(m.ntriangle, m.triangle, &edges))
        cd_mesh_integrate(m.nvertex, m.vertex, m.ntriangle, m.triangle);
    cd_mesh_builder_release(&b);
    cd_mesh_release(&b.mesh);
    free(text);
    return 0;
}
