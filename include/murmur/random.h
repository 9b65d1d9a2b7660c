// random.h: counter-based random numbers; each draw is a pure function of its purpose and index.
#pragma once

#include <array>
#include <cstdint>

namespace murmur {

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011): ten rounds over a 128-bit counter.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

// The key of every random stream: a replica has its own start, random weights and noise.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint32_t replica = 0;
  bool operator==(const RandomKey&) const = default;
};

// Every stream of random numbers in the project. Numbers of removed streams are never used again.
enum class Stream : std::uint16_t {
  position = 1,       // initial laws
  query = 2,          // random query matrices
  key = 3,            // random key matrices
  value = 4,          // random value matrices
  perceptron = 5,     // random feed-forward parameters
  pairs = 6,          // pairs and rows sampled by observables of large swarms
  parameters = 7,     // initial parameters of a swarm that learns
  order = 8,          // shuffles of a training set
  shift = 9,          // random shifts of training samples
  dropout = 10,       // attention weights left out in training
  split = 11,         // which training samples are kept for validation
  noise = 12,         // Brownian motion of particles
  target = 13,        // random maps that attention is to approximate
  landscape = 14,     // starts of searches for critical points
  slices = 15,        // lines and great circles that measures are projected on
  samples = 16,       // samples that a task draws every epoch: pairs of pictures, sentences
  deform = 17,        // random linear maps and bendings of training samples
  depth = 18,         // how many blocks an update of a training runs
  readout = 20,       // points of words for readouts, class tokens and extra tokens
  redrawn = 21,       // random weights in place of those of a trained transformer
  continuation = 22,  // tokens of continuations by a transformer
  token_share = 24,   // which tokens of a training sample an update computes with
  prompts = 23,       // sentences and lists that trained transformers are given to read
};

// The index of a draw: counter = (particle, step, replica, stream * 2^16 + draw), key = seed.
struct Draw {
  std::uint64_t seed = 0;
  Stream stream = Stream::position;
  std::uint32_t particle = 0, step = 0, replica = 0;

  std::array<std::uint32_t, 4> bits(std::uint16_t draw) const;
  double uniform(std::uint16_t draw) const;  // in (0, 1), 53 bits
  double normal(std::uint16_t draw) const;   // Box-Muller over this draw's two uniforms
};

}  // namespace murmur
