// tokenizer_file.h: the text of a tokenizer.json in three parts: vocabulary, merges and the rest.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "model/tokenizer_model.h"
#include "model/tokenizer_vocabulary.h"

namespace murmur::tokenizer {

// Vocabulary and merges are nearly all of a file, and hundreds of thousands of small values: they
// go to their lists while the text is read, and never become JSON values.
struct TokenizerFile {
  nlohmann::json rest{};   // without model.vocab and model.merges
  TokenList vocabulary{};  // model.vocab, an object or a list
  MergeList merges{};      // model.merges
  bool has_vocabulary = false, has_merges = false;
};

// Error(input) names the byte or the field that is off.
TokenizerFile parse_tokenizer_file(std::string_view text, const std::string& where);

}  // namespace murmur::tokenizer
