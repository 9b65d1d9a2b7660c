// family.h: what config.json says of a transformer, and the names that its family gives to weights.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "model/transformer.h"

namespace murmur {

// Where a family keeps query, key and value.
enum class Fused {
  apart,    // three maps
  stacked,  // one map: all queries, all keys, all values
  by_head,  // one map: query, key and value of each head
};

// The names of a family's weights, less ".weight" and ".bias"; empty: there are none. Those of a
// block follow `block`, in which {} is its number.
struct Names {
  std::string prefix{};  // before all names where a model was saved with its head
  std::string tokens{}, positions{}, type{}, embedding_norm{}, embedding_map{}, final_norm{};
  std::string unembedding{};
  std::string block{};
  std::string attention_norm{}, attention_norm_after{}, feed_forward_norm{},
      feed_forward_norm_after{};
  std::string query{}, key{}, value{}, out{};  // query alone names the map that is fused
  std::string query_norm{}, key_norm{};
  std::string gate{}, up{}, down{};  // gate alone names a map that has gate above up
  Fused fused = Fused::apart;
  bool gate_and_up = false;
  bool transposed = false;     // maps are stored (in, out)
  bool gain_less_one = false;  // norms are stored as gain - 1
};

struct Family {
  Description description{};
  Names names{};
  bool tied = false;  // without an unembedding of its own the tokens serve
};

// The text of a JSON file that lies beside weights. Error(input) where it is none, or nested deeper
// than any of them is.
nlohmann::json json_of_model(std::string_view text, const std::string& where);

// Error(input) with the parameter's name for a family that is not known, and for what is missing or
// absurd. `where` names the file.
Family family_of(const nlohmann::json& config, const std::string& where);

// The same of the text of a config.json.
Family parse_family(std::string_view text, const std::string& where);

std::span<const char* const> family_names();

}  // namespace murmur
