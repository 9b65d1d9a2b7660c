// head_fields.cpp: five fields of measures, and random measures on the sphere.
#include "reproduce/head_fields.h"

#include <cmath>

#include "murmur/random.h"

namespace murmur {

namespace {

using Eigen::MatrixXd;

constexpr int kLawHeads = 512;
constexpr double kSpread = 0.3;               // of the tokens of a cluster about its centre
constexpr double kCap = 0.5;                  // cosine of the cap's angle
constexpr std::uint32_t kFirstLaw = 100'000;  // draws of `target` below are of starting scores

MatrixXd normal_matrix(int d, double deviation, std::uint64_t seed, std::uint32_t which) {
  MatrixXd m(d, d);
  for (int a = 0; a < d; ++a)
    for (int b = 0; b < d; ++b)
      m(a, b) = deviation *
                Draw{seed, Stream::target, which}.normal(static_cast<std::uint16_t>(a * d + b));
  return m;
}

Eigen::RowVectorXd unit_vector(const Draw& who, int d) {
  Eigen::RowVectorXd x(d);
  for (int k = 0; k < d; ++k) x(k) = who.normal(static_cast<std::uint16_t>(k));
  return x.normalized();
}

// Token i of measure `which` of a seed; row n and n + 1 are centres.
Draw token(const MeasureDraws& draws, std::uint32_t which, int i) {
  return {draws.seed, Stream::position, static_cast<std::uint32_t>(i), which};
}

MatrixXd measure_of(const MeasureDraws& draws, std::uint32_t which, int d) {
  const int law = draws.law == kAllLaws ? static_cast<int>(which % kLaws) : draws.law;
  MatrixXd x(draws.n, d);
  const Eigen::RowVectorXd centres[] = {unit_vector(token(draws, which, draws.n), d),
                                        unit_vector(token(draws, which, draws.n + 1), d)};
  for (int i = 0; i < draws.n; ++i) {
    x.row(i) = unit_vector(token(draws, which, i), d);
    if (law == 1) {
      for (int k = 0; k < d; ++k)
        x(i, k) = centres[i % 2](k) +
                  kSpread * token(draws, which, i).normal(static_cast<std::uint16_t>(d + k));
      x.row(i).normalize();
    }
    if (law == 2) {  // a cap: what is outside is drawn towards the centre until it is on its edge
      const double c = x.row(i).dot(centres[0]);
      if (c < kCap) {
        const Eigen::RowVectorXd across = (x.row(i) - c * centres[0]).normalized();
        const double inside = kCap + (1 - kCap) * (1 + c) / 2;
        x.row(i) = inside * centres[0] + std::sqrt(1 - inside * inside) * across;
      }
    }
  }
  return x;
}

}  // namespace

std::vector<HeadField> head_fields() {
  return {HeadField::softmax_head, HeadField::energy, HeadField::second_moments,
          HeadField::rotation, HeadField::mean_of_heads};
}

std::string name_of(HeadField field) {
  switch (field) {
    case HeadField::softmax_head:
      return "a softmax head";
    case HeadField::energy:
      return "gradient of an energy";
    case HeadField::second_moments:
      return "second moments";
    case HeadField::rotation:
      return "rotation";
    case HeadField::mean_of_heads:
      return "mean of softmax heads";
  }
  return "";
}

FieldOfMeasures::FieldOfMeasures(HeadField field, int d) : field_(field), d_(d) {
  if (field == HeadField::softmax_head) {
    law_.scores = {3 * MatrixXd::Identity(d, d)};
    law_.values = {MatrixXd::Identity(d, d)};
  }
  if (field == HeadField::energy) {
    law_.softmax = false;
    law_.scores = {4 * MatrixXd::Identity(d, d)};
    law_.values = {std::exp(-4.0) * MatrixXd::Identity(d, d)};
  }
  if (field != HeadField::mean_of_heads) return;
  for (std::uint32_t h = 0; h < kLawHeads; ++h) {
    law_.scores.push_back(normal_matrix(d, 2, 0, kFirstLaw + h));
    law_.values.push_back(MatrixXd::Identity(d, d) / kLawHeads);
  }
}

MatrixXd FieldOfMeasures::at_tokens(const MatrixXd& x) const {
  const auto n = static_cast<double>(x.rows());
  switch (field_) {
    case HeadField::softmax_head:
    case HeadField::energy:
    case HeadField::mean_of_heads:
      return field_of(law_, x);
    case HeadField::second_moments:
      return along_sphere(x, x * (x.transpose() * x) / n);
    case HeadField::rotation: {
      const Eigen::RowVectorXd mean = x.colwise().mean();
      MatrixXd turned = MatrixXd::Zero(x.rows(), x.cols());
      turned.col(0) = -x.col(1);
      turned.col(1) = x.col(0);
      const Eigen::VectorXd rate = (x * mean.transpose()).array().square();
      return along_sphere(x, rate.asDiagonal() * turned);
    }
  }
  return {};
}

FieldSample sample_of(const FieldOfMeasures& field, const MeasureDraws& draws) {
  FieldSample sample;
  for (std::uint32_t m = 0; m < draws.count; ++m) {
    sample.tokens.push_back(measure_of(draws, draws.first + m, field.d()));
    sample.target.push_back(field.at_tokens(sample.tokens.back()));
  }
  return sample;
}

MatrixXd drawn_scores(int d, int seed, int head) {
  return normal_matrix(d, 2 / std::sqrt(static_cast<double>(d)), static_cast<std::uint64_t>(seed),
                       static_cast<std::uint32_t>(head));
}

double spread_of_law(const FieldOfMeasures& field, const MeasureDraws& draws) {
  const FieldSample sample = sample_of(field, draws);
  const int count = field.law().count();
  double squares = 0, scale = 0;
  for (std::size_t m = 0; m < sample.tokens.size(); ++m) {
    scale += sample.target[m].squaredNorm();
    for (int h = 0; h < count; ++h) {
      const HeadSum one{true, {field.law().scores[h]}, {count * field.law().values[h]}};
      squares += (field_of(one, sample.tokens[m]) - sample.target[m]).squaredNorm() / count;
    }
  }
  return std::sqrt(squares / scale);
}

}  // namespace murmur
