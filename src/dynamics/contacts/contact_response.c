// SPDX-License-Identifier: BSD-3-Clause
// Responses of the mechanism to contact forces, and their Delassus matrix (formulation/delassus.h).
//
// The rows of all contacts between the same two links are combinations of six rows, the components of the relative twist
// at one point o:
//
//   row e at c    e.v(c) = e.v(o) + ((c - o) x e).w           Jc = T J_6,   X = T X_6,   W = T W_6 T'
//
// so that several contacts of two links need six solves at most, and three in a planar mechanism, whose other rows are
// zero.
#include "dynamics/contacts/contact_rows.h"
#include "dynamics/contacts/contacts_tolerances.h"
#include "dynamics/solve.h"

#include <string.h>

enum { TWIST_ROWS = 6 };

static bool is_point(const cd_contacts* c, int e) { return c->contact_of[e] < c->set.n; }

// The first element with the same links; elements of joint coordinates are for themselves.
static int first_of_links(const cd_contacts* c, int e)
{
    for (int i = 0; is_point(c, e) && i < e; ++i)
        if (is_point(c, i) && c->block[i].link[0] == c->block[e].link[0] && c->block[i].link[1] == c->block[e].link[1])
            return i;
    return e;
}

// Components of the relative twist at the point o, as rows of a block.
static void twist_rows(const cardan_data* d, vec3 o, cd_row_block* b)
{
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < TWIST_ROWS; ++k) {
            const vec3 e = v3_scale(side == 0 ? 1 : -1, v3_unit(k % 3)), r = v3_sub(o, d->world.pose[b->link[side]].p);
            b->G[2 * k + side] = k < 3 ? (spatial){v3_cross(r, e), e} : (spatial){e, v3_zero()};
        }
}

// Coefficients of the rows of element e on the components of the twist at o.
static void combine(const cd_contacts* c, int e, const cd_contact* point, vec3 o, double* T)
{
    const vec3 arm = v3_sub(v3_const(point->point), o);
    for (int i = 0; i < c->block[e].nrow; ++i) {
        const vec3 n       = v3_const(i % 3 == 0 ? point->normal : point->tangent[i % 3 - 1]);
        const vec3 angular = i < 3 ? v3_cross(arm, n) : n;
        double*    row     = T + TWIST_ROWS * i;
        for (int k = 0; k < 3; ++k) {
            row[k]     = i < 3 ? v3_component(n, k) : 0;
            row[3 + k] = v3_component(angular, k);
        }
    }
}

static void add_twist_block(cardan_data* d, int e)
{
    cd_contacts*  c = d->contacts;
    spatial       G[2 * TWIST_ROWS];
    const double* point = cd_contacts_point(d, c->contact_of[e])->point;
    cd_row_block* b     = &c->basis[c->nbasis_block];
    *b                  = (cd_row_block){.row  = c->nbasis,
                                         .nrow = TWIST_ROWS,
                                         .nend = 2,
                                         .link = c->block[e].link,
                                         .G    = G,
                                         .v    = c->block[e].v,
                                         .J    = c->basis_J + (size_t)c->nbasis * (size_t)d->m->nv};
    twist_rows(d, v3_const(point), b);
    cd_contact_joint_rows(d, point, b);
    b->G = NULL;
    c->nbasis += TWIST_ROWS;
}

// J = T J_6 of an element.
static void combine_rows(cd_contacts* c, int e)
{
    const cd_row_block* twist = &c->basis[c->basis_of[e]];
    cd_row_block*       b     = &c->block[e];
    b->nv                     = twist->nv;
    b->v                      = twist->v;
    for (int i = 0; i < b->nrow; ++i) {
        const double* T = c->T + TWIST_ROWS * (b->row + i);
        for (int k = 0; k < b->nv; ++k) {
            double sum = 0;
            for (int j = 0; j < TWIST_ROWS; ++j) sum += T[j] * twist->J[j * twist->nv + k];
            b->J[i * b->nv + k] = sum;
        }
    }
}

// An element of two links with more than six contact rows.
static void add_combined(cardan_data* d, int e, int first)
{
    cd_contacts* c = d->contacts;
    if (first == e) {
        add_twist_block(d, e);
        c->basis_of[e] = c->nbasis_block++;
    }
    c->basis_of[e] = c->basis_of[first];
    combine(c, e, cd_contacts_point(d, c->contact_of[e]), v3_const(cd_contacts_point(d, c->contact_of[first])->point),
            c->T + TWIST_ROWS * c->block[e].row);
    combine_rows(c, e);
}

static void add_own(cardan_data* d, int e)
{
    cd_contacts*      c     = d->contacts;
    const cd_contact* point = cd_contacts_point(d, c->contact_of[e]);
    cd_contact_joint_rows(d, point ? point->point : NULL, &c->block[e]);
    c->basis[c->nbasis_block]     = c->block[e];
    c->basis[c->nbasis_block].row = c->nbasis;
    c->nbasis += c->block[e].nrow;
    c->basis_of[e] = c->nbasis_block++;
}

void cd_contacts_make_basis(cardan_data* d)
{
    cd_contacts* c = d->contacts;
    c->nbasis = c->nbasis_block = 0;
    memset(c->rows_of_links, 0, (size_t)c->nelement * sizeof *c->rows_of_links);
    for (int e = 0; e < c->nelement; ++e) c->rows_of_links[first_of_links(c, e)] += c->block[e].nrow;
    for (int e = 0; e < c->nelement; ++e) {
        const int first   = first_of_links(c, e);
        c->is_combined[e] = c->rows_of_links[first] > TWIST_ROWS;
        if (c->is_combined[e])
            add_combined(d, e, first);
        else
            add_own(d, e);
    }
}

// z (nbasis) += T'p of row i of element e.
static void add_combination(const cd_contacts* c, int e, int i, double p, double* z)
{
    const int first = c->basis[c->basis_of[e]].row, row = c->block[e].row + i;
    if (c->is_combined[e])
        for (int k = 0; k < TWIST_ROWS; ++k) z[first + k] += c->T[TWIST_ROWS * row + k] * p;
    else
        z[first + i] += p;
}

static double dot_combination(const cd_contacts* c, int e, int i, const double* z)
{
    const int first = c->basis[c->basis_of[e]].row, row = c->block[e].row + i;
    double    sum = 0;
    if (!c->is_combined[e]) return z[first + i];
    for (int k = 0; k < TWIST_ROWS; ++k) sum += c->T[TWIST_ROWS * row + k] * z[first + k];
    return sum;
}

// W = T W_b T', one row after the other.
static void combine_matrix(cd_contacts* c)
{
    const double* W_b = c->delassus.W;
    double*       z   = c->basis_vector;
    for (int e = 0; e < c->nelement; ++e)
        for (int i = 0; i < c->block[e].nrow; ++i) {
            const int first = c->basis[c->basis_of[e]].row, row = c->block[e].row + i;
            for (int k = 0; k < c->nbasis; ++k) z[k] = c->is_combined[e] ? 0 : W_b[(first + i) * c->nbasis + k];
            for (int j = 0; c->is_combined[e] && j < TWIST_ROWS; ++j)
                for (int k = 0; k < c->nbasis; ++k)
                    z[k] += c->T[TWIST_ROWS * row + j] * W_b[(first + j) * c->nbasis + k];
            for (int f = 0; f <= e; ++f)
                for (int k = 0; k < c->block[f].nrow; ++k) {
                    const int column = c->block[f].row + k;
                    if (column <= row)
                        c->W[row * c->nrow + column] = c->W[column * c->nrow + row] = dot_combination(c, f, k, z);
                }
        }
}

// Rows that the constraints hold, such as those across a planar mechanism: their mobility is round-off of that without
// constraints, sum of J^2 / inertia. They are set to zero.
static void clear_immobile_rows(cardan_data* d)
{
    cd_contacts* c = d->contacts;
    for (int e = 0; e < c->nelement; ++e) {
        const cd_row_block* b = &c->block[e];
        for (int i = 0; i < b->nrow; ++i) {
            const int row      = b->row + i;
            double    mobility = 0;
            for (int k = 0; k < b->nv; ++k)
                if (d->m->inertia_scale[b->v[k]] > 0)
                    mobility += b->J[i * b->nv + k] * b->J[i * b->nv + k] / d->m->inertia_scale[b->v[k]];
            if (c->W[row * (c->nrow + 1)] > cd_immobile_row * mobility) continue;
            for (int k = 0; k < c->nrow; ++k) c->W[row * c->nrow + k] = c->W[k * c->nrow + row] = 0;
        }
    }
}

cardan_status cd_contacts_update_delassus(cardan_data* d)
{
    cd_contacts* c = d->contacts;
    cd_contacts_update_rows(d);
    if (c->delassus_valid || c->nrow == 0) return CARDAN_OK;
    cd_solve_info info   = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    cardan_status status = cd_update_factor(d, &info);
    if (status != CARDAN_OK) return status;
    const cd_problem problem = cd_problem_of(d);
    const cd_rows    rows    = {.nrow = c->nbasis, .nblock = c->nbasis_block, .block = c->basis};
    status            = cd_delassus_compute(d->formulation, &problem, d->formulation_work, &rows, &c->delassus, &info);
    c->delassus_valid = status == CARDAN_OK;
    if (!c->delassus_valid) return status;
    combine_matrix(c);
    clear_immobile_rows(d);
    return CARDAN_OK;
}

cd_contact_problem cd_contacts_problem(const cd_contacts* c, double scale)
{
    return (cd_contact_problem){
        .nrow = c->nrow, .nelement = c->nelement, .W = c->W, .q = c->q, .element = c->element, .velocity_scale = scale};
}

void cd_contacts_add_response(const cardan_data* d, const double* p, double* x, double* multiplier)
{
    const cd_contacts* c  = d->contacts;
    const size_t       nv = (size_t)d->m->nv, nrow = (size_t)d->solver_rows.nrow;
    double*            z = c->basis_vector;
    memset(z, 0, (size_t)c->nbasis * sizeof *z);
    for (int e = 0; e < c->nelement; ++e)
        for (int i = 0; i < c->block[e].nrow; ++i) add_combination(c, e, i, p[c->block[e].row + i], z);
    for (size_t i = 0; i < (size_t)c->nbasis; ++i) {
        if (z[i] == 0) continue;
        for (size_t v = 0; v < nv; ++v) x[v] += c->delassus.X[i * nv + v] * z[i];
        for (size_t r = 0; multiplier && r < nrow; ++r) multiplier[r] += c->delassus.Y[i * nrow + r] * z[i];
    }
}

void cd_contacts_times(const cardan_data* d, const double* x, double* y)
{
    const cd_contacts* c = d->contacts;
    for (int e = 0; e < c->nelement; ++e) {
        const cd_row_block* b = &c->block[e];
        for (int i = 0; i < b->nrow; ++i) {
            y[b->row + i] = 0;
            for (int k = 0; k < b->nv; ++k) y[b->row + i] += b->J[i * b->nv + k] * x[b->v[k]];
        }
    }
}
