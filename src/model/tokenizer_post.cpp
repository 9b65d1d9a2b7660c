// tokenizer_post.cpp: every post-processor by its name in the file.
#include "model/tokenizer_post.h"

#include <fmt/format.h>

#include <limits>

namespace murmur::tokenizer {
namespace {

constexpr TokenId kHighestId = std::numeric_limits<TokenId>::max() - 1;
constexpr std::size_t kMostIds = 65'536;  // around a text

void require_few(const Frame& frame, const Field& field) {
  if (frame.before.size() + frame.after.size() > kMostIds)
    field.refuse(fmt::format("adds more than {} ids", kMostIds), "use another tokeniser");
}

// [CLS] $A [SEP]; each is written [token, id].
Frame classes(const Field& field) {
  const auto id_of = [&](const char* key) {
    const std::vector<Field> pair = field.at(key).list();
    if (pair.size() != 2) field.at(key).refuse("is not a token with its id");
    return pair[1].whole(kHighestId);
  };
  return {{id_of("cls")}, {id_of("sep")}};
}

Frame of_template(const Field& field) {
  Frame frame;
  bool passed = false;  // the text itself
  for (const Field& part : field.at("single").list()) {
    if (part.has("Sequence")) {
      const std::string name = part.at("Sequence").at("id").text();
      if (name != "A" || passed)
        part.refuse(fmt::format("is the sequence {} where the text stands once", name),
                    "a template for one text names the sequence A once");
      passed = true;
      continue;
    }
    const Field special = part.at("SpecialToken").at("id");
    const std::string name = special.text();
    const Field known = field.at("special_tokens");
    if (!known.has(name)) special.refuse(fmt::format("is {}, which special_tokens lacks", name));
    for (const Field& id : known.at(name).at("ids").list(kMostIds))
      (passed ? frame.after : frame.before).push_back(id.whole(kHighestId));
    require_few(frame, field);
  }
  if (!passed) field.at("single").refuse("does not name the sequence A");
  return frame;
}

Frame nothing(const Field&) { return {}; }

Frame frame_of(const Field& field);

Frame sequence(const Field& field) {
  Frame frame;
  for (const Field& part : field.at("processors").list(kMostParts)) {
    Frame outer = frame_of(part);
    outer.before.insert(outer.before.end(), frame.before.begin(), frame.before.end());
    frame.after.insert(frame.after.end(), outer.after.begin(), outer.after.end());
    frame.before = std::move(outer.before);
    require_few(frame, field);
  }
  return frame;
}

Frame frame_of(const Field& field) {
  static const Makers<Frame> makers = {{"BertProcessing", classes},
                                       {"ByteLevel", nothing},
                                       {"RobertaProcessing", classes},
                                       {"Sequence", sequence},
                                       {"TemplateProcessing", of_template}};
  return make_by_type(makers, field);
}

}  // namespace

Frame make_frame(const Field& field, const std::function<bool(TokenId)>& known) {
  const Frame frame = frame_of(field);
  for (const auto* ids : {&frame.before, &frame.after})
    for (const TokenId id : *ids)
      if (!known(id)) field.refuse(fmt::format("adds the id {}, which no token has", id));
  return frame;
}

}  // namespace murmur::tokenizer
