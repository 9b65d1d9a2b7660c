// bind.cpp: gives every part of a transformer its weights, by the names of its family.
#include "model/bind.h"

#include <fmt/format.h>

#include <algorithm>

#include "murmur/error.h"

namespace murmur {

namespace {

class Binder {
 public:
  Binder(const Family& family, const Weights& weights, const std::string& where)
      : of_(family.description), names_(family.names), tensors_(weights.tensors), where_(where) {
    const std::string probe = block_name(0) + names_.query + ".weight";
    if (tensors_.count(probe) == 0 && tensors_.count(names_.prefix + probe) > 0)
      prefix_ = names_.prefix;
  }

  TransformerWeights all(bool tied) {
    TransformerWeights w;
    const int width = of_.embedding_width;
    if (of_.patch > 0)
      picture(w);
    else if (of_.frames > 0)
      spectrum(w);
    else
      prompt(w, width, tied);
    w.embedding_norm = norm(names_.embedding_norm, width);
    if (width != of_.d) w.embedding_map = linear(names_.embedding_map, of_.d, width);
    w.final_norm = norm(names_.final_norm, of_.d);
    for (int layer = 0; layer < (of_.shared ? 1 : of_.layers); ++layer)
      w.blocks.push_back(block(layer));
    return w;
  }

  std::vector<std::vector<float>> made{};

 private:
  std::string block_name(int layer) const {
    std::string name = names_.block;
    const auto at = name.find("{}");
    return at == std::string::npos ? name : name.replace(at, 2, std::to_string(layer));
  }

  bool has(const std::string& name) const { return tensors_.count(name) > 0; }

  // The values of a tensor of this shape, ones in front of it aside.
  const float* values(const std::string& name, std::vector<std::size_t> shape) {
    const auto at = tensors_.find(name);
    if (at == tensors_.end()) refuse(fmt::format("the weights have no tensor '{}'", name));
    const std::vector<std::size_t> asked = shape;
    const auto ones = [](std::size_t axis) { return axis == 1; };
    std::vector<std::size_t> held = at->second.shape;
    held.erase(std::remove_if(held.begin(), held.end(), ones), held.end());
    shape.erase(std::remove_if(shape.begin(), shape.end(), ones), shape.end());
    if (held != shape)
      refuse(fmt::format("the tensor '{}' has the shape ({}), and not ({})", name,
                         fmt::join(at->second.shape, ", "), fmt::join(asked, ", ")));
    if (at->second.values == nullptr)
      refuse(fmt::format("the tensor '{}' is neither of F32, F16 nor BF16", name));
    return at->second.values;
  }

  const float* keep(std::vector<float> values) {
    made.push_back(std::move(values));
    return made.back().data();
  }

  NormWeights norm(const std::string& name, int width) { return norm_at(prefix_, name, width); }

  NormWeights norm_at(const std::string& before, const std::string& name, int width) {
    NormWeights w;
    if (name.empty()) return w;
    const auto size = static_cast<std::size_t>(width);
    w.gain = values(before + name + ".weight", {size});
    if (has(before + name + ".bias")) w.bias = values(before + name + ".bias", {size});
    if (names_.gain_less_one) {
      std::vector<float> gain(w.gain, w.gain + width);
      for (float& entry : gain) entry += 1;
      w.gain = keep(std::move(gain));
    }
    return w;
  }

  Linear linear(const std::string& name, int out, int in) {
    return linear_at(prefix_ + name, out, in);
  }

  Linear linear_at(const std::string& name, int out, int in) {
    const auto rows = static_cast<std::size_t>(names_.transposed ? in : out);
    const auto cols = static_cast<std::size_t>(names_.transposed ? out : in);
    Linear f{
        .out = out, .in = in, .pitch = static_cast<int>(cols), .transposed = names_.transposed};
    f.w = values(name + ".weight", {rows, cols});
    if (has(name + ".bias")) f.bias = values(name + ".bias", {static_cast<std::size_t>(out)});
    return f;
  }

  // Rows [first, first + out) of a map.
  static Linear part(const Linear& f, int first, int out) {
    Linear some = f;
    some.out = out;
    some.w += f.transposed ? first : static_cast<std::ptrdiff_t>(first) * f.pitch;
    if (some.bias != nullptr) some.bias += first;
    return some;
  }

  // Rows of query, key and value of each head in turn, put together: part 0, 1, 2 of every head.
  Linear gathered(const Linear& f, int which) {
    const int width = of_.head_width;
    std::vector<float> w, bias;
    for (int head = 0; head < of_.heads; ++head) {
      const std::ptrdiff_t first = (3 * static_cast<std::ptrdiff_t>(head) + which) * width;
      w.insert(w.end(), f.w + first * f.in, f.w + (first + width) * f.in);
      if (f.bias != nullptr) bias.insert(bias.end(), f.bias + first, f.bias + first + width);
    }
    Linear some = f;
    some.out = of_.heads * width;
    some.w = keep(std::move(w));
    if (f.bias != nullptr) some.bias = keep(std::move(bias));
    return some;
  }

  void attention(const std::string& at, BlockWeights& w) {
    const int wide = of_.heads * of_.head_width, narrow = of_.key_heads * of_.head_width;
    if (names_.fused == Fused::apart) {
      w.query = linear_at(at + names_.query, wide, of_.d);
      w.key = linear_at(at + names_.key, narrow, of_.d);
      w.value = linear_at(at + names_.value, narrow, of_.d);
    } else {
      const Linear f = linear_at(at + names_.query, wide + 2 * narrow, of_.d);
      const bool stacked = names_.fused == Fused::stacked;
      w.query = stacked ? part(f, 0, wide) : gathered(f, 0);
      w.key = stacked ? part(f, wide, narrow) : gathered(f, 1);
      w.value = stacked ? part(f, wide + narrow, narrow) : gathered(f, 2);
    }
    w.out = linear_at(at + names_.out, of_.d, wide);
    w.query_norm = norm_at(at, names_.query_norm, of_.head_width);
    w.key_norm = norm_at(at, names_.key_norm, of_.head_width);
  }

  BlockWeights block(int layer) {
    const std::string at = prefix_ + block_name(layer);
    BlockWeights w;
    if (of_.blocks[static_cast<std::size_t>(layer)].first_norm)
      w.attention_norm = norm_at(at, names_.attention_norm, of_.d);
    w.attention_norm_after = norm_at(at, names_.attention_norm_after, of_.d);
    w.feed_forward_norm = norm_at(at, names_.feed_forward_norm, of_.d);
    w.feed_forward_norm_after = norm_at(at, names_.feed_forward_norm_after, of_.d);
    attention(at, w);
    if (names_.gate_and_up) {
      const Linear f = linear_at(at + names_.gate, 2 * of_.hidden, of_.d);
      w.gate = part(f, 0, of_.hidden);
      w.up = part(f, of_.hidden, of_.hidden);
    } else {
      if (of_.gated) w.gate = linear_at(at + names_.gate, of_.hidden, of_.d);
      w.up = linear_at(at + names_.up, of_.hidden, of_.d);
    }
    w.down = linear_at(at + names_.down, of_.d, of_.hidden);
    return w;
  }

  void prompt(TransformerWeights& w, int width, bool tied) {
    const auto rows = static_cast<std::size_t>(of_.vocabulary),
               wide = static_cast<std::size_t>(width);
    const std::string own = names_.unembedding + ".weight";
    const bool has_own = !names_.unembedding.empty() && has(own);
    const std::string tokens = prefix_ + names_.tokens + ".weight";
    w.tokens = values(!has(tokens) && tied && has_own ? own : tokens, {rows, wide});
    if (!names_.positions.empty())
      w.positions = values(prefix_ + names_.positions + ".weight",
                           {static_cast<std::size_t>(of_.context + of_.skipped_positions), wide});
    if (!names_.type.empty()) w.type = first_row(prefix_ + names_.type + ".weight", wide);
    if (names_.unembedding.empty()) return;
    if (!has_own && !tied) refuse(fmt::format("the weights have no tensor '{}'", own));
    w.unembedding = {.w = has_own ? values(own, {rows, wide}) : w.tokens,
                     .out = of_.vocabulary,
                     .in = width,
                     .pitch = width};
  }

  void picture(TransformerWeights& w) {
    const int across = of_.image / of_.patch;
    const auto d = static_cast<std::size_t>(of_.d);
    const auto side = static_cast<std::size_t>(of_.patch);
    w.class_token = values(prefix_ + "embeddings.cls_token", {d});
    w.positions = values(prefix_ + "embeddings.position_embeddings",
                         {static_cast<std::size_t>(across * across + 1), d});
    const std::string name = prefix_ + "embeddings.patch_embeddings.projection";
    const int in = of_.channels * of_.patch * of_.patch;  // bounded with the family
    w.patches = {
        .w = values(name + ".weight", {d, static_cast<std::size_t>(of_.channels), side, side}),
        .out = of_.d,
        .in = in,
        .pitch = in,
        .bias = values(name + ".bias", {d})};
  }

  void spectrum(TransformerWeights& w) {
    const auto d = static_cast<std::size_t>(of_.d);
    w.class_token = values("cls_token", {d});
    w.positions = values(names_.positions, {static_cast<std::size_t>(of_.frames) + 1, d});
    w.patches = linear_at("patch_proj", of_.d, of_.features);
    w.unembedding = linear_at(names_.unembedding, of_.vocabulary, of_.d);
  }

  const float* first_row(const std::string& name, std::size_t width) {
    const auto at = tensors_.find(name);
    const bool plain = at != tensors_.end() && at->second.shape.size() == 2;
    const std::size_t rows = plain ? at->second.shape[0] : 1;
    return values(name, {std::max<std::size_t>(rows, 1), width});
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Fault::input, what, where_,
                "give the weights that belong to config.json, in the layout of its family");
  }

  const Description& of_;
  const Names& names_;
  const std::map<std::string, Weights::Tensor>& tensors_;
  const std::string& where_;
  std::string prefix_{};
};

}  // namespace

Model with_weights(const Family& family, Weights weights, const std::string& where) {
  Binder binder(family, weights, where);
  TransformerWeights bound = binder.all(family.tied);
  return {family.description, std::move(bound), std::move(weights.storage), std::move(binder.made)};
}

}  // namespace murmur
