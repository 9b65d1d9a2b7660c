// values.cpp: codecs of structured values (rows.h): matrices, starts, schedules.
#include <cmath>
#include <iterator>

#include "experiment/initial.h"
#include "experiment/rows.h"

namespace murmur::codec {

namespace {

bool begins(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

const std::string& text_of(const Settings& words, const std::string& key) {
  return setting(words, key).text;
}

std::filesystem::path file_of(const Settings& words, const std::string& key) {
  const Setting& s = setting(words, key);
  return s.folder / s.text;
}

// Reads the rows after the colon: points:1,0;0,1.
Matrix rows_of(const Settings& words, const std::string& key) {
  const Array array = typed_rows(words, key);
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

void GivenManifold::read(const Settings& words, const std::string& key, ManifoldChoice& to) {
  const int which = choice(words, key, names_of<ManifoldChoice>());
  to = is_given(words, key) ? static_cast<ManifoldChoice>(which + 1) : ManifoldChoice::automatic;
}

std::string GivenManifold::write(ManifoldChoice value) {
  return value == ManifoldChoice::automatic
             ? std::string{}
             : names_of<ManifoldChoice>()[static_cast<std::size_t>(value) - 1];
}

void EqualOrFile::read(const Settings& words, const std::string& key,
                       std::optional<std::filesystem::path>& to) {
  to = text_of(words, key) == "equal" ? std::nullopt : std::optional(file_of(words, key));
}

std::string EqualOrFile::write(const std::optional<std::filesystem::path>& value) {
  return value ? value->string() : "equal";
}

void NoneOrFile::read(const Settings& words, const std::string& key,
                      std::optional<std::filesystem::path>& to) {
  to = text_of(words, key) == "none" ? std::nullopt : std::optional(file_of(words, key));
}

std::string NoneOrFile::write(const std::optional<std::filesystem::path>& value) {
  return value ? value->string() : "none";
}

void Threads::read(const Settings& words, const std::string& key, int& to) {
  to = text_of(words, key) == "all" ? 0 : static_cast<int>(whole(words, key, 1, 4096));
}

std::string Threads::write(int value) { return value == 0 ? "all" : fmt::format("{}", value); }

void EngineName::read(const Settings& words, const std::string& key, std::string& to) {
  static const std::vector<std::string> names = engine_words();
  const std::string& text = text_of(words, key);
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos && text.substr(0, colon) == "moments") {
    if (!(number_or_nan(text.substr(colon + 1)) > 0))
      refuse(words, key, "is not a tolerance of the moments engine",
             "give one above 0, for example engine=moments:1e-12");
    to = text;
    return;
  }
  to = names[static_cast<std::size_t>(choice(words, key, names))];
}

void NamedMatrix::read(const Settings& words, const std::string& key, MatrixChoice& to) {
  const std::string& text = text_of(words, key);
  to = {};
  if (begins(text, "matrix:")) {
    to.kind = MatrixChoice::given;
    to.entries = rows_of(words, key);
  } else if (ends_with(text, ".npy") || ends_with(text, ".safetensors")) {
    to.kind = MatrixChoice::from_file;
    to.file = file_of(words, key);
  } else {
    std::vector<std::string> names = names_of<MatrixChoice::Kind>();
    if (key != "value") names.resize(MatrixChoice::query_key);
    to.kind = static_cast<MatrixChoice::Kind>(choice(words, key, names));
  }
}

std::string NamedMatrix::write(const MatrixChoice& value) {
  if (value.kind == MatrixChoice::given) return rows_text("matrix", value.entries);
  if (value.kind == MatrixChoice::from_file) return value.file.string();
  return names_of<MatrixChoice::Kind>()[value.kind];
}

void NamedPerceptron::read(const Settings& words, const std::string& key, PerceptronChoice& to) {
  const Setting& s = setting(words, key);
  to = {};
  if (s.text == "none") return;
  const bool gaussian = begins(s.text, "gaussian:");
  if (gaussian || begins(s.text, "gradient:")) {
    double h = 0;
    if (!parse_number(s.text.substr(s.text.find(':') + 1), h) || h < 1 || h > 1e6 ||
        h != std::floor(h))
      refuse(words, key, "has no whole number of hidden units",
             "write gaussian:512 or gradient:512 for 512 units");
    to.kind = gaussian ? PerceptronChoice::gaussian : PerceptronChoice::gradient;
    to.units = static_cast<int>(h);
    return;
  }
  if (!ends_with(s.text, ".safetensors") && s.text.find('*') == std::string::npos)
    refuse(words, key, "is neither none, gaussian:H, gradient:M nor a file",
           "give a .safetensors file, or npy files as NAME_*.npy");
  to.kind = PerceptronChoice::from_file;
  to.folder = s.folder;
  to.file = s.text;
}

std::string NamedPerceptron::write(const PerceptronChoice& value) {
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
void Normalisation::read(const Settings& words, const std::string& key, NormalisationChoice& to) {
  const std::vector<std::string> parts = split(text_of(words, key), ':');
  std::vector<std::string> names;
  for (const LayerNormRow& row : layer_norms()) names.emplace_back(row.name);
  Settings word{{key, setting(words, key)}};
  word[key].text = parts[0];
  const LayerNormRow& row = layer_norms()[static_cast<std::size_t>(choice(word, key, names))];
  to.kind = row.norm;
  to.argument.reset();
  const bool mix = row.argument == LayerNormRow::time, ngpt = row.argument == LayerNormRow::speed;
  if (parts.size() > (mix || ngpt ? 2u : 1u) || (mix && parts.size() < 2))
    refuse(words, key, "has the wrong number of arguments",
           "write mix:TAU with the time of the change, or ngpt:SPEED");
  if (parts.size() < 2) return;
  double argument = 0;
  if (!parse_number(parts[1], argument) || argument < 0)
    refuse(words, key, fmt::format("'{}' is not a number of 0 or above", parts[1]),
           "write mix:TAU or ngpt:SPEED");
  to.argument = argument;
}

std::string Normalisation::write(const NormalisationChoice& value) {
  const std::string name = row_of(value.kind).name;
  return value.argument ? fmt::format("{}:{}", name, *value.argument) : name;
}

void Gains::read(const Settings& words, const std::string& key, Vector& to) {
  to.clear();
  if (text_of(words, key) == "none") return;
  for (const std::string& text : split(text_of(words, key), ','))
    if (!parse_number(text, to.emplace_back()) || !(to.back() > 0))
      refuse(words, key, fmt::format("'{}' is not a positive number", text),
             "write one positive number per coordinate, for example 1,2,0.5");
}

std::string Gains::write(const Vector& value) {
  return value.empty() ? "none" : fmt::format("{}", fmt::join(value, ","));
}

void Until::read(const Settings& words, const std::string& key, std::optional<double>& to) {
  to.reset();
  if (text_of(words, key) != "T") to = number_or_nan(text_of(words, key));
}

std::string Until::write(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "T";
}

void InitialWord::read(const Settings& words, const std::string& key, Initial& to) {
  const std::string& text = text_of(words, key);
  if (begins(text, "points:"))
    to = InitialPoints{rows_of(words, key)};
  else if (ends_with(text, ".npy"))
    to = InitialFile{file_of(words, key)};
  else if (begins(text, "test:") || begins(text, "train:"))
    to = picture_of(text);
  else if (ends_with(text, ".png"))
    to = InitialFile{file_of(words, key)};
  else
    to = read_law(words, key);
}

std::string InitialWord::write(const Initial& value) {
  if (const auto* law = std::get_if<InitialLaw>(&value)) return law_text(*law);
  if (const auto* points = std::get_if<InitialPoints>(&value))
    return rows_text("points", points->points);
  if (const auto* file = std::get_if<InitialFile>(&value)) return file->file.string();
  const auto& picture = std::get<InitialPicture>(value);
  const std::string text = fmt::format("{}:{}", picture.train ? "train" : "test", picture.index);
  return picture.finer == 1 ? text : fmt::format("{}:{}", text, picture.finer);
}

void Save::read(const Settings& words, const std::string& key, SaveChoice& to) {
  const std::string& text = text_of(words, key);
  if (text == "final") {
    to = {SaveChoice::final, 0, 0};
  } else if (begins(text, "every:")) {
    const bool share = begins(text, "every:T/");
    const double value = number_or_nan(text.substr(share ? 8 : 6));
    if (!(value > 0))
      refuse(words, key, "has no positive interval", "write save=every:0.1 or save=every:T/50");
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
      refuse(words, key, "needs a whole number of times, 2 or more", "write save=log:200");
    to = {SaveChoice::log, first, 0};
  } else {
    refuse(words, key, "is not a schedule", "write every:0.1, log:200 or final");
  }
}

std::string Save::write(const SaveChoice& value) {
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
