// tokenizer_metaspace.cpp: reads the fields of both ages of files.
#include "model/tokenizer_metaspace.h"

#include <fmt/format.h>

namespace murmur::tokenizer {

Metaspace metaspace_of(const Field& field) {
  Metaspace made;
  if (field.has("replacement")) made.mark = field.at("replacement").character();
  made.split = field.flag_or("split", true);
  const std::string scheme = field.text_or("prepend_scheme", "always");
  if (scheme == "first")
    made.prepend = Metaspace::Prepend::first;
  else if (scheme == "never")
    made.prepend = Metaspace::Prepend::never;
  else if (scheme != "always")
    field.at("prepend_scheme")
        .refuse(fmt::format("is {}, which is not known here", scheme),
                "always, first and never are known");
  if (!field.flag_or("add_prefix_space", true)) made.prepend = Metaspace::Prepend::never;
  return made;
}

}  // namespace murmur::tokenizer
