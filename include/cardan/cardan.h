// SPDX-License-Identifier: BSD-3-Clause
// Cardan: dynamics of rigid multibody systems. This header includes all other public headers.
#pragma once

#include <cardan/analyse.h>
#include <cardan/assemble.h>
#include <cardan/codes.h>
#include <cardan/contact.h>
#include <cardan/contact_state.h>
#include <cardan/derivatives.h>
#include <cardan/describe.h>
#include <cardan/diagnose.h>
#include <cardan/dynamics.h>
#include <cardan/family.h>
#include <cardan/generate.h>
#include <cardan/interact.h>
#include <cardan/io.h>
#include <cardan/kinematics.h>
#include <cardan/model.h>
#include <cardan/optimize.h>
#include <cardan/simulate.h>
#include <cardan/suspension.h>
#include <cardan/status.h>
#include <cardan/version.h>
