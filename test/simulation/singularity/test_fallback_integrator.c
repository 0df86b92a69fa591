// SPDX-License-Identifier: BSD-3-Clause
// When the fallback integrator takes over and when the method itself restarts: by the conditioning of the state, the
// policy of the method and the length of its steps.
#include "prepared_parallelogram.h"

// A run whose longest step was 0.1 s and whose conditioning has its reference at phi = 1.5.
static bool open_with(parallelogram_run* p, const char* integrator)
{
    const double phi = PARALLELOGRAM_DESIGN;
    if (!parallelogram_prepare(p, parallelogram_at(cos(phi), sin(phi), 1, 0), "order-n", integrator, 10)) return false;
    set_parallelogram(p, 0, 1.5, 1, run_state(&p->run));
    CHECK(cd_conditioning_at(run_system(&p->run), run_state(&p->run)) == CARDAN_OK);
    cd_conditioning_track_directions(run_system(&p->run));
    run_singular_events(&p->run)->longest_step = 0.1;
    return true;
}

static void move_to(parallelogram_run* p, double t, double phi)
{
    set_parallelogram(p, t, phi, 1, run_state(&p->run));
    CHECK(cd_conditioning_at(run_system(&p->run), run_state(&p->run)) == CARDAN_OK);
}

static bool uses(const parallelogram_run* p, const char* name)
{
    return strcmp(run_integrator(&p->run)->name, name) == 0;
}

static bool enter(parallelogram_run* p, cardan_status status)
{
    return cd_fallback_integrator_enter(&p->run.simulation, status);
}

static bool update(parallelogram_run* p, double h) { return cd_fallback_integrator_update(&p->run.simulation, h); }

// A method that finds no step: only near a singular configuration, and not if the run was ended.
static void test_enter(const char* integrator)
{
    parallelogram_run p;
    if (open_with(&p, integrator)) {
        const cd_fallback_integrator* f = run_fallback(&p.run);
        CHECK(uses(&p, integrator) && f->fallback_work && !f->is_active);
        move_to(&p, 1, 0.9);
        CHECK(!enter(&p, CARDAN_STEP_TOO_SMALL) && uses(&p, integrator));
        move_to(&p, 2, 0.02);
        CHECK(!enter(&p, CARDAN_STOPPED) && !enter(&p, CARDAN_NO_MEMORY) && uses(&p, integrator));
        CHECK(enter(&p, CARDAN_STEP_TOO_SMALL) && uses(&p, "dopri5"));
        CHECK(f->is_active && f->activations == 1 && f->first_t == 2);
        CHECK(p.run.simulation.events.integrator == run_integrator(&p.run));
        CHECK(!enter(&p, CARDAN_STEP_TOO_SMALL)); // dopri5 finds no step either
        // up to s^2 = 0.1 behind the singular configuration
        move_to(&p, 2.1, -0.1);
        CHECK(run_conditioning(&p.run)->sigma_min_sq_rel > 1e-3 && run_conditioning(&p.run)->sigma_min_sq_rel < 0.1);
        CHECK(!update(&p, 0.1) && uses(&p, "dopri5"));
        move_to(&p, 2.9, -0.9);
        CHECK(run_conditioning(&p.run)->sigma_min_sq_rel > 0.1);
        CHECK(update(&p, 0.1) && uses(&p, integrator) && !f->is_active);
        CHECK(!update(&p, 0.1) && f->activations == 1);
    }
    parallelogram_close(&p);
}

// Steps below a thousandth of the longest one near a singular configuration (s^2 < 1e-3).
static void test_short_steps(const char* integrator, bool always)
{
    parallelogram_run p;
    if (open_with(&p, integrator)) {
        move_to(&p, 1, 0.1);
        CHECK(!update(&p, 1e-9) && uses(&p, integrator)); // not near
        move_to(&p, 2, 0.01);
        CHECK(run_conditioning(&p.run)->sigma_min_sq_rel < 1e-3);
        CHECK(update(&p, 1.01e-4) == always && uses(&p, always ? "dopri5" : integrator));
        if (!always) CHECK(update(&p, 0.99e-4) && uses(&p, "dopri5"));
        CHECK(run_fallback(&p.run)->activations == 1 && run_fallback(&p.run)->first_t == 2);
        cd_fallback_integrator_finish(&p.run.simulation);
        CHECK(uses(&p, integrator) && messages_with(&p.run.report, CARDAN_CODE_FALLBACK_INTEGRATOR) == 1);
        *run_fallback(&p.run) = (cd_fallback_integrator){0};
    }
    parallelogram_close(&p);
}

// Explicit methods pass by themselves, and trees have nothing to pass.
static void test_native(void)
{
    parallelogram_run p;
    prepared_run      r;
    if (open_with(&p, "dopri5")) {
        move_to(&p, 2, 0.01);
        CHECK(!run_fallback(&p.run)->fallback_work && !enter(&p, CARDAN_STEP_TOO_SMALL) && !update(&p, 1e-9));
    }
    parallelogram_close(&p);
    if (run_prepare(&r,
                    describe_text("cardan: 1\nname: top\nbodies: {b: {mass: 2, inertia: [1, 1, 1], at: [0, 0, 0]}}\n"
                                  "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z}}\n"),
                    "cholesky", "ida", 1))
        CHECK(!run_fallback(&r)->fallback_work);
    run_close(&r);
}

int main(void)
{
    RUN(test_enter("ida"));
    RUN(test_enter("generalized-alpha"));
    RUN(test_enter("hht"));
    RUN(test_enter("cvode-bdf"));
    RUN(test_enter("cvode-adams"));
    RUN(test_short_steps("ida", false));
    RUN(test_short_steps("cvode-bdf", false));
    RUN(test_short_steps("cvode-adams", true));
    RUN(test_native());
    return test_end();
}
