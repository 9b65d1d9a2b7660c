// rules_models.cpp: rules of trained transformers: what theory says of layers, asked of real ones.
#include "reproduce/rule_tables.h"

namespace murmur {

namespace {

constexpr const char* kDay = "2026-11-17";
constexpr const char* kAll = "random weights were to be rejected; the trained ones all are";

// Differences are those of one input, and means are taken over inputs: errors are standard errors.
const Rule kRules[] = {
    {"real-models.clustering",
     Origin::predicted,
     "extrapolation of 1609.04885, 2405.18273 (V = I, one law): almost every start ends in one "
     "cluster",
     "mean cosine of pairs behind the last block less that of the embedding, above 3 standard "
     "errors",
     {.backwards = true},
     kDay},
    {"real-models.energy",
     Origin::predicted,
     "extrapolation of 2312.10794, Section 3 (V = QᵀK): the flow is an ascent of E_β",
     "no block lowers the mean E_β at the β of its heads by more than 3 standard errors, and all "
     "together raise it by as many",
     {.backwards = true},
     kDay,
     "the rise is of 2026-11-19"},
    {"real-models.drift",
     Origin::predicted,
     "extrapolation of 2312.10794 (V = I): x_i' is the projection of Σ_j a_ij x_j",
     "cosine of the real moves and that velocity, mean over blocks, above 3 standard errors",
     {.backwards = true},
     kDay},
    {"real-models.leaders",
     Origin::predicted,
     "extrapolation of 2305.05465, Section 2 (d = 1): with time a few tokens hold the attention",
     "the share that the most attended token gets is larger in the last block than in the first, "
     "mean over heads, by 3 standard errors",
     {.backwards = true},
     kDay},
    {"real-models.sinks",
     Origin::predicted,
     "2309.17453: the first token of a causal model is a sink",
     "it gets more than of even attention, mean over heads and blocks, by 3 standard errors",
     {.untrained = true},
     kDay},
    {"real-models.groups",
     Origin::predicted,
     "extrapolation of 2410.06833, Section 2 (V = I): before they are one, tokens are in several "
     "groups",
     "behind the last block fewer groups of cosine above 0.9 than of embeddings, and more than "
     "one, each by 3 standard errors",
     {.backwards = true},
     kDay},
    {"real-models.rank",
     Origin::predicted,
     "extrapolation of 2103.03404 (attention only): with depth tokens lose rank",
     "effective rank behind the last block below that of the embedding by 3 standard errors",
     {.backwards = true},
     kDay},
    {"real-models.alone",
     Origin::predicted,
     "2103.03404: the feed-forward slows the collapse that attention alone brings",
     "without feed-forward the last effective rank is lower by 3 standard errors",
     {.whole_blocks = true},
     kDay},
    {"real-models.order",
     Origin::predicted,
     "no paper: our own question; under one law for all layers blocks could change places",
     "first and last block exchanged move the last states by less than a tenth of the angle that "
     "they come from their embeddings",
     {},
     kDay,
     kAll},
    {.name = "skipped-blocks.slowest",
     .origin = Origin::predicted,
     .source = "a block that moves tokens little does little; asked before any run",
     .asks = "the block that moves tokens least, by the mean angle over other inputs, changes the "
             "output less when it is left out than a block at random does on average, by 3 "
             "standard errors over inputs",
     .rejects = {.backwards = true},
     .since = "2026-11-18"},
    {.name = "skipped-blocks.small",
     .origin = Origin::predicted,
     .source = "what does little can be left out; asked before any run",
     .asks = "without that block the output changes by a tenth or less of what it changes by when "
             "no block is left, mean over inputs",
     .rejects = {.backwards = true},
     .since = "2026-11-18"},
    {.name = "skipped-blocks.merged",
     .origin = Origin::predicted,
     .source = "tokens that have met can be one with their mass; asked before any run",
     .asks =
         "behind half of the blocks tokens within some angle become one, which saves a tenth or "
         "more of the later blocks, changes the output by a tenth or less of what it changes "
         "by when these blocks are left out, and by a tenth or less of what random groups of "
         "the same sizes change",
     .rejects = {.exchanged = true},
     .since = "2026-11-18",
     .changed = "random groups of KWT-1's tokens had met the rule, which did not ask to be better"},
};

}  // namespace

std::span<const Rule> model_rules() { return kRules; }

}  // namespace murmur
