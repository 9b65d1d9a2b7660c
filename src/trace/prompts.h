// prompts.h: what a transformer is given to read: texts, ids or pictures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trace/traced.h"

namespace murmur {

// With the tokens that the tokeniser adds. Error(input) without a tokeniser, and for a text that
// gives no token.
Prompt prompt_of_text(const Tokenizer* tokenizer, const std::string& text);

// "5,17,3". Error(input) for anything else.
Prompt prompt_of_ids(const Tokenizer* tokenizer, const std::string& ids);

// An npy of (channels, side, side), or of (frames, features), is taken as it is. The samples of a
// PNG, which must have the size that the model reads, are scaled as preprocessor_config.json of the
// model's folder says: (rescale_factor sample - image_mean) / image_std; without that file by
// 1/255, 0.5 and 0.5.
Prompt prompt_of_picture(const std::filesystem::path& picture, const Description& of,
                         const std::filesystem::path& model);

// The lines of a text that are not empty, or all of it as one.
std::vector<std::string> texts_in(const std::string& all, bool whole);

}  // namespace murmur
