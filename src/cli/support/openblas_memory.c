// SPDX-License-Identifier: BSD-3-Clause
// OpenBLAS allocates a buffer of 128 MB for each thread: for its worker threads when it is loaded, for the calling
// thread in the first call. If the system refuses one, OpenBLAS repeats the call without end, and so does exit(), which
// waits for the workers. Therefore the room is tested before anything else.
#include "cli/support/openblas_memory.h"

#include "math/lapack.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

static const size_t buffers = (size_t)256 << 20; // [bytes] of the calling thread and one worker

static bool is_limited(rlim_t* limit)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_AS, &r) != 0 || r.rlim_cur == RLIM_INFINITY) return false;
    *limit = r.rlim_cur;
    return true;
}

long cd_address_space_limit(void)
{
    rlim_t limit;
    return is_limited(&limit) ? (long)(limit >> 20) : 0;
}

bool cd_address_space_is_sufficient(void)
{
    rlim_t limit;
    double one = 1, floor = 0;
    if (!is_limited(&limit)) return true;
    void* p = mmap(NULL, buffers, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    munmap(p, buffers);
    cd_lapack_cholesky(1, &one, 0, &floor);
    return true;
}
