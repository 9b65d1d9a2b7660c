// config.h: reads what config.json says of a transformer, and refuses what is missing or absurd.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/transformer.h"
#include "murmur/error.h"

namespace murmur {

inline constexpr double kLeastTheta = 1e-3, kMostTheta = 1e15;

class TransformerConfig {
 public:
  TransformerConfig(const nlohmann::json& json, std::string where)
      : json_(json), where_(std::move(where)) {
    if (!json.is_object()) refuse("the configuration is not a JSON object", "");
  }

  int integer(const char* key) const {
    const auto at = json_.find(key);
    if (at == json_.end() || at->is_null())
      refuse(fmt::format("the configuration does not say {}", key), key);
    return checked(*at, key);
  }

  int integer(const char* key, int otherwise) const {
    return has(key) ? checked(json_.at(key), key) : otherwise;
  }

  int layers(const char* key) const {
    const int count = integer(key);
    if (count > kMostConfiguredLayers)
      refuse(fmt::format("{} is more than {}", key, kMostConfiguredLayers), key);
    return count;
  }

  // 0 where nothing is said; a 0 that is said is refused.
  int positive_or_0(const char* key) const {
    if (has(key) && integer(key) == 0) refuse(fmt::format("{} is not positive", key), key);
    return integer(key, 0);
  }

  double number(const char* key, double otherwise, double least, double most) const {
    return has(key) ? checked_number(json_.at(key), key, least, most) : otherwise;
  }

  // What a norm adds under its root.
  double epsilon(const char* key, double otherwise) const { return number(key, otherwise, 0, 1); }

  bool flag(const char* key, bool otherwise) const {
    if (!has(key)) return otherwise;
    if (!json_.at(key).is_boolean()) refuse(fmt::format("{} is neither true nor false", key), key);
    return json_.at(key).get<bool>();
  }

  std::string word(const char* key, const std::string& otherwise) const {
    if (!has(key)) return otherwise;
    if (!json_.at(key).is_string()) refuse(fmt::format("{} is no word", key), key);
    return json_.at(key).get<std::string>();
  }

  bool has(const char* key) const { return json_.contains(key) && !json_.at(key).is_null(); }

  // The rotations' base, where older and newer files keep it; of one kind of layer where told
  // apart.
  double theta(const char* kind = nullptr) const {
    if (!has("rope_parameters")) return theta_by("rope_theta", 1e4);
    const nlohmann::json* rope = &json_.at("rope_parameters");
    if (kind != nullptr && rope->is_object() && rope->contains(kind)) rope = &rope->at(kind);
    if (!rope->is_object()) refuse("rope_parameters is not an object", "rope_parameters");
    require_plain(*rope, "rope_type");
    return rope->contains("rope_theta")
               ? checked_number(rope->at("rope_theta"), "rope_theta", kLeastTheta, kMostTheta)
               : 1e4;
  }

  double theta_by(const char* key, double otherwise) const {
    return number(key, otherwise, kLeastTheta, kMostTheta);
  }

  // Rotations that change with the length of a prompt are not computed here.
  void require_plain_rotations() const {
    if (!has("rope_scaling")) return;
    const nlohmann::json& scaling = json_.at("rope_scaling");
    if (scaling.is_object())
      require_plain(scaling, scaling.contains("type") ? "type" : "rope_type");
  }

  // How many of a head's coordinates are turned.
  int rotated_width(int head_width) const {
    const char* const key = "partial_rotary_factor";
    double share = number(key, number("rotary_pct", 1, 0, 1), 0, 1);
    if (has("rope_parameters") && json_.at("rope_parameters").is_object() &&
        json_.at("rope_parameters").contains(key))
      share = checked_number(json_.at("rope_parameters").at(key), key, 0, 1);
    return static_cast<int>(share * head_width);
  }

  // "sliding_attention" or "full_attention" of every layer; empty where nothing is said.
  std::vector<std::string> layer_types(int layers) const {
    std::vector<std::string> types;
    if (!has("layer_types")) return types;
    const nlohmann::json& list = json_.at("layer_types");
    if (!list.is_array() || list.size() != static_cast<std::size_t>(layers))
      refuse("layer_types does not name every layer", "layer_types");
    for (const nlohmann::json& type : list) {
      if (!type.is_string()) refuse("layer_types holds something else than words", "layer_types");
      types.push_back(type.get<std::string>());
    }
    return types;
  }

  [[noreturn]] void refuse(const std::string& what, const std::string& key) const {
    throw Error(Fault::input, what, key.empty() ? where_ : where_ + ": " + key,
                "give the config.json that came with the weights");
  }

 private:
  int checked(const nlohmann::json& value, const char* key) const {
    if (!value.is_number_integer() || value.get<double>() < 0 ||
        value.get<double>() > kMostConfigured)
      refuse(fmt::format("{} is not a whole number from 0 to {}", key, kMostConfigured), key);
    return value.get<int>();
  }

  double checked_number(const nlohmann::json& value, const char* key, double least,
                        double most) const {
    if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most))
      refuse(fmt::format("{} is not a number from {:g} to {:g}", key, least, most), key);
    return value.get<double>();
  }

  void require_plain(const nlohmann::json& rope, const char* key) const {
    if (rope.contains(key) && rope.at(key) != "default")
      throw Error(Fault::input, "rotations that are scaled with the length are not known",
                  where_ + ": " + key, "use a model whose rope_type is default");
  }

  const nlohmann::json& json_;
  std::string where_;
};

}  // namespace murmur
