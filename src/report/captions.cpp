// captions.cpp: what a scene says of the swarm it shows: its law, its heads and where their weights
// come from.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "murmur/observe.h"
#include "report/figures.h"
#include "trace/trace_file.h"

namespace murmur {

namespace {

// Non-breaking spaces: a long caption breaks between items, inside of long ones alone.
std::string kept_together(const std::string& text) {
  constexpr std::size_t kShort = 22;
  if (text.size() > kShort) return text;
  std::string joined;
  for (const char c : text)
    if (c == ' ')
      joined += "\u00a0";
    else
      joined += c;
  return joined;
}

// A matrix of weights: as a formula, or as the law it was drawn from.
struct WeightsText {
  std::string text{};
  bool drawn = false;
};
WeightsText weights_text(const std::string& word) {
  if (word == "identity") return {"I"};
  if (word == "minus-identity") return {"−I"};
  if (word == "query-key") return {"QᵀK"};
  if (word == "minus-query-key") return {"−QᵀK"};
  if (word == "gaussian") return {"Gaussian", true};
  if (word == "goe") return {"GOE", true};
  if (word == "wigner") return {"Wigner", true};
  if (word == "psd") return {"GGᵀ/d", true};
  if (word.rfind("matrix:", 0) == 0) return {"as given"};
  return {"from " + std::filesystem::path(word).filename().string()};
}

// "Q = K = V = I", "Q, K: Gaussian; V = I": those of one origin together.
std::vector<std::string> weights_of(const Settings& settings) {
  const std::pair<const char*, const char*> kNames[] = {
      {"Q", "query"}, {"K", "key"}, {"V", "value"}};
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // word, names
  for (const auto& [name, key] : kNames) {
    const std::string& word = settings.at(key).text;
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return group.first == word; });
    if (found == groups.end())
      groups.push_back({word, {name}});
    else
      found->second.emplace_back(name);
  }
  std::vector<std::string> items;
  for (const auto& [word, names] : groups) {
    const auto [text, drawn] = weights_text(word);
    const bool formula = !drawn && text.rfind("from ", 0) != 0 && text != "as given";
    items.push_back(
        formula ? fmt::format("{} = {}", fmt::join(names, " = "), text)
                : fmt::format("{} {}{}", fmt::join(names, ", "), drawn ? "drawn " : "", text));
  }
  const std::string& redraw = settings.at("redraw").text;
  if (redraw != "0") items.push_back(fmt::format("drawn anew every {}", redraw));
  return items;
}

std::string heads_text(const std::vector<Attention>& heads, const Settings& settings, int d) {
  const int width = heads.front().query.rows > 0 ? heads.front().query.rows : d;
  std::string text = heads.size() == 1 ? "1 head" : fmt::format("{} heads", heads.size());
  if (heads.size() > 1 || width != d) text += fmt::format(" of width {}", width);
  if (heads.size() > 1 && settings.at("head_scale").text == "mean") text += ", averaged";
  return text;
}

std::string feed_forward_text(const std::string& word, const std::string& activation) {
  const std::size_t colon = word.find(':');
  const std::string kind = word.substr(0, colon);
  if (kind == "gaussian" || kind == "gradient")
    return fmt::format("feed-forward of {} drawn {} units, {}", word.substr(colon + 1),
                       kind == "gaussian" ? "Gaussian" : "gradient", activation);
  return fmt::format("feed-forward from {}", std::filesystem::path(word).filename().string());
}

}  // namespace

std::string caption_of(const Settings& settings, const Experiment& e) {
  const auto text = [&](const char* key) { return settings.at(key).text; };
  const int n = e.swarm.n(), d = e.swarm.d();
  const std::vector<Attention> heads = heads_of(e.dynamics, 0);
  std::vector<std::string> items;
  if (text("model") != "none") {
    const auto name = std::filesystem::path(text("model")).stem().string();
    items = {
        name == "model" ? "trained swarm" : "trained swarm " + name,  // model: a run's own copy
        fmt::format("n = {}", n), fmt::format("d = {}", d)};
    if (!heads.empty()) items.push_back(heads_text(heads, settings, d));
    items.push_back("Q, K, V learned");
  } else {
    const bool attends = !heads.empty();
    items.push_back(attends ? text("dynamics") : "no attention");
    if (attends) items.push_back(fmt::format("β = {}", text("beta")));
    items.push_back(fmt::format("n = {}", n));
    items.push_back(fmt::format("d = {}", d));
    if (attends) {
      items.push_back(heads_text(heads, settings, d));
      for (std::string& item : weights_of(settings)) items.push_back(std::move(item));
    }
    if (text("perceptron") != "none")
      items.push_back(feed_forward_text(text("perceptron"), text("activation")));
    if (text("noise") != "0") items.push_back(fmt::format("noise {}", text("noise")));
  }
  items.push_back(text("method"));
  if (text("model") == "none") items.push_back(fmt::format("seed {}", text("seed")));
  for (std::string& item : items) item = kept_together(item);
  return fmt::format("{}", fmt::join(items, ", "));
}

std::string caption_of(const RunReader& run, const Settings& settings, const Experiment& e) {
  if (run.command() != "trace") return caption_of(settings, e);
  const TraceFile file = read_trace_file(run.directory());
  return fmt::format("{}, {} tokens of {} text{}, d = {}; layer t, each state divided by its norm",
                     file.family, run.shape().n, file.texts.size(),
                     file.texts.size() == 1 ? "" : "s", file.d);
}

}  // namespace murmur
