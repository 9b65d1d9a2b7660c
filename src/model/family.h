// family.h: the choices that config.json makes for a transformer, and the names that its family
// gives to weights.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "model/transformer.h"

namespace murmur {

// How a family stores query, key and value.
enum class Fused {
  apart,    // three maps
  stacked,  // one map: all queries, all keys, all values
  by_head,  // one map: query, key and value of each head
};

// The names of a family's weights without ".weight" and ".bias"; an empty name: there is no such
// weight. The names of a block follow `block`, in which {} is its number.
struct Names {
  std::string prefix{};  // before all names if the model was saved with its head
  std::string tokens{}, positions{}, type{}, embedding_norm{}, embedding_map{}, final_norm{};
  std::string unembedding{};
  std::string block{};
  std::string attention_norm{}, attention_norm_after{}, feed_forward_norm{},
      feed_forward_norm_after{};
  std::string query{}, key{}, value{}, out{};  // a fused map is in query
  std::string query_norm{}, key_norm{};
  std::string gate{}, up{}, down{};  // if gate_and_up: gate has both, gate first
  Fused fused = Fused::apart;
  bool gate_and_up = false;
  bool transposed = false;     // maps are stored (in, out)
  bool gain_less_one = false;  // norms are stored as gain - 1
};

struct Family {
  Description description{};
  Names names{};
  bool tied = false;  // a missing unembedding is the embedding of the tokens
};

// Parses a JSON file of a model. Error(input) if it is not JSON or is nested too deep.
nlohmann::json json_of_model(std::string_view text, const std::string& where);

// Error(input) with the name of the parameter for an unknown family and for a value that is missing
// or out of range. `where` names the file.
Family family_of(const nlohmann::json& config, const std::string& where);

// The same for the text of a config.json.
Family parse_family(std::string_view text, const std::string& where);

std::span<const char* const> family_names();

}  // namespace murmur
