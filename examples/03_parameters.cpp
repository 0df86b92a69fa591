// c++ -std=c++17 03_parameters.cpp $(pkg-config --cflags --libs cardan) -o 03_parameters && ./03_parameters
//
// C++: build a pendulum from points and axes in the world, then load one from a text and change its length without
// reading the text again. Smart pointers destroy the objects in the right order.
#include <cardan/cardan.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace
{

template <auto destroy> struct destroyer {
    template <typename T> void operator()(T* object) const { destroy(object); }
};
using description_pointer = std::unique_ptr<cardan_description, destroyer<cardan_description_destroy>>;
using model_pointer       = std::unique_ptr<cardan_model, destroyer<cardan_model_destroy>>;
using data_pointer        = std::unique_ptr<cardan_data, destroyer<cardan_data_destroy>>;

cardan_report report;

void require(cardan_status status)
{
    if (status != CARDAN_OK) throw std::runtime_error(report.count > 0 ? report.message[0].text : "failed");
}

// Acceleration of a mechanism with one coordinate, at rest at q = 0.
double acceleration(const cardan_description* description)
{
    cardan_model* model = nullptr;
    cardan_data*  data  = nullptr;
    require(cardan_model_compile(description, CARDAN_TREE_AUTO, &model, &report));
    const model_pointer owned_model(model);
    require(cardan_data_create(model, CARDAN_FORMULATION_AUTO, &data, &report));
    const data_pointer owned_data(data);
    const double       zero = 0;
    double             a    = 0;
    require(cardan_data_set_state(data, 0, &zero, &zero, nullptr));
    require(cardan_data_accelerate(data, &a, nullptr, &report));
    return a;
}

// A point mass at 1 m along x from a revolute joint about y at the origin.
description_pointer point_mass()
{
    description_pointer description(cardan_description_create("point mass"));
    cardan_body         bob      = cardan_body_default("bob");
    bob.mass                     = 1;
    bob.pose.p[0]                = 1;
    const int          body      = cardan_description_add_body(description.get(), &bob);
    const double       origin[3] = {0, 0, 0}, y[3] = {0, 1, 0};
    const cardan_joint hinge = cardan_joint_at(description.get(), "hinge", "revolute", CARDAN_GROUND, body, origin, y);
    cardan_description_add_joint(description.get(), &hinge);
    return description;
}

const char rod_text[] = R"(cardan: 1
parameters: {l: 1}
bodies: {rod: {rod: [[0, 0, 0], [=l, 0, 0]], mass: 2}}
joints: {hinge: {revolute: [ground, rod], at: [0, 0, 0], axis: y}}
)";

} // namespace

int main()
try {
    std::printf("point mass    %.6f rad/s^2\n", acceleration(point_mass().get()));
    cardan_description* loaded = nullptr;
    require(cardan_description_load_text(rod_text, "rod.yaml", nullptr, &loaded, &report));
    const description_pointer rod(loaded);
    for (double length : {0.5, 1.0, 2.0}) {
        const char* const name = "l";
        require(cardan_description_set_parameters(rod.get(), 1, &name, &length, &report));
        std::printf("rod of %.1f m  %.6f rad/s^2\n", length, acceleration(rod.get()));
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
