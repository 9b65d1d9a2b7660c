// rules_weights.cpp: rules of the figures whose value matrices are neither I nor -I.
#include "reproduce/rule_tables.h"

namespace murmur {

namespace {

constexpr const char *kFirst = "2026-11-16", *kSecond = "2026-11-17";
constexpr const char* kUnits =
    "counts had been seen; in one of 20 draws V was too small for T = 10: time is now in 1/λ_1";

constexpr const char* kDepths =
    "weights of deviation 0.3, not 0.5, four times the draws and wider depths: the first was noise";

constexpr const char* kLaws =
    "PSD scores at β = 0.7, not 1, and not GOE with V = QᵀK: their means of 256 heads were noise";

const Rule kRules[] = {
    {"product.gather",
     Origin::predicted,
     "2305.05465, the theorem on V = λ on F and smaller on G",
     "in F every particle misses <z, z> = max <z, z_j> by less than 1 %, some did not at first, "
     "and "
     "a tenth of their extent is left",
     {.time = 0.1},
     kFirst,
     "the extent is of 2026-11-19"},
    {"product.spread",
     Origin::predicted,
     "z_i' = -(z_j - z_i)/2 in G for a follower i of j; derived",
     "a follower leaves its leader along G at the rate 1/2, within 1 %: weights have settled",
     {.value = MatrixChoice::identity},
     kFirst},
    {"leaders.sides",
     Origin::check,
     "2305.05465, the theorem on three hyperplanes: scores grow as e^(2λt) φ_1*(z_i) φ_1*(z_j)",
     "no token pays more than 1e-6 of its attention to those on the other side at λ_1 t = 10, and "
     "in some draw there are tokens on either side",
     {.reversed = true},
     kFirst,
     "counts had been seen; in one of 20 draws V was too small for T = 10: time is now in 1/λ_1; "
     "either side is of 2026-11-19"},
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
    {"heads-approximation.own",
     Origin::predicted,
     "the field is a head of the kind that is trained; derived",
     "one trained head leaves a relative error below 1e-6 on fresh measures",
     {.plain_scores = true},
     kSecond},
    {"heads-approximation.pairs",
     Origin::predicted,
     "unnormalised heads are dense in odd pair interactions, by Stone and Weierstrass; derived",
     "second moments within 5 % by the largest number of unnormalised heads",
     {.attention = Interaction::SA},
     kSecond},
    {"heads-approximation.maurey",
     Origin::check,
     "H heads drawn from a law miss their mean by σ/√H, and there are H as good ones (Maurey "
     "1981): "
     "a bound that trained heads meet by far",
     "trained heads are at least as near to the mean of 512 heads, at every H",
     {.reversed = true},
     kSecond},
    {"heads-approximation.limit",
     Origin::predicted,
     "E e^(β(x,Sy)) over GOE and Wishart S and its gradient; derived",
     "velocities of 256 random heads, averaged, have the limit as mean within 3.5 standard errors",
     {.beta = 1.1},
     kSecond,
     kLaws},
    {"heads-approximation.limit-rate",
     Origin::predicted,
     "variance of a mean of H independent heads: H^(-1/2)",
     "exponent of the distance from the limit within 0.1, H = 4 to 256",
     {.value = MatrixChoice::gaussian},
     kSecond,
     kLaws},
    {"residual-depth.layers",
     Origin::predicted,
     "Euler is of order 1 (Hairer, Norsett, Wanner I, II.3), sublayers in turn too",
     "exponent of L within 0.05, from the two deepest networks",
     {.method = Method::strang},
     kSecond},
    {"residual-depth.midpoint",
     Origin::predicted,
     "the midpoint rule is of order 2 (Hairer, Norsett, Wanner I, II.1)",
     "exponent of L within 0.1, from the two deepest networks",
     {.method = Method::euler},
     kSecond},
    {"residual-depth.constant",
     Origin::predicted,
     "L ln(x_L / x(T)) tends to -(T/2)(∫ a² dt + a(T) - a(0)) for x' = a(t) x; derived",
     "within 1 % at the largest depth",
     {.late = true},
     kSecond},
    {"residual-depth.independent",
     Origin::predicted,
     "a sum of L independent steps of T/L misses its mean by L^(-1/2); derived",
     "exponent of the distance from the flow of the mean weights within 0.1",
     {.frozen = true},
     kSecond,
     kDepths},
    {"residual-depth.diffusive",
     Origin::predicted,
     "steps of √(T/L) with independent weights have a diffusion for a limit and no flow; derived",
     "exponent of the distance from the flow of the mean weights within 0.15 of 0",
     {.frozen = true},
     kSecond,
     kDepths},
};

}  // namespace

std::span<const Rule> weight_rules() { return kRules; }

}  // namespace murmur
