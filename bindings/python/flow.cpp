// flow.cpp: the running simulation behind murmur.Flow, with its frames in memory, and recorded
// simulations with forces of Python.
#include "murmur/flow.h"

#include <fmt/format.h>
#include <signal.h>

#include <cmath>
#include <limits>
#include <optional>

#include "embedded.h"
#include "murmur/observe.h"
#include "python.h"

namespace murmur::python {

namespace {

// The frames so far. Views share this object; if it has to move, existing views keep the old
// memory.
struct Frames {
  std::vector<double> times{}, rows{}, table{};  // (frames), (frames, n, d), (frames, columns)
};

class RunningFlow {
 public:
  explicit RunningFlow(Prepared prepared)
      : prepared_(std::move(prepared)),
        engine_(engine_for(prepared_)),
        field_(prepare_field(e(), *engine_)),
        state_(start(e().swarm)) {}

  const Experiment& e() const { return prepared_.experiment; }

  // Continues until the first of: `steps` further steps, `frames` further frames, the time `until`,
  // the end, watch() returns true. Returns whether it is at the end. Exceptions of Python pass
  // through after the last whole step.
  struct Stop {
    std::int64_t steps = std::numeric_limits<std::int64_t>::max();
    std::int64_t frames = std::numeric_limits<std::int64_t>::max();
    double until = std::numeric_limits<double>::infinity();
  };
  void require_idle() const {  // not while another thread advances it
    if (busy_ && !watched_)
      throw Error(Fault::runtime, "the flow is being advanced by another thread", "flow",
                  "wait for it, or give each thread a flow of its own");
  }
  bool advance(const Stop& stop, const py::object& watch, const py::object& progress);

  py::array positions() const {
    require_idle();
    const HostSwarm x = ended_ && frames() > 0 ? swarm(frames() - 1) : unfold(state_, state_.x);
    return owned(to_rows(x), {x.n(), x.d()});
  }
  double time() const {
    require_idle();
    return ended_ && frames() > 0 ? kept_->times.back() : state_.t;
  }
  std::int64_t frames() const { return static_cast<std::int64_t>(kept_->times.size()); }
  std::int64_t frames_now() const {
    require_idle();
    return frames();
  }

  py::array times_view() const {
    require_idle();
    return py::array_t<double>(static_cast<py::ssize_t>(frames()), kept_->times.data(), owner());
  }
  py::array frames_view() const {
    require_idle();
    const std::vector<py::ssize_t> shape = {frames(), e().swarm.n(), e().swarm.d()};
    return py::array_t<double>(shape, kept_->rows.data(), owner());
  }
  py::array table_view() const {
    require_idle();
    const auto columns = static_cast<py::ssize_t>(columns_.size());
    const std::vector<py::ssize_t> shape = {frames(), columns};
    return py::array_t<double>(shape, kept_->table.data(), owner());
  }

  std::shared_ptr<RunningFlow> branch(Prepared prepared) const;
  std::shared_ptr<RunningFlow> resumed(Prepared prepared) const;
  Clusters clusters_at(std::int64_t frame, double tol) const;
  std::string save(const app::RunPlace& place) const;

  const Prepared& prepared() const { return prepared_; }
  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<Merge>& merges() const { return merges_; }
  const FlowState& state() const {
    require_idle();
    return state_;
  }
  const std::optional<Outcome>& ended() const { return ended_; }
  std::string engine() const { return engine_->name(); }

 private:
  HostSwarm swarm(std::int64_t frame) const;
  py::object owner() const {
    auto* held = new std::shared_ptr<Frames>(kept_);
    return py::capsule(held, [](void* p) { delete static_cast<std::shared_ptr<Frames>*>(p); });
  }
  void keep(double t, const Frame& frame);
  Progress progress_now(const FlowState& now, Pace& pace) const;

  Prepared prepared_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Field> field_;
  FlowState state_;
  std::shared_ptr<Frames> kept_ = std::make_shared<Frames>();
  std::vector<std::string> columns_ = observable_names(prepared_.experiment.dynamics);
  std::vector<Merge> merges_{};
  std::optional<Outcome> ended_{};
  std::atomic<bool> busy_{false};
  bool watched_ = false;  // during a call of `watch`
};

const char* status_of(const RunningFlow& flow);

void RunningFlow::keep(double t, const Frame& frame) {
  const std::vector<double> row =
      observe(*field_, frame.swarm, frame.host, observe_settings(e(), t));
  const std::vector<double> rows = to_rows(frame.host);
  const auto full = [](const std::vector<double>& v, std::size_t more) {
    return v.size() + more > v.capacity();
  };
  if (kept_.use_count() > 1 &&
      (full(kept_->rows, rows.size()) || full(kept_->table, row.size()) || full(kept_->times, 1))) {
    auto roomier = std::make_shared<Frames>();
    roomier->times.reserve(2 * kept_->times.size() + 1);
    roomier->rows.reserve(2 * kept_->rows.size() + rows.size());
    roomier->table.reserve(2 * kept_->table.size() + row.size());
    roomier->times = kept_->times;
    roomier->rows = kept_->rows;
    roomier->table = kept_->table;
    kept_ = std::move(roomier);
  }
  kept_->times.push_back(t);
  kept_->rows.insert(kept_->rows.end(), rows.begin(), rows.end());
  kept_->table.insert(kept_->table.end(), row.begin(), row.end());
}

Progress RunningFlow::progress_now(const FlowState& now, Pace& pace) const {
  Progress p;
  p.done = now.t;
  p.of = e().schedule.T;
  p.what = "time";
  p.speed = static_cast<double>(now.evaluations) / std::max(pace.seconds(), 1e-9);
  p.speed_of = "evaluations";
  p.seconds_left = pace.seconds_left(now.t, e().schedule.T);
  return p;
}

bool RunningFlow::advance(const Stop& stop, const py::object& watch, const py::object& progress) {
  const Turn turn(busy_, "flow");
  if (ended_) return true;
  using Clock = std::chrono::steady_clock;
  const std::int64_t first_step = state_.step, first_frame = frames();
  const bool foreign = !prepared_.external.empty();  // may throw in the middle of a step
  FlowState whole = foreign ? state_ : FlowState();
  std::optional<py::error_already_set> raised;
  std::atomic<int> interrupted{0};  // within a step
  Clock::time_point last_check = Clock::now(), last_progress = last_check;
  Pace pace;
  FlowWatch hooks;
  hooks.frame = [&](double t, const Frame& frame) { keep(t, frame); };
  hooks.merged = [&](const Merge& merge) { merges_.push_back(merge); };
  hooks.pause = [&](const FlowState& now, const std::function<FlowState&()>& fetch) {
    if (foreign) whole = fetch();
    const auto moment = Clock::now();
    const bool look = moment - last_check > std::chrono::milliseconds(20) || !watch.is_none();
    bool leave = now.step - first_step >= stop.steps || frames() - first_frame >= stop.frames ||
                 now.t >= stop.until;
    if (interrupted != 0) return true;
    if (!look) return leave;
    last_check = moment;
    const Locked lock;
    try {
      if (signal_raised()) throw py::error_already_set();
      if (!watch.is_none()) {
        fetch();
        watched_ = true;  // it may read the flow, but not advance it
        const bool wanted = py::bool_(watch());
        watched_ = false;
        leave = leave || wanted;
      }
      if (!progress.is_none() && moment - last_progress > std::chrono::milliseconds(100)) {
        last_progress = moment;
        progress(dictionary_of(progress_now(now, pace)));
      }
    } catch (py::error_already_set& error) {
      watched_ = false;
      raised.emplace(error);
      leave = true;
    }
    return leave;
  };
  try {
    const Unlocked others(&interrupted);
    const Outcome outcome =
        murmur::advance({*engine_, *field_, e().flow, e().random}, e().schedule, state_, hooks);
    if (outcome.ending != Ending::interrupted) ended_ = outcome;
  } catch (...) {
    if (foreign) state_ = std::move(whole);
    throw;
  }
  if (raised) throw *raised;
  if (interrupted != 0) throw py::error_already_set();
  return ended_.has_value();
}

// The same particles at the same time with other parameters; the current state is the first frame.
// After the end this is the last frame, not the state before the step that reached it.
std::shared_ptr<RunningFlow> RunningFlow::branch(Prepared prepared) const {
  require_idle();
  auto other = std::make_shared<RunningFlow>(std::move(prepared));
  const FlowState here =
      ended_ && frames() > 0 ? state_at(time(), swarm(frames() - 1), state_) : state_;
  other->state_ = branch_state(here, e(), other->e(), "branch");
  const HostSwarm x = unfold(here, here.x);
  const auto placed = other->engine_->place(x);
  other->keep(here.t, {*placed, x});
  return other;
}

// The same simulation with its frames, to a larger T.
std::shared_ptr<RunningFlow> RunningFlow::resumed(Prepared prepared) const {
  require_idle();
  auto other = std::make_shared<RunningFlow>(std::move(prepared));
  other->state_ = resumed_state(state_, e(), other->e(), "resume");
  other->kept_ = std::make_shared<Frames>(*kept_);
  other->merges_ = merges_;
  if (other->e().schedule.T == e().schedule.T) other->ended_ = ended_;
  return other;
}

HostSwarm RunningFlow::swarm(std::int64_t k) const {
  const Shape shape = e().swarm.shape();
  HostSwarm x =
      from_rows(shape, kept_->rows.data() + k * static_cast<std::int64_t>(shape.n) * shape.d);
  x.mass = e().swarm.mass;
  return x;
}

Clusters RunningFlow::clusters_at(std::int64_t frame, double tol) const {
  require_idle();
  if (frame < 0) frame += frames();
  if (frame < 0 || frame >= frames())
    refuse("there is no such frame", "frame " + std::to_string(frame),
           "choose one of the " + std::to_string(frames()) + " frames");
  return clusters(swarm(frame), e().dynamics, tol > 0 ? tol : e().observe.cluster_tol);
}

// Writes a run directory as the program would; it can be resumed.
std::string RunningFlow::save(const app::RunPlace& place) const {
  require_idle();
  if (prepared_.of_objects)
    refuse("a Dynamics object cannot be stored in the files of a run", "save",
           "use parameters instead: dynamics='SA', value=array");
  Run run = app::new_simulation(place, e(), engine_->name());
  const std::size_t columns = columns_.size();
  std::size_t merged = 0;
  const auto write_merges = [&](double until) {
    for (; merged < merges_.size() && merges_[merged].t <= until; ++merged) {
      const Merge& g = merges_[merged];
      run.event(
          fmt::format(R"({{"event":"merge","t":{},"into":{},"absorbed":{},"mass":{},"left":{}}})",
                      g.t, g.into, g.absorbed, g.mass, g.left));
    }
  };
  for (std::int64_t k = 0; k < frames(); ++k) {
    write_merges(kept_->times[k]);
    run.append(kept_->times[k], swarm(k), std::span(kept_->table).subspan(k * columns, columns));
  }
  write_merges(std::numeric_limits<double>::infinity());
  const ProcessControl control;
  RecordedProcess(run, control, "t").save(state_.t, record_of(state_, e().schedule.T), true);
  run.close(status_of(*this),
            {{"t", time()},
             {"steps", static_cast<double>(state_.step)},
             {"rejected", static_cast<double>(state_.rejected)},
             {"evaluations", static_cast<double>(state_.evaluations)},
             {"groups", static_cast<double>(state_.x.n())}},
            ended_ ? ended_->what : "");
  return run.directory().string();
}

const char* status_of(const RunningFlow& flow) {
  if (!flow.ended()) return "interrupted";
  return flow.ended()->ok() ? "done" : "failed";
}

py::object outcome_of(const RunningFlow& flow) {
  if (!flow.ended()) return py::none();
  const Outcome& o = *flow.ended();
  return py::make_tuple(o.ok(), o.t, o.particle, o.what, o.remedy);
}

}  // namespace
}  // namespace murmur::python

template <>
class pybind11::detail::type_caster<murmur::python::RunningFlow>
    : public murmur::python::FilledCaster<murmur::python::RunningFlow> {};

namespace murmur::python {

namespace {

// Returns (directory, None) after the end, (directory, "") after Ctrl-C, else directory, what,
// where and what to do.
py::tuple record(const std::vector<std::string>& words, const py::object& init,
                 const py::list& external, const app::RunPlace& place, const py::object& progress) {
  const Prepared prepared = prepare(request_of(words, init, py::none(), external));
  const auto engine = engine_for(prepared);
  Run run = app::new_simulation(place, prepared.experiment, engine->name());
  std::atomic<int> signal{0};
  std::optional<py::error_already_set> raised;
  ProcessControl control{.signal = &signal};
  control.report = [&](const Progress& latest) {
    const Locked lock;
    try {
      if (signal_raised()) throw py::error_already_set();
      if (!progress.is_none()) progress(dictionary_of(latest));
    } catch (py::error_already_set& error) {
      if (!raised) raised.emplace(error);
      signal = SIGINT;
    }
  };
  Outcome outcome;
  {
    const Unlocked others(&signal);
    outcome = simulate(prepared.experiment, *engine, run, control);
  }
  if (!raised && PyErr_Occurred() != nullptr) raised.emplace();
  const std::string directory = run.directory().string();
  if (raised && !raised->matches(PyExc_KeyboardInterrupt)) throw *raised;
  if (raised) return py::make_tuple(directory, "", "", "");
  if (outcome.ok()) return py::make_tuple(directory, py::none(), "", "");
  return py::make_tuple(directory, outcome.what,
                        directory + ": t = " + std::string(py::str(py::float_(outcome.t))),
                        outcome.remedy);
}

}  // namespace

void bind_flow(py::module_& m) {
  py::class_<RunningFlow, std::shared_ptr<RunningFlow>> flow(m, "RunningFlow");
  refuse_pickling(flow);
  flow.def(py::init([](const std::vector<std::string>& words, const py::object& init,
                       const py::object& dynamics, const py::list& external) {
             return std::make_unique<RunningFlow>(
                 prepare(request_of(words, init, dynamics, external)));
           }),
           py::arg("words"), py::arg("init") = py::none(), py::arg("dynamics") = py::none(),
           py::arg("external") = py::list())
      .def(
          "advance",
          [](RunningFlow& f, const py::object& steps, const py::object& frames,
             const py::object& until, const py::object& watch, const py::object& progress) {
            RunningFlow::Stop stop;
            if (!steps.is_none()) stop.steps = steps.cast<std::int64_t>();
            if (!frames.is_none()) stop.frames = frames.cast<std::int64_t>();
            if (!until.is_none()) stop.until = until.cast<double>();
            return f.advance(stop, watch, progress);
          },
          py::arg("steps") = py::none(), py::arg("frames") = py::none(),
          py::arg("until") = py::none(), py::arg("watch") = py::none(),
          py::arg("progress") = py::none())
      .def(
          "branch",
          [](const RunningFlow& f, const std::vector<std::string>& words, const py::object& init,
             const py::object& dynamics, const py::list& external) {
            return f.branch(prepare(request_of(words, init, dynamics, external)));
          },
          py::arg("words"), py::arg("init") = py::none(), py::arg("dynamics") = py::none(),
          py::arg("external") = py::list())
      .def(
          "resumed",
          [](const RunningFlow& f, const std::vector<std::string>& words, const py::object& init,
             const py::object& dynamics, const py::list& external) {
            return f.resumed(prepare(request_of(words, init, dynamics, external)));
          },
          py::arg("words"), py::arg("init") = py::none(), py::arg("dynamics") = py::none(),
          py::arg("external") = py::list())
      .def(
          "clusters",
          [](const RunningFlow& f, std::int64_t frame, double tol) {
            const Clusters c = f.clusters_at(frame, tol);
            return py::make_tuple(c.count, py::array(py::cast(c.label)),
                                  py::array(py::cast(c.size)), py::array(py::cast(c.mass)));
          },
          py::arg("frame") = -1, py::arg("tol") = 0.0)
      .def(
          "save",
          [](const RunningFlow& f, const std::string& out, const std::string& runs, bool force) {
            return f.save({out, runs, force});
          },
          py::arg("out"), py::arg("runs"), py::arg("force"))
      .def_property_readonly("x", &RunningFlow::positions)
      .def_property_readonly("start",
                             [](const py::object& self) {
                               return view_of(self.cast<const RunningFlow&>().e().swarm, self);
                             })
      .def_property_readonly("t", &RunningFlow::time)
      .def_property_readonly("n", [](const RunningFlow& f) { return f.e().swarm.n(); })
      .def_property_readonly("d", [](const RunningFlow& f) { return f.e().swarm.d(); })
      .def_property_readonly("T", [](const RunningFlow& f) { return f.e().schedule.T; })
      .def_property_readonly("frames", &RunningFlow::frames_now)
      .def_property_readonly("steps", [](const RunningFlow& f) { return f.state().step; })
      .def_property_readonly("evaluations",
                             [](const RunningFlow& f) { return f.state().evaluations; })
      .def_property_readonly("groups", [](const RunningFlow& f) { return f.state().x.n(); })
      .def_property_readonly("times", &RunningFlow::times_view)
      .def_property_readonly("trajectory", &RunningFlow::frames_view)
      .def_property_readonly("table", &RunningFlow::table_view)
      .def_property_readonly("columns", &RunningFlow::columns)
      .def_property_readonly("status", &status_of)
      .def_property_readonly("outcome", &outcome_of)
      .def_property_readonly(
          "single", [](const RunningFlow& f) { return f.e().engine.precision == Precision::f32; })
      .def_property_readonly("masses",
                             [](const RunningFlow& f) {
                               const auto n = static_cast<py::ssize_t>(f.e().swarm.mass.size());
                               return owned(f.e().swarm.mass, {n});
                             })
      .def_property_readonly(
          "merges",
          [](const RunningFlow& f) {
            py::list all;
            for (const Merge& g : f.merges())
              all.append(py::make_tuple(g.t, g.into, g.absorbed, g.mass, g.left));
            return all;
          })
      .def_property_readonly("engine", &RunningFlow::engine)
      .def_property_readonly("config", [](const RunningFlow& f) { return f.e().config; })
      .def_property_readonly("name", [](const RunningFlow& f) { return f.e().name; })
      .def_property_readonly("seed", [](const RunningFlow& f) { return f.e().random.seed; })
      .def_property_readonly("external",
                             [](const RunningFlow& f) { return external_of(f.prepared().words); })
      .def_property_readonly("of_objects",
                             [](const RunningFlow& f) { return f.prepared().of_objects; })
      .def_property_readonly("manifold",
                             [](const RunningFlow& f) { return word_of(f.e().dynamics.manifold); })
      .def_property_readonly("dynamics", [](const RunningFlow& f) { return f.e().dynamics; })
      .def_property_readonly("equation", [](const RunningFlow& f) {
        return f.prepared().of_objects ? equation_text(f.e().dynamics)
                                       : equation_text(f.e(), f.prepared().words);
      });
}

void bind_record(py::module_& m) {
  m.def("record", [](const std::vector<std::string>& words, const py::object& init,
                     const py::list& external, const std::string& out, const std::string& runs,
                     bool force, const py::object& progress) {
    return record(words, init, external, {out, runs, force}, progress);
  });
}

}  // namespace murmur::python
