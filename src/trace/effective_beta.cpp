// effective_beta.cpp: finds the minimum of a convex misfit by safeguarded Newton steps.
#include "trace/effective_beta.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/parallel.h"
#include "model/parts.h"

namespace murmur {

namespace {

// One row of attention with the cosines of the tokens that it sees.
struct FitRow {
  std::vector<double> cosine{};
  double mean_cosine = 0;  // sum_j a_ij c_ij
  double entropy = 0;      // -sum_j a_ij log a_ij
};

std::vector<int> rows_of(int n) {
  const int step = std::max(1, (n + kMostRows - 1) / kMostRows);
  std::vector<int> rows;
  for (int i = step - 1; i < n; i += step) rows.push_back(i);
  return rows;
}

// The cosines in the chosen rows.
std::vector<FitRow> cosines_of(const HostSwarm& x, bool causal, int window) {
  std::vector<FitRow> rows;
  for (const int i : rows_of(x.n())) {
    const VisibleKeys seen = visible_keys(i, x.n(), causal, window);
    FitRow row;
    row.cosine.assign(static_cast<std::size_t>(seen.end - seen.begin), 0.0);
    for (int k = 0; k < x.d(); ++k)
      for (int j = seen.begin; j < seen.end; ++j)
        row.cosine[static_cast<std::size_t>(j - seen.begin)] += x.at(i, k) * x.at(j, k);
    rows.push_back(std::move(row));
  }
  return rows;
}

void read_weights(std::vector<FitRow>& rows, const float* weights, int n, bool causal, int window) {
  const std::vector<int> chosen = rows_of(n);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const VisibleKeys seen = visible_keys(chosen[r], n, causal, window);
    const float* a = weights + static_cast<std::ptrdiff_t>(chosen[r]) * n;
    rows[r].mean_cosine = rows[r].entropy = 0;
    for (int j = seen.begin; j < seen.end; ++j) {
      rows[r].mean_cosine += a[j] * rows[r].cosine[static_cast<std::size_t>(j - seen.begin)];
      if (a[j] > 0) rows[r].entropy -= a[j] * std::log(static_cast<double>(a[j]));
    }
  }
}

struct Misfit {
  double value = 0, slope = 0, curvature = 0;  // sums over rows
};
Misfit misfit_at(const std::vector<FitRow>& rows, double beta) {
  Misfit sum;
  for (const FitRow& row : rows) {
    const auto [low, high] = std::minmax_element(row.cosine.begin(), row.cosine.end());
    const double top = beta > 0 ? *high : *low;
    double z = 0, first = 0, second = 0;
    for (const double c : row.cosine) {
      const double w = std::exp(beta * (c - top));
      z += w, first += w * c, second += w * c * c;
    }
    const double mean = first / z;
    sum.value += std::log(z) + beta * top - beta * row.mean_cosine - row.entropy;
    sum.slope += mean - row.mean_cosine;
    sum.curvature += std::max(0.0, second / z - mean * mean);
  }
  return sum;
}

// The zero of an increasing slope.
template <class At>
double minimum_of(const At& at) {
  double low = -kMostBeta, high = kMostBeta, beta = 0;
  for (int step = 0; step < 200; ++step) {
    const Misfit here = at(beta);
    if (here.slope == 0) return beta;
    (here.slope < 0 ? low : high) = beta;
    double next = beta - here.slope / here.curvature;
    if (!(next > low) || !(next < high)) next = (low + high) / 2;
    if (std::abs(next - beta) <= 1e-10 * std::max(1.0, std::abs(beta))) return next;
    beta = next;
  }
  return beta;
}

int window_of(const Description& of, std::size_t layer) {
  return of.blocks[layer % of.blocks.size()].window;
}

}  // namespace

std::vector<std::vector<EffectiveBeta>> effective_betas(const TracedText& text,
                                                        const Description& of, int threads) {
  const int n = text.n();
  const std::size_t layers = text.trace.attention.size();
  std::vector<std::vector<EffectiveBeta>> found(
      layers, std::vector<EffectiveBeta>(static_cast<std::size_t>(of.heads)));
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const int window = window_of(of, layer);
    const std::vector<FitRow> cosines =
        cosines_of(project_to_sphere(text, static_cast<int>(layer)), of.causal, window);
    for_blocks(of.heads, threads, [&](int head) {
      std::vector<FitRow> rows = cosines;
      read_weights(rows, &text.trace.attention[layer][static_cast<std::size_t>(head) * n * n], n,
                   of.causal, window);
      const auto at = [&](double beta) { return misfit_at(rows, beta); };
      const auto count = static_cast<double>(rows.size());
      EffectiveBeta& fit = found[layer][static_cast<std::size_t>(head)];
      fit.beta = minimum_of(at);
      fit.misfit = std::max(0.0, at(fit.beta).value / count);
      fit.uniform = std::max(0.0, at(0).value / count);
    });
  }
  return found;
}

CommonBeta common_beta(std::span<const TracedText> texts, const Description& of) {
  CommonBeta common;
  std::vector<FitRow> all;
  const auto fit = [](const std::vector<FitRow>& rows) {
    return rows.empty() ? 1 : minimum_of([&](double beta) { return misfit_at(rows, beta); });
  };
  for (std::size_t layer = 0; layer < texts.front().trace.attention.size(); ++layer) {
    const int window = window_of(of, layer);
    std::vector<FitRow> block;
    for (const TracedText& text : texts) {
      const auto n = static_cast<std::size_t>(text.n());
      std::vector<float> mean(n * n);  // over heads: the slope is linear in the weights
      for (std::size_t e = 0; e < text.trace.attention[layer].size(); ++e)
        mean[e % mean.size()] += text.trace.attention[layer][e] / static_cast<float>(of.heads);
      std::vector<FitRow> rows =
          cosines_of(project_to_sphere(text, static_cast<int>(layer)), of.causal, window);
      read_weights(rows, mean.data(), text.n(), of.causal, window);
      for (FitRow& row : rows)
        if (row.cosine.size() > 1) block.push_back(std::move(row));
    }
    common.by_block.push_back(fit(block));
    std::move(block.begin(), block.end(), std::back_inserter(all));
  }
  common.all = fit(all);
  return common;
}

}  // namespace murmur
