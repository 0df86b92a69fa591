// SPDX-License-Identifier: BSD-3-Clause
// Properties of links: inertias of bodies, frames of bodies, markers and joints.
#include "model/compile/model_compiler.h"

#include <string.h>

// m, h = m c, I about the link's origin: R Ic R' + m (|c|^2 1 - c c')
static void add_inertia(cd_parametric* parametric, cd_link* link, const cardan_body* body, cardan_pose T)
{
    double R[9], c[3], J[9] = {0};
    par_q4_matrix(parametric, T.q, R);
    par_pose_point(parametric, T, body->centre, c);
    const double* i6       = body->inertia;
    const double  Ic[3][3] = {{i6[0], i6[3], i6[4]}, {i6[3], i6[1], i6[5]}, {i6[4], i6[5], i6[2]}};
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            for (int k = 0; k < 3; ++k)
                for (int n = 0; n < 3; ++n)
                    J[3 * a + b] = par_add_product(parametric, J[3 * a + b],
                                                   par_mul(parametric, R[3 * a + k], Ic[k][n]), R[3 * b + n]);
    const double m = body->mass, cc = par_dot(parametric, c, c);
    for (int a = 0; a < 3; ++a) {
        link->h[a] = par_add_product(parametric, link->h[a], m, c[a]);
        link->I[a] =
            par_add(parametric, link->I[a],
                    par_add_product(parametric, J[4 * a], m, par_sub(parametric, cc, par_mul(parametric, c[a], c[a]))));
    }
    link->m = par_add(parametric, link->m, m);
    for (int i = 3; i < 6; ++i) {
        const int a = i == 5, b = i == 3 ? 1 : 2;
        link->I[i] =
            par_add(parametric, link->I[i],
                    par_sub(parametric, J[3 * a + b], par_mul(parametric, par_mul(parametric, m, c[a]), c[b])));
    }
}

static cd_link_frame link_frame_of(const cd_model_compiler* c, int body, cardan_pose pose)
{
    cd_link_frame     at;
    const cardan_pose T = par_pose_mul(c->parametric, cd_model_compiler_body_pose(c, body, &at.link), pose);
    par_q4_matrix(c->parametric, T.q, at.R);
    memcpy(at.p, T.p, sizeof at.p);
    return at;
}

void cd_compile_link_frames(cd_model_compiler* c)
{
    cardan_model*                  m    = c->m;
    const cardan_description_view* view = &m->view;
    for (int i = 0; i < m->nbody; ++i) {
        int               link;
        const cardan_pose T = cd_model_compiler_body_pose(c, i, &link);
        m->body[i]          = link_frame_of(c, i, cardan_pose_default());
        if (link >= 0) add_inertia(c->parametric, &m->link[link], &view->body[i], T);
    }
    for (int i = 0; i < m->nlink; ++i) {
        cd_link*       link       = &m->link[i];
        cd_parametric* parametric = c->parametric;
        const double   half =
            par_div(parametric, par_add(parametric, par_add(parametric, link->I[0], link->I[1]), link->I[2]), 2);
        for (int a = 0; a < 6; ++a) link->second_moment[a] = par_sub(parametric, a < 3 ? half : 0, link->I[a]);
        link->is_massless = link->m == 0 && half == 0;
    }
    for (int i = 0; i < m->nmarker; ++i) m->marker[i] = link_frame_of(c, view->marker[i].body, view->marker[i].pose);
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_joint joint = cd_model_compiler_joint(c, j);
        m->joint[j].frame_first  = link_frame_of(c, joint.first_body, joint.frame_first);
        m->joint[j].frame_second = link_frame_of(c, joint.second_body, joint.frame_second);
    }
}
