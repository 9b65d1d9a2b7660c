// transformer.cpp: the pass of a transformer over a prompt beside its matrix products alone, turn
// by turn.
//
// usage: bench_transformer MODEL [TOKENS [TURNS]]     the best of all turns counts, on one thread

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "learn/products.h"
#include "model/open_model.h"
#include "model/parts.h"
#include "peers/processor_time.h"

namespace {

using namespace murmur;

// Every product that the pass takes, on arrays of the same shapes and nothing else.
class Products {
 public:
  Products(const Transformer& model, int n) : of_(model.description()), w_(model.weights()), n_(n) {
    const int widest = std::max({of_.d, of_.hidden, of_.heads * of_.head_width, n});
    in_.assign(static_cast<std::size_t>(n) * widest, 0.5f);
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
        multiply(some, some, Turn::right, a);
        multiply(a, some, Turn::none, {gathered_.data(), n_, of_.head_width, of_.head_width});
      }
    }
  }

 private:
  void map(const Linear& f) {
    const std::vector<float> x(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(n_) * f.in);
    map_rows(x, {f.w, f.out, f.in, f.pitch, f.transposed}, 1);
  }

  const Description& of_;
  const TransformerWeights& w_;
  int n_;
  std::vector<float> in_{}, weights_{};
  std::vector<float> gathered_ = std::vector<float>(static_cast<std::size_t>(n_) * of_.head_width);
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int n = argc > 2 ? std::atoi(argv[2]) : 128, turns = argc > 3 ? std::atoi(argv[3]) : 20;
  const OpenedModel opened = open_model(argv[1]);
  std::vector<std::int64_t> ids;
  for (int i = 0; i < n; ++i) ids.push_back(i % opened.model->description().vocabulary);
  Products products(*opened.model, n);
  double pass = 1e300, alone = 1e300;
  for (int turn = 0; turn <= turns; ++turn) {
    const double start = processor_seconds();
    opened.model->pass(ids);
    const double middle = processor_seconds();
    products.run();
    if (turn == 0) continue;
    pass = std::min(pass, middle - start);
    alone = std::min(alone, processor_seconds() - middle);
  }
  fmt::print("{} {} tokens: pass {:.2f} ms, its products alone {:.2f} ms, ratio {:.2f}\n",
             opened.model->description().family, n, 1e3 * pass, 1e3 * alone, pass / alone);
}
