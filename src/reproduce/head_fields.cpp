// head_fields.cpp: attention heads with their Jacobian, damped least squares, and five fields of
// measures on the sphere.
#include "reproduce/head_fields.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "murmur/random.h"

namespace murmur {

namespace {

using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

// (rows of `at`, n) a_ij of one head
MatrixXd weights_of(const HeadSum& heads, int head, const MatrixXd& tokens, const MatrixXd& at) {
  MatrixXd a = at * heads.scores[head] * tokens.transpose();
  if (!heads.softmax) return a.array().exp() / static_cast<double>(tokens.rows());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    a.row(i) = (a.row(i).array() - a.row(i).maxCoeff()).exp();
    a.row(i) /= a.row(i).sum();
  }
  return a;
}

// (d, d-1) an orthonormal frame of the tangent space at x: columns of the reflection that takes x
// to an axis.
MatrixXd frame_at(const RowVectorXd& x) {
  const Eigen::Index d = x.size();
  VectorXd v = x.transpose();
  v(0) += v(0) >= 0 ? 1 : -1;
  const MatrixXd reflected = MatrixXd::Identity(d, d) - 2 / v.squaredNorm() * v * v.transpose();
  return reflected.rightCols(d - 1);
}

Eigen::Index parameters_per_head(Eigen::Index d) { return 2 * d * d; }

// Adds a step along all S_h and V_h, in the order of the Jacobian's columns.
HeadSum stepped(const HeadSum& heads, const VectorXd& step) {
  HeadSum moved = heads;
  Eigen::Index at = 0;
  for (int h = 0; h < heads.count(); ++h)
    for (MatrixXd* m : {&moved.scores[h], &moved.values[h]})
      for (Eigen::Index a = 0; a < m->rows(); ++a)
        for (Eigen::Index b = 0; b < m->cols(); ++b) (*m)(a, b) += step(at++);
  return moved;
}

double squares_of(const HeadSum& heads, const FieldSample& sample) {
  double sum = 0;
  for (std::size_t m = 0; m < sample.tokens.size(); ++m)
    sum += (field_of(heads, sample.tokens[m]) - sample.target[m]).squaredNorm();
  return sum;
}

// J^T J and J^T r of all measures, several multiplied at once.
struct Normal {
  MatrixXd square;
  VectorXd slope;
};
Normal normal_of(const HeadSum& heads, const FieldSample& sample, const VectorXd& active) {
  const Eigen::Index d = sample.tokens.front().cols(), n = sample.tokens.front().rows();
  const Eigen::Index width = parameters_per_head(d) * heads.count(), rows = n * (d - 1);
  constexpr std::size_t kBlock = 16;  // measures
  Normal normal{MatrixXd::Zero(width, width), VectorXd::Zero(width)};
  for (std::size_t first = 0; first < sample.tokens.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, sample.tokens.size() - first);
    MatrixXd jacobian(rows * static_cast<Eigen::Index>(count), width);
    VectorXd residual(jacobian.rows());
    for (std::size_t m = 0; m < count; ++m) {
      const MatrixXd& x = sample.tokens[first + m];
      const auto at = static_cast<Eigen::Index>(m) * rows;
      jacobian.middleRows(at, rows) = jacobian_of(heads, x);
      residual.segment(at, rows) = in_frames(x, field_of(heads, x) - sample.target[first + m]);
    }
    jacobian = jacobian * active.asDiagonal();
    normal.square.selfadjointView<Eigen::Lower>().rankUpdate(jacobian.transpose());
    normal.slope.noalias() += jacobian.transpose() * residual;
  }
  return normal;
}

}  // namespace

MatrixXd along_sphere(const MatrixXd& x, MatrixXd a) {
  for (Eigen::Index i = 0; i < x.rows(); ++i) a.row(i) -= x.row(i).dot(a.row(i)) * x.row(i);
  return a;
}

MatrixXd field_at(const HeadSum& heads, const MatrixXd& tokens, const MatrixXd& at) {
  MatrixXd sum = MatrixXd::Zero(at.rows(), at.cols());
  for (int h = 0; h < heads.count(); ++h)
    sum.noalias() += weights_of(heads, h, tokens, at) * tokens * heads.values[h].transpose();
  return along_sphere(at, std::move(sum));
}

MatrixXd field_of(const HeadSum& heads, const MatrixXd& x) { return field_at(heads, x, x); }

VectorXd in_frames(const MatrixXd& x, const MatrixXd& a) {
  const Eigen::Index side = x.cols() - 1;
  VectorXd out(x.rows() * side);
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    out.segment(i * side, side) = frame_at(x.row(i)).transpose() * a.row(i).transpose();
  return out;
}

//   d F_i / d V_pq = P_i e_p m_q,    d F_i / d S_ab = x_ia P_i V C_i e_b,
//   C_i = sum_j a_ij (x_j - m_i) x_j^T, the covariance under row i; without -m_i if unnormalised
MatrixXd jacobian_of(const HeadSum& heads, const MatrixXd& x) {
  const Eigen::Index n = x.rows(), d = x.cols(), side = d - 1;
  MatrixXd out(n * side, parameters_per_head(d) * heads.count());
  std::vector<MatrixXd> frames;
  for (Eigen::Index i = 0; i < n; ++i) frames.push_back(frame_at(x.row(i)).transpose());
  for (int h = 0; h < heads.count(); ++h) {
    const MatrixXd weights = weights_of(heads, h, x, x), mean = weights * x;
    const Eigen::Index at = parameters_per_head(d) * h;
    for (Eigen::Index i = 0; i < n; ++i) {
      MatrixXd covariance = x.transpose() * weights.row(i).transpose().asDiagonal() * x;
      if (heads.softmax) covariance -= mean.row(i).transpose() * mean.row(i);
      const MatrixXd push = frames[i] * heads.values[h] * covariance;  // (d-1, d)
      for (Eigen::Index a = 0; a < d; ++a)
        out.block(i * side, at + a * d, side, d) = x(i, a) * push;
      for (Eigen::Index p = 0; p < d; ++p)
        out.block(i * side, at + d * d + p * d, side, d) = frames[i].col(p) * mean.row(i);
    }
  }
  return out;
}

FieldError error_of(const HeadSum& heads, const FieldSample& sample) {
  double squares = 0, scale = 0, most = 0, rows = 0;
  for (std::size_t m = 0; m < sample.tokens.size(); ++m) {
    const MatrixXd off = field_of(heads, sample.tokens[m]) - sample.target[m];
    squares += off.squaredNorm();
    scale += sample.target[m].squaredNorm();
    most = std::max(most, off.rowwise().norm().maxCoeff());
    rows += static_cast<double>(off.rows());
  }
  return {std::sqrt(squares / scale), most / std::sqrt(scale / rows)};
}

void fit_values(const FieldSample& sample, HeadSum& heads) {
  for (MatrixXd& value : heads.values) value.setZero();
  train_heads(sample, {.iterations = 1, .only_values = true}, heads);
}

// A step solves (J^T J + damping D) p = -J^T r, D the diagonal of J^T J with a floor; the damping
// falls where a step lowers the sum as its linear model predicts, and rises where it does not
// (Nielsen 1999).
void train_heads(const FieldSample& sample, const HeadTraining& how, HeadSum& heads) {
  const Eigen::Index d = sample.tokens.front().cols();
  VectorXd active = VectorXd::Ones(parameters_per_head(d) * heads.count());
  if (how.only_values)
    for (int h = 0; h < heads.count(); ++h)
      active.segment(parameters_per_head(d) * h, d * d).setZero();
  double damping = how.only_values ? 1e-10 : 1e-3, growth = 2;
  double squares = squares_of(heads, sample);
  for (int k = 0; k < how.iterations && squares > 0; ++k) {
    if (how.stop && how.stop()) return;
    const Normal normal = normal_of(heads, sample, active);
    const VectorXd diagonal = normal.square.diagonal();
    const VectorXd floor = diagonal.cwiseMax(1e-9 * diagonal.maxCoeff() + 1e-300);
    for (int attempt = 0; attempt < 8; ++attempt) {
      MatrixXd damped = normal.square;
      damped.diagonal() += damping * floor;
      const VectorXd step = damped.selfadjointView<Eigen::Lower>().llt().solve(-normal.slope);
      const HeadSum moved = stepped(heads, step);
      const double now = squares_of(moved, sample);
      const double promised = step.dot(damping * floor.cwiseProduct(step) - normal.slope);
      if (std::isfinite(now) && now < squares) {
        const double gain = (squares - now) / std::max(promised, 1e-300);
        const double shrink = 1 - std::pow(2 * gain - 1, 3);
        damping = std::max(1e-12, damping * std::max(1.0 / 3, shrink));
        growth = 2;
        heads = moved;
        squares = now;
        break;
      }
      damping *= growth;
      growth *= 2;
      if (attempt == 7) return;  // no further progress
    }
  }
}

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

Eigen::RowVectorXd unit_vector(const Draw& draw, int d) {
  Eigen::RowVectorXd x(d);
  for (int k = 0; k < d; ++k) x(k) = draw.normal(static_cast<std::uint16_t>(k));
  return x.normalized();
}

// The draw of token i of measure `which` of a seed; tokens n and n + 1 are centres.
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
    if (law == 2) {  // a cap: tokens outside of it are moved towards its centre
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
