// SPDX-License-Identifier: BSD-3-Clause
// Distance of two shapes by FCL, -1 if they overlap, for test_contact_oracles.c. The depths of FCL are not asked for: libccd's
// expanding polytope ends the program in some poses.
#include <fcl/fcl.h>

#include <limits>
#include <memory>
#include <vector>

using geometry = std::shared_ptr<fcl::CollisionGeometry<double>>;

// kinds in the order of contact/shapes.def; hulls: vertices (n x 3), faces as n, i_1 .. i_n each
static geometry make(int kind, const double* size, int nvertex, const double* vertex, int nface, const int* faces,
                     int nindex)
{
    switch (kind) {
    case 0:
        return std::make_shared<fcl::Sphere<double>>(size[0]);
    case 1:
        return std::make_shared<fcl::Capsule<double>>(size[0], 2 * size[1]);
    case 2:
        return std::make_shared<fcl::Box<double>>(2 * size[0], 2 * size[1], 2 * size[2]);
    case 3:
        return std::make_shared<fcl::Cylinder<double>>(size[0], 2 * size[1]);
    case 4:
        return std::make_shared<fcl::Ellipsoid<double>>(size[0], size[1], size[2]);
    default:
        break;
    }
    auto points = std::make_shared<std::vector<fcl::Vector3<double>>>();
    for (int i = 0; i < nvertex; ++i) points->emplace_back(vertex[3 * i], vertex[3 * i + 1], vertex[3 * i + 2]);
    return std::make_shared<fcl::Convex<double>>(points, nface,
                                                 std::make_shared<std::vector<int>>(faces, faces + nindex));
}

static fcl::Transform3<double> transform(const double R[9], const double p[3])
{
    fcl::Transform3<double> X = fcl::Transform3<double>::Identity();
    for (int i = 0; i < 3; ++i) {
        X.translation()(i) = p[i];
        for (int j = 0; j < 3; ++j) X.linear()(i, j) = R[3 * i + j];
    }
    return X;
}

extern "C" double fcl_distance(const int kind[2], const double* const size[2], const double* const R[2],
                               const double* const p[2], const int nvertex[2], const double* const vertex[2],
                               const int nface[2], const int* const faces[2], const int nindex[2])
{
    fcl::CollisionObject<double> A(make(kind[0], size[0], nvertex[0], vertex[0], nface[0], faces[0], nindex[0]),
                                   transform(R[0], p[0]));
    fcl::CollisionObject<double> B(make(kind[1], size[1], nvertex[1], vertex[1], nface[1], faces[1], nindex[1]),
                                   transform(R[1], p[1]));
    fcl::DistanceRequest<double> request(true, false, 0, 0, 1e-9, fcl::GST_LIBCCD);
    fcl::DistanceResult<double>  result;
    try {
        return fcl::distance(&A, &B, request, result);
    } catch (...) { // libccd gives up
        return std::numeric_limits<double>::quiet_NaN();
    }
}
