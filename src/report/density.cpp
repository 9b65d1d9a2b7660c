// density.cpp: the density of a swarm, or of infinitely many tokens, on the sphere of R^3.
#include <fmt/format.h>

#include <memory>

#include "experiment/meanfield_setup.h"
#include "murmur/error.h"
#include "report/figures.h"
#include "report/meanfield_maps.h"

namespace murmur {

SphereDensity density_of_swarm(const RunReader& run, const Experiment& e) {
  if (e.dynamics.manifold != Manifold::sphere || run.shape().d != 3)
    throw Error(Fault::input, "a globe shows densities on the sphere of three coordinates",
                run.directory().string(), "use a run on the sphere with d = 3");
  const double h = density_width(run.shape().n);
  return {.times = run.times(),
          .frame = [run, h](std::int64_t k) { return kernel_density(run.frame(k), h); },
          .tokens = [run](std::int64_t k) { return run.frame(k); }};
}

SphereDensity density_of_meanfield(const RunReader& run) {
  if (run.shape().d != 3)
    throw Error(Fault::input, "a globe shows densities on the sphere of three coordinates",
                run.directory().string(), "use a mean field with d = 3");
  const auto seen = std::make_shared<SeenMeanField>(see_meanfield(run));
  std::vector<double> latitudes, longitudes;
  for (int r = 0; r < SphereDensity::kRows; ++r)
    latitudes.push_back(180 * ((r + 0.5) / SphereDensity::kRows - 0.5));
  for (int c = 0; c < SphereDensity::kColumns; ++c)
    longitudes.push_back(360 * ((c + 0.5) / SphereDensity::kColumns - 0.5));
  return {.times = seen->t, .frame = [=](std::int64_t k) {
            return density_over(*seen, static_cast<std::size_t>(k), latitudes, longitudes);
          }};
}

SceneSettings density_scene_of_meanfield(const RunReader& run, const PictureStyle& style) {
  const Settings settings =
      gather({.base = (run.directory() / "config.toml").string()}, meanfield_parameters());
  SceneSettings scene;
  scene.style = style;
  scene.title = settings.at("name").text;
  scene.caption = fmt::format("infinitely many tokens, {}, β\u00a0=\u00a0{}, d\u00a0=\u00a03",
                              settings.at("dynamics").text, settings.at("beta").text);
  return scene;
}

std::string density_caption(int n) {
  return fmt::format(". Density of tokens, each spread by a kernel of {:.2g}\u00a0rad.",
                     density_width(n));
}

}  // namespace murmur
