// tokenizer_decode.cpp: every decoder by its name in the file.
#include <optional>
#include <string_view>
#include <utility>

#include "model/tokenizer_parts.h"
#include "model/tokenizer_unicode.h"

namespace murmur::tokenizer {

namespace {

using Texts = std::vector<std::string>;

// The number of bytes of all texts, plus one per text.
std::size_t weight_of(const Texts& texts) {
  std::size_t weight = texts.size();
  for (const std::string& text : texts) weight += text.size();
  return weight;
}

std::string joined(const Texts& texts) {
  std::string all;
  for (const std::string& text : texts) all += text;
  return all;
}

std::string with(const std::string& text, std::string_view old, std::string_view by,
                 Budget& budget) {
  budget.spend_on_search(text, old);
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = 0; !old.empty() && (at = text.find(old, from)) != std::string::npos;
       from = at + old.size()) {
    out.append(text, from, at - from);
    out.append(by);
  }
  return out.append(text, from, std::string::npos);
}

// Removes blanks before punctuation and in English contractions, as the decoder of BERT.
std::string tidied(std::string text, Budget& budget) {
  constexpr std::pair<const char*, const char*> rules[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [old, by] : rules) text = with(text, old, by, budget);
  return text;
}

Decoder word_piece(const Field& field) {
  const std::string prefix = field.text_or("prefix", "##");
  const bool tidies = field.flag_or("cleanup", true);
  return [=](Texts texts, Budget& budget) {
    for (std::size_t k = 0; k < texts.size(); ++k) {
      if (k > 0 && texts[k].starts_with(prefix))
        texts[k].erase(0, prefix.size());
      else if (k > 0)
        texts[k] = " " + texts[k];
      if (tidies) texts[k] = tidied(std::move(texts[k]), budget);
    }
    return texts;
  };
}

// A token with a character that means no byte is written unchanged.
Decoder byte_level(const Field&) {
  return [](const Texts& texts, Budget&) {
    std::string bytes, own;
    for (const std::string& text : texts) {
      own.clear();
      for (std::size_t at = 0; at < text.size();) {
        const int byte = byte_of_character(next_character(text, at));
        if (byte < 0) {
          own = text;
          break;
        }
        own += static_cast<char>(byte);
      }
      bytes += own;
    }
    return Texts{repaired_utf8(bytes)};
  };
}

Decoder metaspace(const Field& field) {
  const Metaspace rule = metaspace_of(field);
  const std::string mark = utf8_of(std::u32string(1, rule.mark));
  const bool prepended = rule.prepend != Metaspace::Prepend::never;
  return [=](Texts texts, Budget& budget) {
    for (std::size_t k = 0; k < texts.size(); ++k)
      texts[k] = with(texts[k], mark, k == 0 && prepended ? "" : " ", budget);
    return texts;
  };
}

std::optional<unsigned char> byte_named(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return std::nullopt;
  int value = 0;
  for (const char c : token.substr(3, 2)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    value = 16 * value + digit;
  }
  return static_cast<unsigned char>(value);
}

// Consecutive bytes that are not UTF-8 together become one U+FFFD per byte.
Decoder byte_fallback(const Field&) {
  return [](Texts texts, Budget&) {
    Texts out;
    std::string bytes;
    const auto flush = [&] {
      if (bytes.empty()) return;
      if (is_utf8(bytes))
        out.push_back(bytes);
      else
        for (std::size_t k = 0; k < bytes.size(); ++k) out.emplace_back("\uFFFD");
      bytes.clear();
    };
    for (std::string& text : texts) {
      if (const auto byte = byte_named(text)) {
        bytes += static_cast<char>(*byte);
        continue;
      }
      flush();
      out.push_back(std::move(text));
    }
    flush();
    return out;
  };
}

Decoder fuse(const Field&) {
  return [](const Texts& texts, Budget&) { return Texts{joined(texts)}; };
}

Decoder replace(const Field& field) {
  const Finder find = make_finder(field.at("pattern"));
  const std::string by = field.at("content").text();
  return [=](Texts texts, Budget& budget) {
    std::size_t made = 0;
    for (std::string& text : texts) {
      text = replaced(text, find, by, budget);
      budget.require_room(made += text.size());
    }
    return texts;
  };
}

Decoder strip(const Field& field) {
  const std::string content = utf8_of(std::u32string(1, field.at("content").character()));
  const std::uint32_t start = field.at("start").whole(1u << 30);
  const std::uint32_t stop = field.at("stop").whole(1u << 30);
  return [=](Texts texts, Budget&) {
    for (std::string& text : texts) {
      std::size_t begin = 0, end = text.size();
      const std::string_view view = text;
      for (std::uint32_t k = 0; k < start && view.substr(begin).starts_with(content); ++k)
        begin += content.size();
      for (std::uint32_t k = 0;
           k < stop && end > begin && view.substr(begin, end - begin).ends_with(content); ++k)
        end -= content.size();
      text = text.substr(begin, end - begin);
    }
    return texts;
  };
}

Decoder bpe(const Field& field) {
  const std::string suffix = field.text_or("suffix", "</w>");
  return [=](Texts texts, Budget& budget) {
    for (std::size_t k = 0; k < texts.size(); ++k)
      texts[k] = with(texts[k], suffix, k + 1 < texts.size() ? " " : "", budget);
    return texts;
  };
}

// Joins repeated tokens and removes padding.
Decoder ctc(const Field& field) {
  const std::string pad = field.text_or("pad_token", "<pad>");
  const std::string delimiter = field.text_or("word_delimiter_token", "|");
  const bool tidies = field.flag_or("cleanup", true);
  return [=](Texts texts, Budget& budget) {
    Texts out;
    for (std::size_t k = 0; k < texts.size(); ++k) {
      if (k > 0 && texts[k] == texts[k - 1]) continue;
      std::string text = with(texts[k], pad, "", budget);
      if (tidies) text = with(tidied(std::move(text), budget), delimiter, " ", budget);
      if (!text.empty()) out.push_back(std::move(text));
    }
    return out;
  };
}

Decoder sequence(const Field& field) {
  std::vector<Decoder> parts;
  for (const Field& part : field.at("decoders").list(kMostParts))
    parts.push_back(make_decoder(part));
  return [parts](Texts texts, Budget& budget) {
    for (const Decoder& part : parts) texts = part(std::move(texts), budget);
    return texts;
  };
}

}  // namespace

Decoder make_decoder(const Field& field) {
  static const Makers<Decoder> makers = {{"BPEDecoder", bpe},
                                         {"ByteFallback", byte_fallback},
                                         {"ByteLevel", byte_level},
                                         {"CTC", ctc},
                                         {"Fuse", fuse},
                                         {"Metaspace", metaspace},
                                         {"Replace", replace},
                                         {"Sequence", sequence},
                                         {"Strip", strip},
                                         {"WordPiece", word_piece}};
  return [made = make_by_type(makers, field)](Texts texts, Budget& budget) {
    budget.spend(weight_of(texts));
    texts = made(std::move(texts), budget);
    budget.require_room(weight_of(texts) - texts.size());
    return texts;
  };
}

}  // namespace murmur::tokenizer
