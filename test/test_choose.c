// SPDX-License-Identifier: BSD-3-Clause
// The formulation that is taken when nobody says: of small mechanisms by counting, of large ones by what their loops tie together.
#include "test.h"

#include <cardan/cardan.h>
#include <string.h>

static void test_choice(const char* family, int n, const char* formulation, bool counted)
{
    cardan_report       report = {0};
    cardan_description* d      = NULL;
    cardan_choice       choice;
    CHECK(cardan_make(family, n, NULL, &d, &report) == CARDAN_OK);
    CHECK(cardan_choose_formulation(d, &choice, &report) == CARDAN_OK);
    CHECK(choice.formulation == cardan_formulation_find(formulation));
    CHECK(strncmp(choice.reason, formulation, strlen(formulation)) == 0);
    CHECK(counted == (choice.operations > 0) && counted == (strstr(choice.reason, "too large to count") == NULL));
    cardan_description_destroy(d);
}

int main(void)
{
    RUN(test_choice("chain", 1000, "order-n", true));
    RUN(test_choice("tree", 63, "cholesky", true));
    RUN(test_choice("star", 8000, "order-n", false));
    RUN(test_choice("arc", 400, "reduction", true));
    RUN(test_choice("arc", 4000, "reduction", false));
    RUN(test_choice("ring", 2000, "reduction", false));
    RUN(test_choice("ladder", 1000, "reduction", false));
    RUN(test_choice("rope-ladder", 1000, "reduction", false));
    RUN(test_choice("rope-ladder-spatial", 1000, "reduction", false));
    RUN(test_choice("square-chain", 500, "reduction", false));
    RUN(test_choice("net", 100, "reduction", false));
    return test_end();
}
