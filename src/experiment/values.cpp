// values.cpp: values of parameters as text (rows.h): names, ranges, matrices, starts, schedules.
#include <fmt/ranges.h>

#include <cmath>
#include <iterator>

#include "experiment/initial.h"
#include "experiment/rows.h"
#include "murmur/flow.h"

namespace murmur {

std::string whole_path(const std::filesystem::path& folder, const std::string& data) {
  if (data.empty() || data == "auto" || data == "mnist" || data == "fashion-mnist") return data;
  return std::filesystem::absolute(folder / data).lexically_normal().string();
}

}  // namespace murmur

namespace murmur::codec {

namespace {

bool begins(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

// Reads the rows after the colon: points:1,0;0,1.
Matrix rows_of(const TypedValue& at) {
  const Array array = typed_rows(at.words, at.key());
  return {static_cast<int>(array.shape[0]), static_cast<int>(array.shape[1]), array.doubles()};
}

std::string rows_text(const char* name, const Matrix& m) {
  std::string text = name;
  for (std::size_t e = 0; e < m.data.size(); ++e) {
    const char* separator = e == 0 ? ":" : e % static_cast<std::size_t>(m.cols) == 0 ? ";" : ",";
    fmt::format_to(std::back_inserter(text), "{}{}", separator, m.data[e]);
  }
  return text;
}

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

double number_or_nan(const std::string& text) {
  double value = 0;
  return parse_number(text, value) ? value : kNoNumber;
}

// test:K, train:K, test:K:FINER; checked when the model is known.
InitialPicture picture_of(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  InitialPicture picture{.train = parts[0] == "train", .index = number_or_nan(parts[1])};
  if (parts.size() > 3) picture.index = kNoNumber;
  if (parts.size() == 3) picture.finer = number_or_nan(parts[2]);
  return picture;
}

// Lists the values of an enumeration in the order of its parameter.
template <class Enum>
std::vector<std::string> all_words() {
  std::vector<std::string> words;
  for (int k = 0; *word_of(static_cast<Enum>(k)) != '\0'; ++k)
    words.emplace_back(word_of(static_cast<Enum>(k)));
  return words;
}

}  // namespace

std::span<const ParameterValue> interactions() {
  static constexpr ParameterValue all[] = {
      {"SA", "softmax attention"},
      {"USA", "unnormalised attention: the weights are not divided by their sum"},
      {"causal", "softmax attention of each particle to itself and those before it"},
      {"hardmax", "attention to the particles of greatest score only"},
      {"sinkhorn", "attention with doubly stochastic weights"},
      {"euclidean", "softmax attention in R^d, without layer norm"},
      {"rescaled", "softmax attention in R^d in the coordinates e^{-tV} x"},
      {"none", "no attention", "dynamics=none perceptron=gaussian:8"}};
  return all;
}

template <>
const std::vector<std::string>& names_of<Interaction>() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const ParameterValue& value : interactions()) all.emplace_back(value.name);
    return all;
  }();
  return names;
}
template <>
const std::vector<std::string>& names_of<Attention::Mask>() {
  static const std::vector<std::string> names = {"all", "past"};
  return names;
}
template <>
const std::vector<std::string>& names_of<Relative>() {
  static const std::vector<std::string> names = {"auto", "true", "false"};
  return names;
}
template <>
const std::vector<std::string>& names_of<HeadScale>() {
  static const std::vector<std::string> names = {"sum", "mean", "limit"};
  return names;
}
template <>
const std::vector<std::string>& names_of<WeightsInTime>() {
  static const std::vector<std::string> names = {"constant", "piecewise", "linear"};
  return names;
}
template <>
const std::vector<std::string>& names_of<Direction>() {
  static const std::vector<std::string> names = {"ascent", "descent"};
  return names;
}
template <>
const std::vector<std::string>& names_of<Clock>() {
  static const std::vector<std::string> names = all_words<Clock>();
  return names;
}
template <>
const std::vector<std::string>& names_of<Perceptron::Activation>() {
  static const std::vector<std::string> names = all_words<Perceptron::Activation>();
  return names;
}
template <>
const std::vector<std::string>& names_of<Precision>() {
  static const std::vector<std::string> names = {"f32", "f64"};
  return names;
}
template <>
const std::vector<std::string>& names_of<MatrixChoice::Kind>() {
  static const std::vector<std::string> names = {"identity",  "minus-identity", "gaussian",
                                                 "goe",       "wigner",         "psd",
                                                 "query-key", "minus-query-key"};
  return names;
}
template <>
const std::vector<std::string>& names_of<ManifoldChoice>() {
  static const std::vector<std::string> names = {word_of(Manifold::sphere),
                                                 word_of(Manifold::space), "ellipsoid"};
  return names;
}

template <>
std::span<const ParameterValue> choices_of<Interaction>() {
  return interactions();
}
template <>
std::span<const ParameterValue> choices_of<ManifoldChoice>() {
  static constexpr ParameterValue all[] = {
      {"sphere", "the unit sphere of R^d"},
      {"space", "all of R^d"},
      {"ellipsoid", "the ellipsoid of gains", "habitat=ellipsoid gains=1,2,0.5"}};
  return all;
}
template <>
std::span<const ParameterValue> choices_of<WeightsInTime>() {
  static constexpr ParameterValue all[] = {
      {"constant", "one matrix for all times"},
      {"piecewise", "the layers of a file of matrices act one after another",
       "weights_in_time=piecewise query=layers.npy"},
      {"linear", "the layers of a file of matrices are interpolated linearly in time",
       "weights_in_time=linear query=layers.npy"}};
  return all;
}
template <>
std::span<const ParameterValue> choices_of<HeadScale>() {
  static constexpr ParameterValue all[] = {
      {"sum", "the forces of the heads add"},
      {"mean", "the forces of the heads are averaged: V is divided by their number"},
      {"limit", "the mean of infinitely many heads of USA with random scores",
       "dynamics=USA d=8 query=gaussian key=gaussian head_scale=limit"}};
  return all;
}
template <>
std::span<const ParameterValue> choices_of<Clock>() {
  static constexpr ParameterValue all[] = {
      {"U1", "weights e^(s_ij)"},
      {"U2", "weights e^(s_ij - beta): t_U2 = e^beta t_U1", "dynamics=USA clock=U2"},
      {"U3", "weights beta e^(s_ij): t_U3 = t_U1 / beta", "dynamics=USA clock=U3"},
      {"U4", "time is the arc length of the whole configuration, divided by ln beta",
       "dynamics=USA clock=U4"}};
  return all;
}
template <>
std::span<const ParameterValue> choices_of<Method>() {
  static const std::vector<ParameterValue> all = [] {
    std::vector<ParameterValue> values;
    for (const MethodRow& row : methods()) values.push_back({row.name, row.meaning});
    return values;
  }();
  return all;
}
template <>
std::span<const ParameterValue> choices_of<Initial>() {
  return initial_laws();
}

std::string joined_names(std::span<const ParameterValue> values) {
  std::string text;
  for (const ParameterValue& value : values)
    text += (text.empty() ? "" : ", ") + std::string(value.name);
  return text;
}

std::string values_text(const Initial&, const FieldInfo&) {
  return joined_names(initial_laws()) +
         ", points:x,y;x,y;..., FILE.npy; with a model also test:K, train:K, test:K:FINER, "
         "FILE.png";
}

std::string values_text(const std::string&, const FieldInfo& info) {
  return info.form == Form::engine ? joined_names(engine_values()) : "a word";
}

std::string range_text(const FieldInfo& info, bool real) {
  if (!info.zero.empty()) {
    FieldInfo without = info;
    without.zero = "";
    return fmt::format("{}, or {}", info.zero, range_text(without, real));
  }
  if (!info.has_least()) return real ? "any number" : "a whole number";
  if (info.above) return fmt::format("above {:g}", info.least);
  if (real && info.has_greatest()) return fmt::format("{:g} to {:g}", info.least, info.greatest);
  return fmt::format("{:g} or more", info.least);
}

std::string short_exponent(std::string number) {
  const std::size_t at = number.find("e-0");
  if (at != std::string::npos && number.size() == at + 4 &&
      number.find_first_not_of("0123456789.e-") == std::string::npos)
    number.erase(at + 2, 1);
  return number;
}

void check_real(const TypedValue& at, double value) {
  const FieldInfo& info = at.info;
  if (info.above) return check_positive(at.words, at.key(), value);
  if (info.has_greatest()) {
    if (!(value >= info.least && value <= info.greatest))
      at.refuse("out of range",
                fmt::format("write a number from {:g} to {:g}", info.least, info.greatest));
  } else if (info.has_least() && !(value >= info.least)) {
    at.refuse(fmt::format("must be {:g} or above", info.least), "write 0 for none");
  }
}

void read(const TypedValue& at, Method& to) { to = method_of(at.words); }

std::string write(Method value, const FieldInfo&) { return row_of(value).name; }

void read(const TypedValue& at, ManifoldChoice& to) {
  const int which = choice(at.words, at.key(), names_of<ManifoldChoice>());
  to = is_given(at.words, at.key()) ? static_cast<ManifoldChoice>(which + 1)
                                    : ManifoldChoice::automatic;
}

std::string write(ManifoldChoice value, const FieldInfo&) {
  return value == ManifoldChoice::automatic
             ? std::string{}
             : names_of<ManifoldChoice>()[static_cast<std::size_t>(value) - 1];
}

void read(const TypedValue& at, std::filesystem::path& to) { to = at.file(); }

void read(const TypedValue& at, Range& to) { to = *range_of(at.words, at.key(), kMostInRange); }

std::string write(const Range& value, const FieldInfo&) {
  return fmt::format("{}:{}:{}", value.from, value.to, value.points);
}

namespace {

std::string engine_of(const TypedValue& at) {
  static const std::vector<std::string> names = engine_words();
  const std::string& text = at.text();
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos && text.substr(0, colon) == "moments") {
    if (!(number_or_nan(text.substr(colon + 1)) > 0))
      at.refuse("is not a tolerance of the moments engine",
                "give one above 0, for example engine=moments:1e-12");
    return text;
  }
  return names[static_cast<std::size_t>(choice(at.words, at.key(), names))];
}

}  // namespace

void read(const TypedValue& at, std::string& to) {
  to = at.info.form == Form::engine     ? engine_of(at)
       : at.info.form == Form::pictures ? whole_path(setting(at.words, at.key()).folder, at.text())
                                        : at.text();
  check(at, to);
}

void check(const TypedValue& at, const std::string& value) {
  if (at.info.form == Form::run_name) run_name(at.words);
  if (at.info.form == Form::pictures && value.empty())
    at.refuse("is not a set of pictures", "write data=auto, mnist, or a folder");
}

void read(const TypedValue& at, MatrixChoice& to) {
  const std::string& text = at.text();
  to = {};
  const bool names_only = at.info.greatest < static_cast<double>(MatrixChoice::psd);
  if (begins(text, "matrix:") && !names_only) {
    to.kind = MatrixChoice::given;
    to.entries = rows_of(at);
  } else if ((ends_with(text, ".npy") || ends_with(text, ".safetensors")) && !names_only) {
    to.kind = MatrixChoice::from_file;
    to.file = at.file();
  } else {
    read(at, to.kind);
  }
}

std::string write(const MatrixChoice& value, const FieldInfo&) {
  if (value.kind == MatrixChoice::given) return rows_text("matrix", value.entries);
  if (value.kind == MatrixChoice::from_file) return value.file.string();
  return names_of<MatrixChoice::Kind>()[value.kind];
}

void read(const TypedValue& at, PerceptronChoice& to) {
  const Setting& s = setting(at.words, at.key());
  to = {};
  if (s.text == "none") return;
  const bool gaussian = begins(s.text, "gaussian:");
  if (gaussian || begins(s.text, "gradient:")) {
    double h = 0;
    if (!parse_number(s.text.substr(s.text.find(':') + 1), h) || h < 1 || h > 1e6 ||
        h != std::floor(h))
      at.refuse("has no whole number of hidden units",
                "write gaussian:512 or gradient:512 for 512 units");
    to.kind = gaussian ? PerceptronChoice::gaussian : PerceptronChoice::gradient;
    to.units = static_cast<int>(h);
    return;
  }
  if (!ends_with(s.text, ".safetensors") && s.text.find('*') == std::string::npos)
    at.refuse("is neither none, gaussian:H, gradient:M nor a file",
              "give a .safetensors file, or npy files as NAME_*.npy");
  to.kind = PerceptronChoice::from_file;
  to.folder = s.folder;
  to.file = s.text;
}

std::string write(const PerceptronChoice& value, const FieldInfo&) {
  switch (value.kind) {
    case PerceptronChoice::none:
      return "none";
    case PerceptronChoice::gaussian:
      return fmt::format("gaussian:{}", value.units);
    case PerceptronChoice::gradient:
      return fmt::format("gradient:{}", value.units);
    case PerceptronChoice::from_file:
      return (value.folder / value.file).string();
  }
  return {};
}

// post, pre, peri, mix:TAU, ngpt, ngpt:SPEED, sqrt
void read(const TypedValue& at, NormalisationChoice& to) {
  const std::vector<std::string> parts = split(at.text(), ':');
  std::vector<std::string> names;
  for (const LayerNormRow& row : layer_norms()) names.emplace_back(row.name);
  const std::string key = at.key();
  Settings word{{key, setting(at.words, key)}};
  word[key].text = parts[0];
  const LayerNormRow& row = layer_norms()[static_cast<std::size_t>(choice(word, key, names))];
  to.kind = row.norm;
  to.argument.reset();
  const bool mix = row.argument == LayerNormRow::time, ngpt = row.argument == LayerNormRow::speed;
  if (parts.size() > (mix || ngpt ? 2u : 1u) || (mix && parts.size() < 2))
    at.refuse("has the wrong number of arguments",
              "write mix:TAU with the time of the change, or ngpt:SPEED");
  if (parts.size() < 2) return;
  double argument = 0;
  if (!parse_number(parts[1], argument) || argument < 0)
    at.refuse(fmt::format("'{}' is not a number of 0 or above", parts[1]),
              "write mix:TAU or ngpt:SPEED");
  to.argument = argument;
}

std::string write(const NormalisationChoice& value, const FieldInfo&) {
  const std::string name = row_of(value.kind).name;
  return value.argument ? fmt::format("{}:{}", name, *value.argument) : name;
}

void read(const TypedValue& at, Vector& to) {
  to.clear();
  if (at.is(at.info.empty)) return;
  for (const std::string& text : split(at.text(), ','))
    if (!parse_number(text, to.emplace_back()) || !(to.back() > 0))
      at.refuse(fmt::format("'{}' is not a positive number", text),
                "write one positive number per coordinate, for example 1,2,0.5");
}

std::string write(const Vector& value, const FieldInfo& info) {
  return value.empty() ? std::string(info.empty) : fmt::format("{}", fmt::join(value, ","));
}

double time_or_nan(const TypedValue& at) { return number_or_nan(at.text()); }

void read(const TypedValue& at, Initial& to) {
  const std::string& text = at.text();
  if (begins(text, "points:"))
    to = InitialPoints{rows_of(at)};
  else if (ends_with(text, ".npy"))
    to = InitialFile{at.file()};
  else if (begins(text, "test:") || begins(text, "train:"))
    to = picture_of(text);
  else if (ends_with(text, ".png"))
    to = InitialFile{at.file()};
  else
    to = read_law(at.words, at.key());
}

std::string write(const Initial& value, const FieldInfo&) {
  if (const auto* law = std::get_if<InitialLaw>(&value)) return law_text(*law);
  if (const auto* points = std::get_if<InitialPoints>(&value))
    return rows_text("points", points->points);
  if (const auto* file = std::get_if<InitialFile>(&value)) return file->file.string();
  const auto& picture = std::get<InitialPicture>(value);
  const std::string text = fmt::format("{}:{}", picture.train ? "train" : "test", picture.index);
  return picture.finer == 1 ? text : fmt::format("{}:{}", text, picture.finer);
}

void read(const TypedValue& at, SaveChoice& to) {
  const std::string& text = at.text();
  if (text == "final") {
    to = {SaveChoice::final, 0, 0};
  } else if (begins(text, "every:")) {
    const bool share = begins(text, "every:T/");
    const double value = number_or_nan(text.substr(share ? 8 : 6));
    if (!(value > 0))
      at.refuse("has no positive interval", "write save=every:0.1 or save=every:T/50");
    to = {share ? SaveChoice::share : SaveChoice::every, value, 0};
  } else if (begins(text, "log:")) {
    const std::vector<std::string> parts = split(text, ':');
    const double first = number_or_nan(parts[1]);
    const double second = parts.size() == 3 ? number_or_nan(parts[2]) : kNoNumber;
    if (first > 0 && second > 1 + 1e-7) {
      to = {SaveChoice::log_from, first, second};
      return;
    }
    if (parts.size() != 2 || !(first >= 2 && first <= 1e7) || first != std::floor(first))
      at.refuse("needs a whole number of times, 2 or more", "write save=log:200");
    to = {SaveChoice::log, first, 0};
  } else {
    at.refuse("is not a schedule", "write every:0.1, log:200 or final");
  }
}

std::string write(const SaveChoice& value, const FieldInfo&) {
  switch (value.kind) {
    case SaveChoice::every:
      return fmt::format("every:{}", value.first);
    case SaveChoice::share:
      return fmt::format("every:T/{}", value.first);
    case SaveChoice::log:
      return fmt::format("log:{}", value.first);
    case SaveChoice::log_from:
      return fmt::format("log:{}:{}", value.first, value.second);
    case SaveChoice::final:
      return "final";
  }
  return {};
}

}  // namespace murmur::codec
