// host_field.h: what all engines in host memory share: moving, comparing, projecting and summing.
#pragma once

#include <span>
#include <vector>

#include "murmur/engine.h"
#include "murmur/ranks.h"
#include "murmur/stop.h"

namespace murmur {

// One rank's share of a swarm, for a field that computes only this share.
class Share {
 public:
  virtual ~Share() = default;
  virtual Ranks& ranks() const = 0;
  virtual int first() const = 0;                    // number of its first particle
  virtual int all() const = 0;                      // particles of all ranks
  virtual std::span<const int> counts() const = 0;  // (ranks) of each
  // Returns the whole swarm, of which `own` is this rank's share. Every rank has to call it.
  virtual const HostSwarm& everybody(const HostSwarm& own) = 0;

  // Does work of this rank that no other rank waits for. With a large swarm a stop ends it, and
  // agree() reports that to the other ranks.
  template <class Work>
  void alone(const Work& work) {
    if (all() < kLarge) return work();
    const HoldStop hold(false);
    stopped_ = stopped_ || !finishes(work);
  }
  // Throws Stopped on every rank if one was stopped. Every rank has to call it.
  void agree();

 private:
  static constexpr int kLarge = 1 << 14;  // below it a velocity takes less than a second
  bool stopped_ = false;
};

class PairAdjoint;

// Returns beta of the first head, which clock u4 uses; 0 if there is none.
double first_beta(const Dynamics& dynamics);

// Derived fields add the forces of one sublayer; this class does the rest of Field with plain
// loops.
class HostField : public Field {
 public:
  HostField(const Dynamics& dynamics, Shape shape);

  const Dynamics& dynamics() const override { return dynamics_; }
  int sublayers() const override { return static_cast<int>(dynamics_.sublayers.size()); }
  bool active(double t, int sublayer) const override {
    return dynamics_.sublayers[sublayer].active(t);
  }
  void drift(double t, int sublayer, const Swarm& x, Swarm& a) override;
  void velocity(double t, const Swarm& x, Swarm& v) override;
  void retract(const Swarm& x, std::span<const Term> terms, Swarm& y) override;
  void keep_lengths(double t, const Swarm& x, Swarm& y) override;
  double error_norm(const Swarm& a, const Swarm& b, Tolerance tolerance) override;
  void noise_increment(const NoiseStep& step, const Swarm& x, Swarm& out) override;
  void diffuse(const NoiseStep& step, const Swarm& x, Swarm& y) override;
  ClosePair nearest_pair(const Swarm& x, double delta) override;
  ParticleSums particle_sums(const Swarm& x, int threads) override;
  PairSums pair_sums(const Swarm& x, const PairRequest& request) override;

  // The adjoint of its sums over pairs, which HostAdjoint uses; nullptr: this engine has none.
  virtual PairAdjoint* pair_adjoint() { return nullptr; }

  struct Ask {
    double t;
    int sublayer;
    // Only the tangential part is wanted: since P_x x = 0, a head with V = c I may sum c (x_j -
    // x_i) instead of c x_j, and so avoid the rounding error of a particle's large weight for
    // itself.
    bool tangential;
  };
  // a_i += sum of the forces of one sublayer on this rank's share x of a swarm. By default every
  // rank computes all forces and keeps its own.
  virtual void add_shared_forces(const Ask& ask, Share& share, const HostSwarm& x, HostSwarm& a);
  // Ranks share a swarm in whole blocks of this many particles.
  virtual int shared_block() const { return 64; }

 protected:
  // a_i += sum of the forces of one sublayer at x; a has the shape of x. For clock u4 this uses the
  // kernel of u2, and this class converts it to arc length. With some normalisations and with
  // gains, x is x / |x| or g o u.
  virtual void add_forces(const Ask& ask, const HostSwarm& x, HostSwarm& a) = 0;

  // Sums over particles are computed in blocks of this many, which are added in order: ranks that
  // hold whole blocks get the same bits.
  static constexpr int kSummedTogether = 4096;
  // Sums terms (n, each), where each particle has `each` terms in a row.
  virtual double sum_over_particles(std::span<const double> terms, int each);
  // For a rank with `own` particles: the number of all particles, and the number of its first.
  virtual int particles(int own) { return own; }
  virtual int first_of(int) { return 0; }

  const Dynamics dynamics_;

 private:
  friend class HostAdjoint;  // repeats velocity and drift, and differentiates them
  const HostSwarm& force_points(double t, const HostSwarm& x);  // where the forces are evaluated
  void normalise_drift(double t, const HostSwarm& x, HostSwarm& a) const;
  bool turns_only(double t) const;   // `mix` as long as it is `post`
  void to_arc_length(HostSwarm& v);  // clock u4

  const int n0_;              // particles before any merging
  HostSwarm force_points_{};  // scratch
};

inline const HostSwarm& host(const Swarm& x) { return static_cast<const HostSwarm&>(x); }
inline HostSwarm& host(Swarm& x) { return static_cast<HostSwarm&>(x); }

// Places and fetches by copying, because the swarm of a host engine is a HostSwarm.
class HostEngine : public Engine {
 public:
  std::unique_ptr<Swarm> place(const HostSwarm& x) override;
  HostSwarm fetch(const Swarm& x) override;
  // Whether ranks that share a swarm get the same bits as one process.
  virtual bool same_when_shared() const { return true; }
};

// Returns the sums over blocks of kSummedTogether particles of terms (n, each), in order.
std::vector<double> block_sums(std::span<const double> terms, int each, int block);

// The nearest pair with chord below delta; i < 0 when there is none. Ties go to the lower rows.
ClosePair nearest_pair(const HostSwarm& x, double delta);

}  // namespace murmur
