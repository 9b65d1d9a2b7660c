// carry.cpp: carries a measure through time, by coefficients or by particles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "meanfield/continuum.h"
#include "meanfield/march.h"
#include "meanfield/particles.h"
#include "murmur/error.h"
#include "murmur/moments.h"

namespace murmur {

namespace {

using namespace meanfield;

std::unique_ptr<Continuum> continuum_of(const MeanField& field, int modes) {
  const int most = field.d == 2 ? 8192 : 256;
  if (modes < 4 || modes > most)
    throw Error(Fault::input, "there cannot be so many modes", fmt::format("modes = {}", modes),
                fmt::format("give 4 to {}", most));
  return field.d == 2 ? make_circle(field, modes) : make_sphere(field, modes);
}

// What is wrong with a reading that the coefficients no longer resolve; empty: nothing.
std::string lost(const MeanFieldReading& r, const MeanFieldMethod& method) {
  if (!(r.tail <= method.most_tail))
    return fmt::format("the last modes have grown to {:.2g}: the density is too sharp for them",
                       r.tail);
  if (!(r.least >= -method.most_negative * std::fmax(1, r.greatest)))
    return fmt::format("the density has become negative, {:.2g} of the uniform one", r.least);
  return {};
}

class SpectralCourse {
 public:
  SpectralCourse(const MeanField& field, const Measure& start, const MeanFieldMethod& method)
      : method_(method), continuum_(continuum_of(field, method.modes)) {
    march_.flow = [this](const State& y, State& f) { continuum_->flow(y, f); };
    march_.tolerance = method.tolerance;
    march_.y = continuum_->start(start);
    if (field.noise > 0)
      for (const double eigenvalue : continuum_->laplacian())
        march_.decay.push_back(field.noise * eigenvalue);
  }

  MeanFieldCourse run(const MeanFieldPlan& plan) {
    const Schedule& schedule = plan.schedule;
    MeanFieldCourse course;
    course.steps.push_back(read(0, march_.y).reading);
    if (stop_unresolved(course)) return course;
    std::int64_t next = keep(plan, 0);
    while (march_.t < schedule.T) {
      if (!march_.step(schedule.T)) {
        end(course, Ending::step_too_small, "steps became too small", "lower beta or T");
        break;
      }
      course.steps.push_back(read(march_.t, march_.y).reading);
      if (stop_unresolved(course)) break;
      next = keep(plan, next);
      if (plan.stop && plan.stop(course.steps.back())) {
        end(course, Ending::interrupted, "stopped", "");
        break;
      }
      if (march_.evaluations > method_.max_evaluations) {
        end(course, Ending::too_many_evaluations, "max_evaluations is reached",
            "raise max_evaluations, or lower T");
        break;
      }
    }
    course.outcome.t = course.steps.back().t;
    course.evaluations = march_.evaluations;
    return course;
  }

 private:
  MeanFieldFrame read(double t, const State& y) {
    MeanFieldFrame frame = continuum_->read(y);
    frame.reading.t = t;
    return frame;
  }

  static void end(MeanFieldCourse& course, Ending ending, std::string what, std::string remedy) {
    course.outcome.ending = ending;
    course.outcome.what = std::move(what);
    course.outcome.remedy = std::move(remedy);
  }

  // The step that lost its resolution does not count.
  bool stop_unresolved(MeanFieldCourse& course) {
    const std::string what = lost(course.steps.back(), method_);
    if (what.empty()) return false;
    course.unresolved = true;
    end(course, Ending::not_finite, what, "use more modes, or solver=quantiles, or noise");
    course.evaluations = march_.evaluations;
    if (course.steps.size() > 1) course.steps.pop_back();
    course.outcome.t = course.steps.back().t;
    return true;
  }

  std::int64_t keep(const MeanFieldPlan& plan, std::int64_t next) {
    const Schedule& schedule = plan.schedule;
    for (; next < schedule.frames() && schedule.time(next) <= march_.t; ++next)
      if (plan.frame) plan.frame(read(schedule.time(next), march_.at(schedule.time(next))));
    return next;
  }

  MeanFieldMethod method_;
  std::unique_ptr<Continuum> continuum_;
  March march_;
};

MeanFieldCourse fly_particles(const MeanField& field, const Measure& start,
                              const MeanFieldMethod& method, const MeanFieldPlan& plan) {
  if (field.noise > 0)
    throw Error(Fault::input, "particles here carry no noise", "solver = quantiles",
                "use solver=spectral, or murmur simulate with noise");
  if (method.particles < 2)
    throw Error(Fault::input, "two particles are the least", "particles", "give 2 or more");
  const HostSwarm x = particles_of(start, field.d, method.particles);
  const auto engine = field.d == 2 ? make_moments_engine({.threads = method.threads})
                                   : make_simd_engine(Precision::f64, method.threads);
  const auto prepared = engine->prepare(dynamics_of(field), x.shape());
  MeanFieldCourse course;
  const ParticleReader reader = reader_of(field, method.threads);
  const auto read = [&](double t, const HostSwarm& at) {
    MeanFieldFrame frame = reader.read(at);
    frame.reading.t = t;
    return frame;
  };
  course.steps.push_back(read(0, x).reading);
  FlowWatch flow;
  flow.frame = [&](double t, const HostSwarm& at) {
    const MeanFieldFrame frame = read(t, at);
    if (plan.frame) plan.frame(frame);
    if (t >= plan.schedule.T)
      course.steps.push_back(frame.reading);  // the last step is not committed
  };
  flow.pause = [&](const FlowState& state, const std::function<FlowState&()>& fetch) {
    if (state.t <= course.steps.back().t) return false;
    course.steps.push_back(read(state.t, fetch().x).reading);
    return plan.stop && plan.stop(course.steps.back());
  };
  FlowState state = murmur::start(x);
  course.outcome = advance({*engine,
                            *prepared,
                            Habitat::sphere,
                            {.tolerance = method.tolerance,
                             .merge = method.merge,
                             .max_evaluations = method.max_evaluations}},
                           plan.schedule, state, flow);
  course.evaluations = state.evaluations;
  return course;
}

}  // namespace

std::vector<double> density_cells(const MeanField& field, const MeanFieldMethod& method) {
  if (method.solver == MeanFieldMethod::quantiles) return particle_cells(field.d);
  return continuum_of(field, method.modes)->cells();
}

MeanFieldCourse carry(const MeanField& field, const Measure& start, const MeanFieldMethod& method,
                      const MeanFieldPlan& plan) {
  check(field);
  check(start, field.d);
  if (method.solver == MeanFieldMethod::quantiles) return fly_particles(field, start, method, plan);
  if (!start.atoms.empty())
    throw Error(Fault::input, "atoms have no density", "init",
                "use solver=quantiles, or bumps with a large kappa");
  return SpectralCourse(field, start, method).run(plan);
}

}  // namespace murmur
