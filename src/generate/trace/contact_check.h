// SPDX-License-Identifier: BSD-3-Clause
// Contacts that can be traced (contact_check.c).
#pragma once

#include "model/model.h"

// Fail with CARDAN_UNSUPPORTED if a model has contacts that have no closed form, naming them and `user`, such as "generated
// code".
cardan_status cd_check_traced_contacts(const cardan_model* m, const char* user, cardan_report* report);
