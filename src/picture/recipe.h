// recipe.h: the recipe of a picture, stored as text inside its file.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace murmur::picture {

// The recipe, one line of JSON in ASCII, of the picture that will lie at `place`; empty: none.
using RecipeOf = std::function<std::string(const std::filesystem::path& place)>;

// While it exists, every picture that this process writes contains its recipe. Of several, only the
// last one made counts.
class Signature {
 public:
  explicit Signature(RecipeOf recipe);
  ~Signature();
  Signature(const Signature&) = delete;
  Signature& operator=(const Signature&) = delete;

 private:
  RecipeOf recipe_;
  const RecipeOf* outer_;
};
// The recipe of the signature for a place; empty where there is none.
std::string recipe_for(const std::filesystem::path& place);

// The bytes of an .svg, .png or .pdf with a recipe inside, by `ending`; others as they are (ffmpeg
// writes that of a film). PNG: an iTXt chunk `murmur` after the header. SVG: <metadata
// id="murmur">. PDF: a comment, after which the end of the file is repeated.
std::string with_recipe(std::string bytes, std::string_view ending, std::string_view recipe);

// The recipe in the bytes of a PNG, SVG, PDF or MP4 (its comment); nothing where there is none or
// where the bytes are not a picture. Never reads outside of `bytes`, whatever they are.
std::optional<std::string> recipe_in(std::string_view bytes);

}  // namespace murmur::picture
