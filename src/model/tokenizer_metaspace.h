// tokenizer_metaspace.h: blanks written as a visible mark, as SentencePiece does.
#pragma once

#include "model/tokenizer_fields.h"

namespace murmur::tokenizer {

struct Metaspace {
  enum class Prepend { always, first, never };
  char32_t mark = U'\u2581';
  Prepend prepend = Prepend::always;  // a mark before: every piece, the text's first one, none
  bool split = true;                  // a word begins at every mark
};

// Of a pre-tokeniser or decoder of that type; older files say add_prefix_space.
Metaspace metaspace_of(const Field& field);

}  // namespace murmur::tokenizer
