// recipe.h: what made a picture, kept as text inside the picture's own file.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace murmur::picture {

// The recipe, one line of JSON in ASCII, of the picture that will lie at `place`; empty: none.
using RecipeOf = std::function<std::string(const std::filesystem::path& place)>;

// While it lives, every picture that this process writes carries its recipe. One at a time counts:
// the last that was made.
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
// What the signature says of a place; empty where there is none.
std::string recipe_for(const std::filesystem::path& place);

// The bytes of an .svg, .png or .pdf with a recipe inside, by `ending`; others as they are (ffmpeg
// writes that of a film). PNG: an iTXt chunk `murmur` after the header. SVG: <metadata
// id="murmur">. PDF: a comment, after which the end of the file is said once more.
std::string with_recipe(std::string bytes, std::string_view ending, std::string_view recipe);

// The recipe in the bytes of a PNG, SVG, PDF or MP4 (its comment); nothing where there is none or
// where the bytes are no picture. Never reads outside of `bytes`, whatever they are.
std::optional<std::string> recipe_in(std::string_view bytes);

}  // namespace murmur::picture
