// many_heads.cpp: which laws of query, key and value have a limit of many heads in closed form.
#include "experiment/many_heads.h"

#include <optional>

#include "experiment/words.h"

namespace murmur {

namespace {

constexpr const char* kKey = "head_scale";

// Of S = Q^T K; nothing where its mean is not known here.
std::optional<ManyHeads::Law> law_of(MatrixChoice::Kind query, MatrixChoice::Kind key) {
  using Choice = MatrixChoice;
  if (query == Choice::gaussian && key == Choice::gaussian) return ManyHeads::product;
  if (query != Choice::identity && key != Choice::identity) return std::nullopt;
  switch (query == Choice::identity ? key : query) {
    case Choice::gaussian:
      return ManyHeads::gaussian;
    case Choice::goe:
      return ManyHeads::goe;
    case Choice::psd:
      return ManyHeads::psd;
    default:
      return std::nullopt;
  }
}

// The mean of V over the identity; nothing where it is no multiple of that, or zero.
std::optional<double> mean_value(MatrixChoice::Kind value) {
  switch (value) {
    case MatrixChoice::identity:
    case MatrixChoice::psd:
    case MatrixChoice::query_key:
      return 1;
    case MatrixChoice::minus_identity:
    case MatrixChoice::minus_query_key:
      return -1;
    default:
      return std::nullopt;
  }
}

void check_attention(const DynamicsRequest& request) {
  const DynamicsSpec& spec = request.spec;
  if (spec.interaction != Interaction::USA)
    refuse(request.words, kKey, "only unnormalised attention has a known mean over random heads",
           "use dynamics=USA, or head_scale=mean with many heads");
  if (spec.heads)
    refuse(request.words, "heads", "the limit is that of infinitely many heads", "leave heads out");
  if (spec.mask != Attention::none || !spec.self || spec.alibi != 0 ||
      spec.relative == Relative::yes)
    refuse(request.words, kKey, "the limit is known where everyone sees everyone",
           "use reach=all, self=true, alibi=0 and relative=false");
  if (spec.redraw != 0)
    refuse(request.words, "redraw", "nothing random is left in the limit of many heads",
           "use redraw=0");
}

}  // namespace

ManyHeads many_heads(const DynamicsRequest& request) {
  check_attention(request);
  const DynamicsSpec& spec = request.spec;
  const std::optional<ManyHeads::Law> law = law_of(spec.query.kind, spec.key.kind);
  if (!law)
    refuse(request.words, kKey, "the mean over these queries and keys is not known in closed form",
           "use query=goe, psd or gaussian with key=identity, or both gaussian");
  const std::optional<double> value = mean_value(spec.value.kind);
  if (!value)
    refuse(request.words, "value", "has no mean over heads, or the mean 0: nothing would move",
           "use value=identity, minus-identity, psd, query-key or minus-query-key");
  const bool gradient = spec.value.kind == MatrixChoice::query_key ||
                        spec.value.kind == MatrixChoice::minus_query_key;
  if (gradient && (*law == ManyHeads::gaussian || *law == ManyHeads::product))
    refuse(request.words, "value",
           "E e^{beta <x, S y>} of a Gaussian S depends on lengths alone: its gradient has no part "
           "along the sphere",
           "use query=goe or psd, or value=identity");
  return {.beta = spec.beta, .law = *law, .value = *value, .gradient = gradient};
}

}  // namespace murmur
