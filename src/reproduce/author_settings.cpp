// author_settings.cpp: the table of the authors' settings, read in their papers and companion
// codes.
#include "reproduce/author_settings.h"

#include <fmt/format.h>

#include "reproduce/reproductions.h"

namespace murmur {

namespace {

constexpr const char *kSame = "the same", *kNone = "";
constexpr const char* kDerived = "derived here";

constexpr AuthorSetting kSettings[] = {
    {figure::swarm_table,
     "pixels above 0.5 as (row, column, 0) on [-10, 10]; scores divided by √d; residual step 0.1; "
     "mean distance to the corner of the class; Adam 1e-3, batch 256",
     "companion code of the digit swarm, mnist.py, the version of its README",
     "recipe `published`: the same with tokens (right, up) and no dropout; recipe `best`: other "
     "loss, targets and optimiser"},
    {figure::flock_argument, kNone, kDerived, kNone},
    {figure::saved_work, kNone, kDerived, kNone},
    {figure::ladder, kNone, kDerived, kNone},
    {figure::order, kNone, kDerived, kNone},
    {figure::phase_diagram,
     "tokens uniform on the sphere; scores β<x, y>; layers x ← N(x + 0.1 A); n = 32, d = 2, 8, 32, "
     "128, 512, 1024; 90 values of β from 0.1 to 9; 200 times up to 30; pairs i ≠ j with cosine "
     "above 0.999; 2048 swarms per β (1024 in the paper)",
     "companion code phase-diagrams.py; Fig. 3",
     "the same with 150 times, which are whole layers, and 256 swarms per β up to d = 8, 64 above; "
     "the drawn curve is for n = 32, that of curve.ipynb for n = 128"},
    {figure::circle_clusters,
     "as phase-diagram with d = 2; one swarm at β = 4 and one at β = 9, at t = 2.5, 18 and 30",
     "companion code phase-diagrams.py, sphere.py; Fig. 4",
     "the same; the authors' starts are not stored, ours are the first that end in the shown "
     "numbers of clusters"},
    {figure::random_weights,
     "QᵀK = G1 G2 / √d with standard normal entries, or the GOE matrix (G + Gᵀ) / √2: scores are β "
     "times N(0, 1); V = GGᵀ / √d, or V = QᵀK / √d, whose transpose acts, since tokens are rows; n "
     "= 32, d = 128; each swarm has its own matrices; the rest as phase-diagram",
     "companion code phase-diagrams.py, options randomKQ and randomV; Fig. 5",
     "first row of the figure: the same with 16 swarms per β; second row and the rules on fronts: "
     "entries of Q and K of variance 1/d, so that scores are smaller by √d"},
    {figure::equiangular,
     "ρ' = 2 (1 - ρ)((n - 1)ρ + 1) / (e^(β(1 - ρ)) + n - 1), met at 1 - ρ = 0.001; n = 128",
     "companion code curve.ipynb; 2312.10794, Theorem 6.8",
     "the same with n = 32, as in the diagrams under the curve, and n = 128"},
    {figure::growth,
     "20,000 tokens uniform on the circle; θ' = -(1/n) Σ e^(β cos) sin; Euler steps of 1e-4; T = "
     "0.6 at β = 5, 0.1 at β = 7; shown rates k² I_k(β) / (πβ)",
     "companion code experiments.ipynb of 2410.23228",
     "the same law and unit of time; adaptive steps of order 5 in float32; rates k² I_k(β) / β"},
    {figure::fastest_modes, kNone, kDerived, kNone},
    {figure::kinetic,
     "five given points on the circle; β = 4; softmax with j = i; layers x ← N(x + 0.1 A); T = 400",
     "companion code kinetic.py of 2410.06833", "the same, and the exact flow"},
    {figure::layers_clock, kNone, "derived here, for the points of kinetic", kNone},
    {figure::staircase,
     "angles ½ (0, ½, 2, 4, 7) ln β / √β of β = 2000 for every β; gradient of the kernel e^(β(cos "
     "- 1)) divided by its norm, times ln β; steps of 1e-5; energy Σ e^(β(cos - 1)) / n²",
     "companion code staircase-thekingoflimbs.py, time_rescale_3, of 2410.06833",
     "the same, clock U4, `energy_scaled`; tokens merge below 1.2e-4, where the code divides by 0"},
    {figure::lifetimes, kNone, "derived here for 2410.06833, which shows no such figure", kNone},
    {figure::polytope,
     "n = 20 uniform on [-5, 5]^d, d = 2 and 3; Q = K = V = I; z' = Σ P V(z_j - z); steps of 0.1, "
     "T = 5",
     "companion code clustering-Tformers.py of 2305.05465", "the same law; adaptive steps; T = 10"},
    {figure::hyperplanes,
     "n = 20 uniform on [-5, 5]^d; Q = K = I; V with the entries printed in the code; T = 5",
     "companion code clustering-Tformers.py of 2305.05465",
     "the same four V; n = 40, adaptive steps, T = 15"},
    {figure::product, "n = 20 uniform on [-5, 5]^d; Q = K = I; V = diag(1, ..., -1/2); T = 5",
     "companion code clustering-Tformers.py of 2305.05465",
     "the same law and V; adaptive steps, T = 10"},
    {figure::leaders,
     "n = 20 uniform on [-1, 1]²; QᵀK = GGᵀ and V = GGᵀ, entries of G uniform on [-1, 1], not "
     "divided by d; Euler steps of 0.1 of x' = Σ P V x_j, T = 10",
     "companion code leaders.py of 2305.05465",
     "QᵀK and V are GGᵀ / d with normal entries, 1.5 times as large in the mean; the same "
     "attention in the coordinates z = e^(-tV) x; until λ_1 t = 10"},
    {figure::low_rank,
     "n = 40, d = 80 uniform on [-1, 1]^d; Q = K = I; V = GGᵀ, entries of G uniform on [-1, 1]; x' "
     "= V x, which attention never enters; T = 11",
     "companion code lowrank-attention.py of 2305.05465",
     "tokens of the line with V = 1, for which there is a theorem; and d = 80, n = 40 with V = GGᵀ "
     "/ d of normal entries, where attention moves the tokens"},
    {figure::causal_centres, "n = 200 uniform on the circle; β = 64; δ = 4 / √β; Q = K = V = I",
     "2411.04990, Fig. 2; no companion code was found", kSame},
    {figure::hardmax,
     "α = 1/2, 30 iterations, scores <z, z_j>, ties shared equally; four starts, some of whose "
     "points are drawn",
     "companion code dynamics.ipynb of 2407.01602; Fig. 2",
     "the same; the points that are drawn come from our generator"},
    {figure::hardmax_cells,
     "vertices of the hull of 36 points uniform on [-½, ½]², or 5 uniform angles on the unit "
     "circle; B = I; a grid of 1000 by 1000",
     "companion code cells.py, voronoi.py of 2508.09628",
     "5 to 25 corners on the unit circle and of unequal norms; the same rule and grid"},
    {figure::escape_times, kNone,
     "derived here for 2508.09628; its companion code draws cells and no times", kNone},
    {figure::normalisation, "directions equiangular, x = rθ, r(0) = 1",
     "2510.22026, its table of schemes; no companion code was found",
     "n = d = 16, β = 1, from orthonormal directions"},
    {figure::normalisation_weights, "d = 512, β = √d, random weights",
     "2510.22026; no companion code was found",
     "n = 32, fixed Q and K of variance 1/d, so that scores are N(0, 1), and V = I, where the "
     "paper draws V too"},
    {figure::density_modes,
     "10,000 points N(0, 1); kernel e^(-β t² / 2); β = 300, 100 draws; maxima found on grids of "
     "[-a, a], a² = 2 ln n - ln β",
     "companion code empirical-modes.py of 2412.09080",
     "the same law and kernel; β from 125 to 32,000; maxima on the whole line"},
    {figure::long_context, "tokens of one cosine ρ, β = γ ln n, one layer",
     "2512.01868; no companion code was found", kSame},
    {figure::lost_in_the_middle,
     "a_n = n² I_n(β), weights e^(-π² n² / 2M²), M = 8, 20 modes, λ = 1; ALiBi slope λ/N, no token "
     "sees itself",
     "companion code generate_u_shape_numerology_data.py of 2605.09213",
     "the same; particles start uniform, where the code draws four clusters"},
    {figure::chaos, kNone, kDerived, kNone},
    {figure::next_token, kNone, "derived here for 2312.10794, which shows no such figure", kNone},
    {figure::readout, kNone, kDerived, kNone},
    {figure::perceptron_clusters,
     "kernel e^(β(x·y - 1)), which makes units of size 1 e^β times as strong as in the paper; two "
     "unit directions uniform on the circle, factors N(0, 1); angles uniform; Euler steps of 0.1; "
     "greedy arcs of ½ / √β; seeds 42 and 777",
     "companion code wgf_circle/dynamics.py, analysis.py, config.json of 2601.21366",
     "the same swarm, n = 200, in the checks on the companion; further weights from our generator; "
     "versions of config.json have n from 200 to 1000 and arcs from 0.1 to ½ / √β; also with the "
     "kernel of the paper"},
    {figure::perceptron_ascent, "as perceptron-clusters, with `ascending`",
     "companion code wgf_circle/dynamics.py of 2601.21366",
     "the same kernel and units; weights from our generator; also tanh and the sphere"},
    {figure::heads_approximation, kNone, kDerived, kNone},
    {figure::residual_depth, kNone, kDerived, kNone},
    {figure::mean_field,
     "density on the circle, 10,000 cells, Lax-Friedrichs fluxes, noise 0.01, β = 5 and 7",
     "companion code experiments.ipynb of 2410.23228",
     "the same equation, noise and β by Fourier series, from twelve waves of equal amplitude"},
    {figure::noisy_bifurcation, "dX = v dt + √(2/κ) dB; κ_c = β / λ_1, β_* from Bessel functions",
     "2412.14813, 2606.05140; no companion code was found", kSame},
    {figure::redraw_diffusion, kNone,
     "derived here; 2604.01978 and 2601.21942 announce such equations", kNone},
    {figure::w2_rate, "W2(μ_t, δ) ≤ C e^(-t/100) for small β, a density in L2 and R_0 > 0",
     "2504.14697, its theorem; no companion code was found", kSame},
    {figure::real_models, kNone, "derived here: predictions of the papers, asked of trained models",
     kNone},
    {figure::skipped_blocks, kNone, kDerived, kNone},
};

}  // namespace

std::span<const AuthorSetting> author_settings() { return kSettings; }

const AuthorSetting* author_setting(std::string_view name) {
  for (const AuthorSetting& setting : kSettings)
    if (setting.name == name) return &setting;
  return nullptr;
}

std::string lines_of(const AuthorSetting& s) {
  const std::string theirs = *s.theirs ? s.theirs : "no published setting";
  std::string text = fmt::format("normalisation: {} (source: {})\n", theirs, s.source);
  if (*s.ours) text += fmt::format("ours: {}\n", s.ours);
  return text;
}

std::string markdown_of_settings() {
  std::string text =
      "| reproduction | normalisation, initial law and parameters of the authors | source | ours "
      "|\n|---|---|---|---|\n";
  for (const AuthorSetting& s : kSettings)
    text += fmt::format("| `{}` | {} | {} | {} |\n", s.name,
                        *s.theirs ? s.theirs : "none published", s.source, s.ours);
  return text;
}

}  // namespace murmur
