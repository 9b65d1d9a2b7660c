// rules_weights.cpp: rules of the figures whose value matrices are neither I nor -I.
#include "reproduce/rule_tables.h"

namespace murmur {

namespace {

constexpr const char* kFirst = "2026-11-16";
constexpr const char* kUnits =
    "counts had been seen; in one of 20 draws V was too small for T = 10: time is now in 1/λ_1";

const Rule kRules[] = {
    {"product.gather",
     Origin::predicted,
     "2305.05465, the theorem on V = λ on F and smaller on G",
     "in F every particle misses <z, z> = max <z, z_j> by less than 1 %, and some did not at first",
     {.time = 0.1},
     kFirst},
    {"product.spread",
     Origin::predicted,
     "z_i' = -(z_j - z_i)/2 in G for a follower i of j; derived",
     "a follower leaves its leader along G at the rate 1/2, within 1 %: weights have settled",
     {.value = MatrixChoice::identity},
     kFirst},
    {"leaders.sides",
     Origin::predicted,
     "2305.05465, the theorem on three hyperplanes: scores grow as e^(2λt) φ_1*(z_i) φ_1*(z_j)",
     "no token pays more than 1e-6 of its attention to those on the other side at λ_1 t = 10",
     {.reversed = true},
     kFirst,
     kUnits},
    {"leaders.few",
     Origin::regression,
     "our own runs; 2305.05465 shows a picture",
     "5 of 20 tokens or fewer hold 99 % of the attention at λ_1 t = 10, and more did at the start",
     {.reversed = true},
     kFirst,
     kUnits},
    {"normalisation-weights.late",
     Origin::predicted,
     "2510.22026: e^(-2t), t^(-2), e^(-4√t); near one cluster all weights are 1/n",
     "within 5 % over the late window: tokens are not equiangular",
     {.normalisation = LayerNorm::pre},
     kFirst},
    {"normalisation-weights.early",
     Origin::predicted,
     "2510.22026: peri and ngpt divide by the length of A, which is small at the start",
     "at t = 1 their cosine is above that of all others",
     {.normalisation = LayerNorm::pre},
     kFirst},
};

}  // namespace

std::span<const Rule> weight_rules() { return kRules; }

}  // namespace murmur
