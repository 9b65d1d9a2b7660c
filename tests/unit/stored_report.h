// stored_report.h: what a report says of a small stored run, under the right model or another.
#pragma once

#include <gtest/gtest.h>

#include "murmur/experiment.h"
#include "murmur/observe.h"
#include "murmur/run.h"
#include "reproduce/reproduce.h"
#include "reproduce/simulations.h"
#include "temporary.h"

namespace murmur::testing {

// Eight tokens in R^16, by the exact flow unless the model says otherwise.
inline Reproduction report_of_eight_tokens(const WrongModel& model) {
  const test::TemporaryDirectory folder;
  ExperimentSpec spec;
  spec.n = 8;
  spec.d = 16;
  spec.dynamics.beta = 1;
  spec.T = 14;
  spec.save = SaveChoice{SaveChoice::every, 0.2};
  model.apply(spec);
  const Experiment e = make_experiment(spec);
  const RunContents contents{.config = e.config,
                             .columns = observable_names(e.dynamics),
                             .shape = e.swarm.shape(),
                             .command = "simulate",
                             .engine = "reference"};
  murmur::Run run = murmur::Run::create(folder / "run", contents, true);
  if (model.null == NullModel::none) {
    const auto engine = make_engine(e.engine);
    EXPECT_TRUE(simulate(e, *engine, run, {}).ok());
  } else {  // observables are those of the right dynamics
    const Simulated simulated = simulate_in_memory(e, model.null);
    for (std::size_t k = 0; k < simulated.times.size(); ++k) {
      const HostSwarm& x = simulated.frames[k];
      run.append(simulated.times[k], x, observe(x, e.dynamics, observe_settings(e)));
    }
    run.close("done", {}, "");
  }
  return predictions_of(RunReader(folder / "run"), e);
}

}  // namespace murmur::testing
