// prompts.h: the input of a transformer: texts, ids or pictures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trace/traced.h"

namespace murmur {

// The tokens of a text, with those that the tokeniser adds. Error(input) without a tokeniser, and
// for a text without tokens.
Prompt prompt_of_text(const Tokenizer* tokenizer, const std::string& text);

// Reads ids such as "5,17,3". Error(input) for anything else.
Prompt prompt_of_ids(const Tokenizer* tokenizer, const std::string& ids);

// Reads an npy of (channels, side, side), or of (frames, features), unchanged. A PNG must have the
// size of the model's input; its samples are scaled with the numbers of preprocessor_config.json in
// the folder of the model: (rescale_factor sample - image_mean) / image_std; without that file with
// 1/255, 0.5 and 0.5.
Prompt prompt_of_picture(const std::filesystem::path& picture, const Description& of,
                         const std::filesystem::path& model);

// The lines of a text that are not empty, or all of it as one.
std::vector<std::string> texts_in(const std::string& all, bool whole);

}  // namespace murmur
