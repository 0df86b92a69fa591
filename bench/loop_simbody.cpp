// SPDX-License-Identifier: BSD-3-Clause
// Simbody on a mechanism with loops: pin and ball joints in joint coordinates, ball constraints with multipliers; realized from positions to accelerations.
#include "closed_chain.h"

#include <Simbody.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

namespace {

using namespace SimTK;

Vec3 vec(const double* x) { return Vec3(x[0], x[1], x[2]); }

struct Engine {
    MultibodySystem           system;
    SimbodyMatterSubsystem    matter;
    GeneralForceSubsystem     forces;
    const closed*             c;
    std::vector<MobilizedBody> body;
    State                     state;

    explicit Engine(const closed* given) : matter(system), forces(system), c(given), body(static_cast<size_t>(given->nbody))
    {
        Force::UniformGravity(forces, matter, vec(c->gravity));
        for (int k = 0; k < c->nbody; ++k) hold(c->joint[c->order[k]]);
        for (int j = 0; j < c->njoint; ++j)
            if (c->joint[j].closes) close(c->joint[j]);
        state = system.realizeTopology();
        system.realize(state, Stage::Acceleration);
    }

    Vec3          origin(int i) const { return i < 0 ? Vec3(0) : vec(c->body[i].origin); }
    MobilizedBody at(int i) { return i < 0 ? MobilizedBody(matter.updGround()) : body[static_cast<size_t>(i)]; }

    // Bodies in world axes with their origins at their joints.
    void hold(const closed_joint& j)
    {
        const closed_body& b = c->body[j.second];
        const double*      I = b.inertia;
        const Vec3         centre = vec(b.centre) - vec(b.origin);
        const Inertia      about(I[0], I[1], I[2], I[3], I[4], I[5]);
        const Body::Rigid  rigid(MassProperties(b.mass, centre, about.shiftFromMassCenter(centre, b.mass)));
        MobilizedBody      parent = at(j.first);
        const Vec3         place  = vec(j.p) - origin(j.first);
        if (j.hinge) {
            const Rotation R(UnitVec3(vec(j.axis)), ZAxis);
            body[static_cast<size_t>(j.second)] = MobilizedBody::Pin(parent, Transform(R, place), rigid, Transform(R, Vec3(0)));
        } else {
            body[static_cast<size_t>(j.second)] = MobilizedBody::Ball(parent, Transform(place), rigid, Transform(Vec3(0)));
        }
    }

    void close(const closed_joint& j)
    {
        MobilizedBody first = at(j.first), second = at(j.second);
        Constraint::Ball(first, vec(j.p) - origin(j.first), second, vec(j.p) - origin(j.second));
    }
};

void* create(const closed* c, char* why, int size)
{
    try {
        return new Engine(c);
    } catch (const std::exception& e) {
        std::snprintf(why, static_cast<size_t>(size), "%s", e.what());
        return nullptr;
    }
}

void destroy(void* e) { delete static_cast<Engine*>(e); }

void evaluate(void* on)
{
    Engine* e = static_cast<Engine*>(on);
    e->state.updQ();
    e->system.realize(e->state, Stage::Acceleration);
}

void accelerations(void* on, double* a)
{
    Engine* e = static_cast<Engine*>(on);
    for (int j = 0; j < e->c->njoint; ++j) {
        const closed_joint& joint = e->c->joint[j];
        a[j] = joint.hinge && !joint.closes ? e->body[static_cast<size_t>(joint.second)].getOneUDot(e->state, 0) : std::nan("");
    }
}

} // namespace

extern "C" const contender loop_simbody = {"Simbody", "realize to accelerations", create, destroy, evaluate, accelerations};
