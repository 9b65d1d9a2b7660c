// tokenizer_model.h: the models of a tokenizer.json: each turns one word into ids.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/tokenizer_fields.h"
#include "model/tokenizer_vocabulary.h"

namespace murmur::tokenizer {

// A merge of two neighbours, as text; a file lists the earliest learnt first.
struct MergeList {
  TokenList left{}, right{};
};

class Model {
 public:
  explicit Model(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Error(input) where the word is beyond the budget.
  virtual void encode(std::string_view word, std::vector<TokenId>& ids, Budget& budget) const = 0;

 protected:
  const Vocabulary& vocabulary_;
};

std::unique_ptr<const Model> make_word_piece(const Field& field, const Vocabulary& vocabulary);
std::unique_ptr<const Model> make_word_level(const Field& field, const Vocabulary& vocabulary);
std::unique_ptr<const Model> make_bpe(const Field& field, const Vocabulary& vocabulary,
                                      const MergeList& merges);
std::unique_ptr<const Model> make_unigram(const Field& field, const Vocabulary& vocabulary,
                                          std::vector<double> scores);

// The id that `key` names by its token; Error(input) where the vocabulary does not hold it.
TokenId id_named(const Field& field, const std::string& key, const Vocabulary& vocabulary);

// The ids of the bytes of a text, where the vocabulary has one for each of them.
bool append_bytes(std::string_view text, const Vocabulary& vocabulary, std::vector<TokenId>& ids);

}  // namespace murmur::tokenizer
