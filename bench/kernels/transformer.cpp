// transformer.cpp: the pass of a transformer over a prompt beside its matrix products alone, turn
// by turn, and the memory that it takes.
//
// usage: bench_transformer MODEL [TOKENS [TURNS [THREADS]]]     the best of all turns counts
// Products are single calls of OpenBLAS, on as many threads, on arrays of the same shapes, one a
// map or head. Processor time is that of all threads, beside it that of the clock. Memory is the
// largest resident set, beside the weights and what a pass keeps, both as single precision.

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "learn/products.h"
#include "model/model_folder.h"

namespace {

using namespace murmur;

// Every product that the pass takes, on arrays of the same shapes and nothing else.
class Products {
 public:
  Products(const Transformer& model, int n) : of_(model.description()), w_(model.weights()), n_(n) {
    const int widest = std::max({of_.d, of_.hidden, of_.heads * of_.head_width, n});
    in_.assign(static_cast<std::size_t>(n) * widest, 0.5f);
    out_.assign(static_cast<std::size_t>(n) * std::max(widest, w_.unembedding.out), 0.5f);
    weights_.assign(static_cast<std::size_t>(n) * n, 1.0f / static_cast<float>(n));
  }

  void run() {
    for (int layer = 0; layer < of_.layers; ++layer) {
      const BlockWeights& b = w_.blocks[of_.shared ? 0 : static_cast<std::size_t>(layer)];
      for (const Linear* f : {&b.query, &b.key, &b.value, &b.out, &b.up, &b.gate, &b.down})
        if (f->w != nullptr) map(*f);
      const int wide = of_.heads * of_.head_width;
      for (int head = 0; head < of_.heads; ++head) {
        const View some{&in_[0], n_, of_.head_width, wide}, a{weights_.data(), n_, n_, n_};
        multiply(some, some, Transposed::right, a);
        multiply(a, some, Transposed::none, {gathered_.data(), n_, of_.head_width, of_.head_width});
      }
    }
    if (w_.unembedding.w != nullptr) map(w_.unembedding);
  }

  // Multiplications and additions of all of them.
  double operations() const {
    double sum = 0;
    for (int layer = 0; layer < of_.layers; ++layer) {
      const BlockWeights& b = w_.blocks[of_.shared ? 0 : static_cast<std::size_t>(layer)];
      for (const Linear* f : {&b.query, &b.key, &b.value, &b.out, &b.up, &b.gate, &b.down})
        if (f->w != nullptr) sum += 2.0 * n_ * f->out * f->in;
      sum += 4.0 * n_ * n_ * of_.heads * of_.head_width;
    }
    return sum + 2.0 * n_ * w_.unembedding.out * w_.unembedding.in;
  }

 private:
  void map(const Linear& f) {
    const View w{const_cast<float*>(f.w), f.transposed ? f.in : f.out, f.transposed ? f.out : f.in,
                 f.pitch};
    multiply({in_.data(), n_, f.in, f.in}, w, f.transposed ? Transposed::none : Transposed::right,
             {out_.data(), n_, f.out, f.out});
  }

  const Description& of_;
  const TransformerWeights& w_;
  int n_;
  std::vector<float> in_{}, out_{}, weights_{};
  std::vector<float> gathered_ = std::vector<float>(static_cast<std::size_t>(n_) * of_.head_width);
};

// The least of several turns.
struct Best {
  double processor = 1e300, clock = 1e300;  // seconds
};

template <class Work>
void take_turn(Best& best, const Work& work) {
  const auto processor = [] {  // of all threads
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  const auto began = std::chrono::steady_clock::now();
  const double start = processor();
  work();
  best.processor = std::min(best.processor, processor() - start);
  best.clock = std::min(
      best.clock, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
}

// Of the library that is loaded already.
void let_products_use(int threads) {
  void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
  void* const set = library == nullptr ? nullptr : dlsym(library, "openblas_set_num_threads");
  if (set != nullptr) reinterpret_cast<void (*)(int)>(set)(threads);
}

double kept_by(const Trace& trace) {
  double count = static_cast<double>(trace.last.size() + trace.logits.size());
  for (const auto* all : {&trace.before, &trace.between, &trace.after, &trace.attention})
    for (const std::vector<float>& rows : *all) count += static_cast<double>(rows.size());
  return count * sizeof(float) / 1e6;
}

// Megabytes of the weights as single precision.
double weights_of(const Transformer& model) {
  const TransformerWeights& w = model.weights();
  const Description& of = model.description();
  double count = static_cast<double>(of.vocabulary) * of.embedding_width +
                 static_cast<double>(w.positions != nullptr ? of.context : 0) * of.embedding_width;
  if (w.unembedding.w != w.tokens) count += 1.0 * w.unembedding.out * w.unembedding.in;
  for (const BlockWeights& b : w.blocks)
    for (const Linear* f : {&b.query, &b.key, &b.value, &b.out, &b.up, &b.gate, &b.down})
      count += 1.0 * f->out * f->in;
  return count * sizeof(float) / 1e6;
}

double largest_resident() {  // megabytes
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int n = argc > 2 ? std::atoi(argv[2]) : 128, turns = argc > 3 ? std::atoi(argv[3]) : 20;
  const int threads = argc > 4 ? std::atoi(argv[4]) : 1;
  const PassOptions options{.threads = threads};
  const OpenedModel opened = open_model(argv[1]);
  std::vector<std::int64_t> ids;
  for (int i = 0; i < n; ++i) ids.push_back(i % opened.model->description().vocabulary);
  const double kept = kept_by(opened.model->pass(ids, options)), resident = largest_resident();
  Products products(*opened.model, n);
  products.run();
  Best pass, alone;
  for (int turn = 0; turn < turns; ++turn) {
    let_products_use(1);  // a pass shares its products among threads of its own
    take_turn(pass, [&] { opened.model->pass(ids, options); });
    let_products_use(threads);
    take_turn(alone, [&] { products.run(); });
  }
  const double weights = weights_of(*opened.model);
  fmt::print("{} {} tokens, {:.1f} Gflop, {} threads\n", opened.model->description().family, n,
             products.operations() / 1e9, threads);
  fmt::print("processor: pass {:.2f} ms, its products alone {:.2f} ms, ratio {:.2f}\n",
             1e3 * pass.processor, 1e3 * alone.processor, pass.processor / alone.processor);
  fmt::print("clock: pass {:.2f} ms, its products alone {:.2f} ms, ratio {:.2f}\n",
             1e3 * pass.clock, 1e3 * alone.clock, pass.clock / alone.clock);
  fmt::print("weights {:.0f} MB, kept {:.0f} MB, largest resident set {:.0f} MB, ratio {:.2f}\n",
             weights, kept, resident, resident / (weights + kept));
}
