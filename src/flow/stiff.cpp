// stiff.cpp: the method bdf: backward differentiation formulas of CVODE, kept on the manifold.
//
// CVODE's history is not part of a FlowState. The integration therefore restarts CVODE after every
// stretch of a fixed number of steps, from positions only. A state is always at the beginning of a
// stretch, and a continuation repeats that stretch without the frames that were already saved.
// Steps depend neither on T nor on frames, which are interpolated. The number of steps that a state
// counts, modulo the length of a stretch, lies in the stretch it begins: a continuation does not
// count these again.
#include "flow/stiff.h"

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "flow/flow_stepper.h"
#include "murmur/error.h"
#include "murmur/stop.h"

namespace murmur {

namespace {

constexpr int kStretch = 200;            // steps between restarts
constexpr int kMostDense = 2000;         // coordinates; above, GMRES instead of a dense Jacobian
constexpr int kKrylovVectors = 20;       // of GMRES
constexpr int kRetry = 1, kGiveUp = -1;  // what CVODE's callbacks return for a failure

// y' = v(t, retract(y)), y all coordinates, axis by axis (d, n). This flow keeps norms.
class System {
 public:
  System(const Flow& flow, const HostSwarm& x)
      : flow_(flow), host_(x), at_(flow.engine.place(x)), v_(flow.engine.place(x)) {}

  std::int64_t evaluations = 0, allowed = 0;  // so far, and at most
  bool repeating = false;                     // steps whose evaluations were already counted
  bool exhausted = false;                     // more evaluations were requested than allowed
  HostSwarm lost{};                           // the last velocity that was not finite
  std::exception_ptr problem{};

  std::size_t size() const { return static_cast<std::size_t>(host_.n()) * host_.d(); }
  Manifold manifold() const { return flow_.field.dynamics().manifold; }
  Shape shape() const { return host_.shape(); }
  static double* numbers(N_Vector y) { return N_VGetArrayPointer(y); }

  void write(const HostSwarm& x, N_Vector y) const {
    for (int k = 0; k < x.d(); ++k)
      std::copy_n(x.axis(k), x.n(), numbers(y) + static_cast<std::size_t>(k) * x.n());
  }

  HostSwarm retracted(N_Vector y) {
    retract(y);
    return flow_.engine.fetch(*at_);
  }

  HostSwarm velocity(double t, N_Vector y) {
    retract(y);
    flow_.field.velocity(t, *at_, *v_);
    return flow_.engine.fetch(*v_);
  }

 private:
  void retract(N_Vector y) {
    for (int k = 0; k < host_.d(); ++k)
      std::copy_n(numbers(y) + static_cast<std::size_t>(k) * host_.n(), host_.n(), host_.axis(k));
    const auto there = flow_.engine.place(host_);
    flow_.field.retract(*there, {}, *at_);
  }

  const Flow& flow_;
  HostSwarm host_;
  std::unique_ptr<Swarm> at_, v_;
};

int velocity_for_cvode(realtype t, N_Vector y, N_Vector out, void* data) {
  auto& system = *static_cast<System*>(data);
  try {
    if (!system.repeating) {
      system.exhausted = system.evaluations >= system.allowed;
      if (system.exhausted) return kGiveUp;
      ++system.evaluations;
    }
    HostSwarm v = system.velocity(t, y);
    system.write(v, out);
    const double* first = System::numbers(out);
    const bool finite = std::all_of(first, first + system.size(),
                                    [](double number) { return std::isfinite(number); });
    if (finite) return 0;
    system.lost = std::move(v);
    return kRetry;
  } catch (...) {
    system.problem = std::current_exception();
    return kGiveUp;
  }
}

//   correction_i = y_i / |y_i| - y_i,   error_i <- error_i - <x_i, error_i> x_i with x = y / |y|
int project_for_cvode(realtype, N_Vector y, N_Vector correction, realtype, N_Vector error,
                      void* data) {
  const auto [n, d] = static_cast<System*>(data)->shape();
  const double* from = System::numbers(y);
  double* to = System::numbers(correction);
  double* wrong = error == nullptr ? nullptr : System::numbers(error);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    double square = 0, along = 0;
    for (int k = 0; k < d; ++k) {
      const std::size_t e = static_cast<std::size_t>(k) * n + i;
      square += from[e] * from[e];
      if (wrong != nullptr) along += from[e] * wrong[e];
    }
    if (!(square > 0)) return kRetry;
    const double length = std::sqrt(square);
    for (int k = 0; k < d; ++k) {
      const std::size_t e = static_cast<std::size_t>(k) * n + i;
      to[e] = from[e] / length - from[e];
      if (wrong != nullptr) wrong[e] -= along / square * from[e];
    }
  }
  return 0;
}

void ignore_message(int, const char*, const char*, char*, void*) {}

// Objects of the CVODE library, each with the function that frees it.
struct Free {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
  void operator()(N_Vector y) const { N_VDestroy(y); }
  void operator()(SUNMatrix matrix) const { SUNMatDestroy(matrix); }
  void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
  void operator()(void* memory) const { CVodeFree(&memory); }
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Free>;

template <class Handle>
Owned<Handle> owned(Handle handle, const char* what) {
  if (handle == nullptr)
    throw Error(Fault::runtime, std::string("CVODE could not make its ") + what, "method=bdf",
                "free some memory, or use method=dopri5");
  return Owned<Handle>(handle);
}

SUNContext new_context() {
  SUNContext context = nullptr;
  return SUNContext_Create(nullptr, &context) == 0 ? context : nullptr;
}

// Throws an error with the name of the flag if CVODE returns anything but CV_SUCCESS.
void check_answer(int answer) {
  if (answer == CV_SUCCESS) return;
  const std::unique_ptr<char, decltype(&std::free)> name(CVodeGetReturnFlagName(answer), std::free);
  throw Error(Fault::numerical, std::string("CVODE answered ") + name.get(), "method=bdf",
              "look at rtol and atol, or use method=dopri5");
}

// CVODE from one restart on.
class Stretch {
 public:
  Stretch(System& system, const FlowState& state, Tolerance tolerance)
      : system_(system),
        begun_(state.t),
        context_(owned(new_context(), "context")),
        y_(owned(N_VNew_Serial(static_cast<sunindextype>(system.size()), context_.get()),
                 "positions")),
        between_(owned(N_VClone(y_.get()), "frame")),
        solver_(choose_solver()),
        memory_(owned(CVodeCreate(CV_BDF, context_.get()), "memory")) {
    system.write(state.x, y_.get());
    check_answer(CVodeInit(memory_.get(), velocity_for_cvode, begun_, y_.get()));
    check_answer(CVodeSetErrHandlerFn(memory_.get(), ignore_message, nullptr));
    check_answer(CVodeSStolerances(memory_.get(), tolerance.rtol, tolerance.atol));
    check_answer(CVodeSetUserData(memory_.get(), &system));
    check_answer(CVodeSetLinearSolver(memory_.get(), solver_.get(), jacobian_.get()));
    if (system.manifold() == Manifold::sphere)
      check_answer(CVodeSetProjFn(memory_.get(), project_for_cvode));
  }

  // Takes one step. The end given to CVODE only bounds its first step: it must not depend on T.
  int step() {
    const int answer =
        CVode(memory_.get(), begun_ + std::max(1.0, begun_), y_.get(), &reached_, CV_ONE_STEP);
    if (system_.problem) std::rethrow_exception(system_.problem);
    return answer;
  }

  double reached() const { return reached_; }
  HostSwarm x() { return system_.retracted(y_.get()); }
  HostSwarm at(double t) {  // inside the last step
    check_answer(CVodeGetDky(memory_.get(), t, 0, between_.get()));
    return system_.retracted(between_.get());
  }
  std::int64_t rejected() const {
    long count = 0;
    CVodeGetNumErrTestFails(memory_.get(), &count);
    return count;
  }
  double h() const {
    double step = 0;
    CVodeGetCurrentStep(memory_.get(), &step);
    return step;
  }

 private:
  Owned<SUNLinearSolver> choose_solver() {
    const auto size = static_cast<sunindextype>(system_.size());
    if (system_.size() > kMostDense)
      return owned(SUNLinSol_SPGMR(y_.get(), SUN_PREC_NONE, kKrylovVectors, context_.get()),
                   "solver");
    jacobian_ = owned(SUNDenseMatrix(size, size, context_.get()), "Jacobian");
    return owned(SUNLinSol_Dense(y_.get(), jacobian_.get(), context_.get()), "solver");
  }

  System& system_;
  const double begun_;
  double reached_ = begun_;
  Owned<SUNContext> context_;
  Owned<N_Vector> y_, between_;
  Owned<SUNMatrix> jacobian_{};  // none with GMRES
  Owned<SUNLinearSolver> solver_;
  Owned<void*> memory_;
};

class StiffFlow {
 public:
  StiffFlow(const Flow& flow, const Schedule& schedule, FlowState& state, const FlowWatch& watch)
      : flow_(flow),
        schedule_(schedule),
        state_(state),
        watch_(watch),
        frames_(schedule.frames()),
        system_(flow, state.x) {}

  Outcome advance() {
    if (state_.next_frame == 0 && schedule_.time(0) == 0) {
      keep(0, state_.x);
      state_.next_frame = 1;
    }
    while (state_.next_frame < frames_) {
      Stretch stretch(system_, state_, flow_.settings.tolerance);
      if (const auto end = advance_or_stop(stretch)) return *end;
    }
    return {Ending::finished, schedule_.T, -1, {}, {}};
  }

 private:
  void keep(double t, const HostSwarm& x) {
    if (!watch_.frame) return;
    const HostSwarm frame = unfold(state_, x);
    watch_.frame(t, {*flow_.engine.place(frame), frame});
  }

  // The watch sees how far the stretch has come; the state it may fetch is that at the beginning of
  // the stretch.
  bool pause(const Stretch& stretch) {
    if (!watch_.pause) return false;
    FlowState now;
    now.t = stretch.reached();
    now.step = state_.step;
    now.evaluations = system_.evaluations;
    now.next_frame = state_.next_frame;
    return watch_.pause(now, [this]() -> FlowState& { return state_; });
  }

  // After a stop the watch is asked as after a step; if it does not end the flow, Stopped is thrown
  // again.
  std::optional<Outcome> advance_or_stop(Stretch& stretch) {
    try {
      return advance_stretch(stretch);
    } catch (const Stopped&) {
      const HoldStop whole;
      if (!pause(stretch)) throw;
      return Outcome{Ending::interrupted, stretch.reached(), -1, {}, {}};
    }
  }

  std::optional<Outcome> advance_stretch(Stretch& stretch) {
    const auto counted = static_cast<int>(state_.step % kStretch);  // steps of this stretch
    system_.evaluations = state_.evaluations;
    system_.allowed = flow_.settings.max_evaluations;
    for (int step = 0; step < kStretch; ++step) {
      const double before = stretch.reached();
      const std::int64_t rejected = stretch.rejected();
      system_.repeating = step < counted;
      if (const int answer = stretch.step(); answer < 0) return cut_short(stretch, answer, before);
      while (state_.next_frame < frames_ &&
             schedule_.time(state_.next_frame) <= stretch.reached()) {
        const double t = schedule_.time(state_.next_frame);
        keep(t, stretch.at(t));
        ++state_.next_frame;
        if (state_.next_frame < frames_ && pause(stretch))
          return Outcome{Ending::interrupted, t, -1, {}, {}};
      }
      const bool ends = state_.next_frame == frames_, last = step + 1 == kStretch;
      if (ends && last) return std::nullopt;  // a complete stretch would have been committed
      if (!system_.repeating) count(stretch.rejected() - rejected);
      if (ends) return std::nullopt;
      if (!last && pause(stretch))
        return Outcome{Ending::interrupted, stretch.reached(), -1, {}, {}};
    }
    state_.x = stretch.x();
    state_.t = stretch.reached();
    if (pause(stretch)) return Outcome{Ending::interrupted, state_.t, -1, {}, {}};
    return std::nullopt;
  }

  void count(std::int64_t rejected) {  // one step
    ++state_.step;
    state_.rejected += rejected;
    state_.evaluations = system_.evaluations;
  }

  // Saves the last good frame, and returns the outcome.
  Outcome cut_short(Stretch& stretch, int answer, double before) {
    const bool kept = state_.next_frame > 0 && schedule_.time(state_.next_frame - 1) >= before;
    if (!kept) keep(before, stretch.x());
    if (system_.exhausted) return out_of_evaluations(before);
    const bool overflow = answer == CV_FIRST_RHSFUNC_ERR || answer == CV_REPTD_RHSFUNC_ERR ||
                          answer == CV_UNREC_RHSFUNC_ERR;
    if (!overflow) return step_too_small(before);
    Outcome outcome = not_finite(state_, Manifold::space, system_.lost, stretch.h());
    outcome.t = before;
    return outcome;
  }

  const Flow& flow_;
  const Schedule& schedule_;
  FlowState& state_;
  const FlowWatch& watch_;
  const std::int64_t frames_;
  System system_;
};

}  // namespace

bool has_stiff() { return true; }

Outcome advance_stiff(const Flow& flow, const Schedule& schedule, FlowState& state,
                      const FlowWatch& watch) {
  return StiffFlow(flow, schedule, state, watch).advance();
}

}  // namespace murmur
