// SPDX-License-Identifier: BSD-3-Clause
// Past states of the viewer: they reach back to the start when the memory is full, can be found, cut and copied.
#include "test.h"

#include "view/live/history.h"

#include <math.h>

static const double interval = 1.0 / 60;

static void test_thinning(void)
{
    cd_history h;
    CHECK(cd_history_open(&h, 1 << 17, interval)); // large entries: few of them
    const int capacity = h.capacity, count = 20 * capacity;
    CHECK(capacity >= 16 && capacity < 1000);
    for (int i = 0; i < count; ++i) {
        double* value = cd_history_add(&h, i * interval);
        CHECK(value != NULL);
        value[0] = i;
    }
    CHECK(h.count <= capacity && h.count > capacity / 4);
    CHECK(cd_history_begin(&h, -1) == 0 && cd_history_end(&h, -1) == (count - 1) * interval);
    double newest = 0, oldest = 0;
    for (int i = 1; i < h.count; ++i) {
        const double *a = cd_history_at(&h, i - 1), *b = cd_history_at(&h, i);
        CHECK(b[0] > a[0] && b[1] == rint(b[0] / interval));
        if (i == 1) oldest = b[0] - a[0];
        newest = b[0] - a[0];
    }
    CHECK_NEAR(newest, interval, 1e-12);
    CHECK(oldest > 10 * interval);
    cd_history_close(&h);
}

static void test_find_and_cut(void)
{
    cd_history h, copy;
    CHECK(cd_history_open(&h, 2, interval) && cd_history_open(&copy, 2, interval));
    CHECK(cd_history_find(&h, 1) == -1 && cd_history_end(&h, 7) == 7);
    for (int i = 0; i < 100; ++i) CHECK(cd_history_add(&h, i * interval));
    CHECK(!cd_history_add(&h, 99 * interval + interval / 2)); // too early
    CHECK(cd_history_find(&h, -1) == 0 && cd_history_find(&h, 1e9) == 99);
    CHECK(cd_history_find(&h, 10.5 * interval) == 10 && cd_history_find(&h, 10 * interval) == 10);
    cd_history_copy_before(&h, 50 * interval, &copy);
    CHECK(copy.count == 50 && h.count == 100);
    CHECK_NEAR(cd_history_end(&copy, 0), 49 * interval, 1e-12);
    cd_history_cut(&h, 10 * interval);
    CHECK(h.count == 10);
    cd_history_cut(&h, -1);
    CHECK(h.count == 0);
    cd_history_close(&h);
    cd_history_close(&copy);
}

int main(void)
{
    RUN(test_thinning());
    RUN(test_find_and_cut());
    return test_end();
}
