// c++ -std=c++17 05_frame_loop.cpp $(pkg-config --cflags --libs cardan) -o 05_frame_loop && ./05_frame_loop double_pendulum.yaml
//
// C++: a loop of 60 frames per second. After one second the simulation returns to the state of the first half second
// and continues from there, as a viewer does that is rewound.
#include <cardan/cardan.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

namespace
{

cardan_report report;

void require(cardan_status status)
{
    if (status != CARDAN_OK) throw std::runtime_error(report.count > 0 ? report.message[0].text : "failed");
}

template <auto destroy> struct destroyer {
    template <typename T> void operator()(T* object) const { destroy(object); }
};

struct close_simulation {
    void operator()(cardan_simulation* simulation) const { cardan_simulation_close(simulation, nullptr, nullptr); }
};

// A mechanism that is simulated frame by frame; members are destroyed in reverse order.
class mechanism
{
public:
    explicit mechanism(const char* path)
    {
        const int           formulation = cardan_formulation_find("auto");
        cardan_description* loaded      = nullptr;
        cardan_model*       compiled    = nullptr;
        cardan_data*        created     = nullptr;
        cardan_simulation*  opened      = nullptr;
        require(cardan_description_load(path, nullptr, &loaded, &report));
        description.reset(loaded);
        require(cardan_model_compile(loaded, cardan_formulation_tree_policy(formulation), &compiled, &report));
        model.reset(compiled);
        require(cardan_data_create(compiled, formulation, &created, &report));
        data.reset(created);
        cardan_run_settings run = cardan_run_default();
        run.output_interval     = 1.0 / 60;
        run.end                 = INFINITY;
        require(cardan_simulation_open(created, &run, &opened, &report));
        simulation.reset(opened);
    }

    cardan_sample advance(double t)
    {
        cardan_sample sample{};
        require(cardan_simulation_advance(simulation.get(), t, &report));
        require(cardan_simulation_sample(simulation.get(), &sample, &report));
        return sample;
    }

    void restart(double t, const std::vector<double>& q, const std::vector<double>& v)
    {
        require(cardan_simulation_restart(simulation.get(), t, q.data(), v.data(), nullptr, &report));
    }

    cardan_model_view view() const { return cardan_model_get_view(model.get()); }

private:
    std::unique_ptr<cardan_description, destroyer<cardan_description_destroy>> description;
    std::unique_ptr<cardan_model, destroyer<cardan_model_destroy>>             model;
    std::unique_ptr<cardan_data, destroyer<cardan_data_destroy>>               data;
    std::unique_ptr<cardan_simulation, close_simulation>                       simulation;
};

} // namespace

int main(int count, char** argument)
try {
    if (count != 2) throw std::runtime_error("usage: 05_frame_loop MODEL");
    mechanism           pendulum(argument[1]);
    std::vector<double> q, v;
    for (int pass = 1; pass <= 2; ++pass) {
        for (int frame = pass == 1 ? 1 : 31; frame <= 60; ++frame) {
            const cardan_sample sample = pendulum.advance(frame / 60.0);
            if (frame == 30) q.assign(sample.q, sample.q + pendulum.view().nq);
            if (frame == 30) v.assign(sample.v, sample.v + pendulum.view().nv);
            if (frame % 20 == 0)
                std::printf("pass %d   t = %.3f s   shoulder %6.3f rad\n", pass, sample.t, sample.q[0]);
        }
        pendulum.restart(0.5, q, v);
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
