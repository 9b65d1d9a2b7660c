// methods.cpp: the table of methods: names, citations, orders, and the tableaux.
#include <array>
#include <iterator>
#include <string>

#include "flow/runge_kutta.h"

namespace murmur {

namespace {

constexpr Tableau kEuler{.b = {1}};

// Runge (1895), Mathematische Annalen 46: the midpoint method.
constexpr Tableau kMidpoint{
    .order = 2, .stages = 2, .a = {{{}, {1. / 2}}}, .b = {0, 1}, .c = {0, 1. / 2}};

// Kutta (1901), Zeitschrift fuer Mathematik und Physik 46: the classical fourth-order method.
constexpr Tableau kRk4{.order = 4,
                       .stages = 4,
                       .a = {{{}, {1. / 2}, {0, 1. / 2}, {0, 0, 1}}},
                       .b = {1. / 6, 1. / 3, 1. / 3, 1. / 6},
                       .c = {0, 1. / 2, 1. / 2, 1}};

// The interpolant of dopri5, of order 4 (Hairer, Norsett, Wanner I, section II.6):
//   b_i(theta) = theta (b_i + (1 - theta) (f_i + theta (g_i + (1 - theta) d_i)))
//   f_i = [i = 1] - b_i,   g_i = b_i - [i = 7] - f_i
constexpr StageWeights kDopri5Weights{35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784,
                                      11. / 84,  0};
StageWeights dopri5_dense(double theta) {
  constexpr std::array<double, 7> d{-12715105075. / 11282082432.,  0,
                                    87487479700. / 32700410799.,   -10690763975. / 1880347072.,
                                    701980252875. / 199316789632., -1453857185. / 822651844.,
                                    69997945. / 29380423.};
  StageWeights weights{};
  for (int i = 0; i < 7; ++i) {
    const double b = kDopri5Weights[i];
    const double f = (i == 0 ? 1.0 : 0.0) - b;
    const double g = b - (i == 6 ? 1.0 : 0.0) - f;
    weights[i] = theta * (b + (1 - theta) * (f + theta * (g + (1 - theta) * d[i])));
  }
  return weights;
}

// Dormand and Prince (1980), J. Comput. Appl. Math. 6, the pair 5(4) of table 2.
constexpr Tableau kDopri5{
    .order = 5,
    .stages = 7,
    .a = {{{},
           {1. / 5},
           {3. / 40, 9. / 40},
           {44. / 45, -56. / 15, 32. / 9},
           {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
           {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
           {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}}},
    .b = kDopri5Weights,
    .c = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1},
    .estimates = 1,
    .embedded_order = 4,
    .embedded = {{{5179. / 57600, 0, 7571. / 16695, 393. / 640, -92097. / 339200, 187. / 2100,
                   1. / 40}}},
    .dense_order = 4,
    .dense_stages = 7,
    .dense = dopri5_dense};

// The interpolant of tsit5, of order 4 (Tsitouras 2011, section 3).
StageWeights tsit5_dense(double theta) {
  const double square = theta * theta;
  return {
      -1.0530884977290216 * theta * (theta - 1.3299890189751412) *
          (square - 1.4364028541716351 * theta + 0.7139816917074209),
      0.1017 * square * (square - 2.1966568338249754 * theta + 1.2949852507374631),
      2.490627285651252793 * square * (square - 2.38535645472061657 * theta + 1.57803468208092486),
      -16.54810288924490272 * (theta - 1.21712927295533244) * (theta - 0.61620406037800089) *
          square,
      47.37952196281928122 * (theta - 1.203071208372362603) * (theta - 0.658047292653547382) *
          square,
      -34.87065786149660974 * (theta - 1.2) * (theta - 0.666666666666666667) * square,
      2.5 * (theta - 1) * (theta - 0.6) * square};
}

// Tsitouras (2011), Computers and Mathematics with Applications 62, the pair 5(4) of table 1.
constexpr StageWeights kTsit5Weights{0.09646076681806523, 0.01,
                                     0.4798896504144996,  1.379008574103742,
                                     -3.290069515436081,  2.324710524099774};
constexpr StageWeights kTsit5Errors{
    -0.00178001105222577714, -0.0008164344596567469, 0.007880878010261995, -0.1447110071732629,
    0.5823571654525552,      -0.45808210592918697,   0.015151515151515152};

constexpr StageWeights difference(const StageWeights& a, const StageWeights& b) {
  StageWeights result{};
  for (int i = 0; i < kMaxStages; ++i) result[i] = a[i] - b[i];
  return result;
}

constexpr Tableau kTsit5{
    .order = 5,
    .stages = 7,
    .a = {{{},
           {0.161},
           {-0.008480655492356989, 0.335480655492357},
           {2.8971530571054935, -6.359448489975075, 4.3622954328695815},
           {5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525},
           {5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401,
            -0.028269050394068383},
           kTsit5Weights}},
    .b = kTsit5Weights,
    .c = {0, 0.161, 0.327, 0.9, 0.9800255409045097, 1, 1},
    .estimates = 1,
    .embedded_order = 4,
    .embedded = {{difference(kTsit5Weights, kTsit5Errors)}},
    .dense_order = 4,
    .dense_stages = 7,
    .dense = tsit5_dense};

// The method 8(5,3) of Dormand and Prince in the form of Hairer, Norsett and Wanner (I, second
// edition, section II.5, program DOP853). Twelve stages; the thirteenth is the velocity at the new
// point.
constexpr StageWeights kDop853Weights{5.42937341165687622380535766363e-2,
                                      0,
                                      0,
                                      0,
                                      0,
                                      4.45031289275240888144113950566,
                                      1.89151789931450038304281599044,
                                      -5.8012039600105847814672114227,
                                      3.1116436695781989440891606237e-1,
                                      -1.52160949662516078556178806805e-1,
                                      2.01365400804030348374776537501e-1,
                                      4.47106157277725905176885569043e-2};
constexpr StageWeights kDop853FifthErrors{0.1312004499419488073250102996e-1,
                                          0,
                                          0,
                                          0,
                                          0,
                                          -0.1225156446376204440720569753e1,
                                          -0.4957589496572501915214079952,
                                          0.1664377182454986536961530415e1,
                                          -0.3503288487499736816886487290,
                                          0.3341791187130174790297318841,
                                          0.8192320648511571246570742613e-1,
                                          -0.2235530786388629525884427845e-1};
// Three further stages serve the interpolant of order 7 (section II.6):
//   theta (r_1 + (1 - theta) (r_2 + theta (r_3 + (1 - theta) (r_4 + theta (r_5 +
//     (1 - theta) (r_6 + theta r_7))))))
//   r_1 = b,   r_2 = [i = 1] - b,   r_3 = b - [i = 13] - r_2,   r_4 .. r_7 as here
constexpr std::array<StageWeights, 4> kDop853Dense{
    {{-0.84289382761090128651353491142e1, 0, 0, 0, 0, 0.56671495351937776962531783590,
      -0.30689499459498916912797304727e1, 0.23846676565120698287728149680e1,
      0.21170345824450282767155149946e1, -0.87139158377797299206789907490,
      0.22404374302607882758541771650e1, 0.63157877876946881815570249290,
      -0.88990336451333310820698117400e-1, 0.18148505520854727256656404962e2,
      -0.91946323924783554000451984436e1, -0.44360363875948939664310572000e1},
     {0.10427508642579134603413151009e2, 0, 0, 0, 0, 0.24228349177525818288430175319e3,
      0.16520045171727028198505394887e3, -0.37454675472269020279518312152e3,
      -0.22113666853125306036270938578e2, 0.77334326684722638389603898808e1,
      -0.30674084731089398182061213626e2, -0.93321305264302278729567221706e1,
      0.15697238121770843886131091075e2, -0.31139403219565177677282850411e2,
      -0.93529243588444783865713862664e1, 0.35816841486394083752465898540e2},
     {0.19985053242002433820987653617e2, 0, 0, 0, 0, -0.38703730874935176555105901742e3,
      -0.18917813819516756882830838328e3, 0.52780815920542364900561016686e3,
      -0.11573902539959630126141871134e2, 0.68812326946963000169666922661e1,
      -0.10006050966910838403183860980e1, 0.77771377980534432092869265740,
      -0.27782057523535084065932004339e1, -0.60196695231264120758267380846e2,
      0.84320405506677161018159903784e2, 0.11992291136182789328035130030e2},
     {-0.25693933462703749003312586129e2, 0, 0, 0, 0, -0.15418974869023643374053993627e3,
      -0.23152937917604549567536039109e3, 0.35763911791061412378285349910e3,
      0.93405324183624310003907691704e2, -0.37458323136451633156875139351e2,
      0.10409964950896230045147246184e3, 0.29840293426660503123344363579e2,
      -0.43533456590011143754432175058e2, 0.96324553959188282948394950600e2,
      -0.39177261675615439165231486172e2, -0.14972683625798562581422125276e3}}};

StageWeights dop853_dense(double theta) {
  const double rest = 1 - theta;
  StageWeights weights{};
  for (int i = 0; i < kMaxStages; ++i) {
    const double b = kDop853Weights[i];
    const double second = (i == 0 ? 1.0 : 0.0) - b;
    const double third = b - (i == 12 ? 1.0 : 0.0) - second;
    const double tail = kDop853Dense[2][i] + theta * kDop853Dense[3][i];
    const double inner = kDop853Dense[0][i] + theta * (kDop853Dense[1][i] + rest * tail);
    weights[i] = theta * (b + rest * (second + theta * (third + rest * inner)));
  }
  return weights;
}

constexpr Tableau kDop853{
    .order = 8,
    .stages = 13,
    .a = {{{},
           {5.26001519587677318785587544488e-2},
           {1.97250569845378994544595329183e-2, 5.91751709536136983633785987549e-2},
           {2.95875854768068491816892993775e-2, 0, 8.87627564304205475450678981324e-2},
           {2.41365134159266685502369798665e-1, 0, -8.84549479328286085344864962717e-1,
            9.24834003261792003115737966543e-1},
           {3.7037037037037037037037037037e-2, 0, 0, 1.70828608729473871279604482173e-1,
            1.25467687566822425016691814123e-1},
           {3.7109375e-2, 0, 0, 1.70252211019544039314978060272e-1,
            6.02165389804559606850219397283e-2, -1.7578125e-2},
           {3.70920001185047927108779319836e-2, 0, 0, 1.70383925712239993810214054705e-1,
            1.07262030446373284651809199168e-1, -1.53194377486244017527936158236e-2,
            8.27378916381402288758473766002e-3},
           {6.24110958716075717114429577812e-1, 0, 0, -3.36089262944694129406857109825e0,
            -8.68219346841726006818189891453e-1, 2.75920996994467083049415600797e1,
            2.01540675504778934086186788979e1, -4.34898841810699588477366255144e1},
           {4.77662536438264365890433908527e-1, 0, 0, -2.48811461997166764192642586468e0,
            -5.90290826836842996371446475743e-1, 2.12300514481811942347288949897e1,
            1.52792336328824235832596922938e1, -3.32882109689848629194453265587e1,
            -2.03312017085086261358222928593e-2},
           {-9.3714243008598732571704021658e-1, 0, 0, 5.18637242884406370830023853209e0,
            1.09143734899672957818500254654e0, -8.14978701074692612513997267357e0,
            -1.85200656599969598641566180701e1, 2.27394870993505042818970056734e1,
            2.49360555267965238987089396762e0, -3.0467644718982195003823669022e0},
           {2.27331014751653820792359768449e0, 0, 0, -1.05344954667372501984066689879e1,
            -2.00087205822486249909675718444e0, -1.79589318631187989172765950534e1,
            2.79488845294199600508499808837e1, -2.85899827713502369474065508674e0,
            -8.87285693353062954433549289258e0, 1.23605671757943030647266201528e1,
            6.43392746015763530355970484046e-1},
           {5.42937341165687622380535766363e-2, 0, 0, 0, 0, 4.45031289275240888144113950566,
            1.89151789931450038304281599044, -5.8012039600105847814672114227,
            3.1116436695781989440891606237e-1, -1.52160949662516078556178806805e-1,
            2.01365400804030348374776537501e-1, 4.47106157277725905176885569043e-2},
           {5.61675022830479523392909219681e-2, 0, 0, 0, 0, 0, 2.53500210216624811088794765333e-1,
            -2.46239037470802489917441475441e-1, -1.24191423263816360469010140626e-1,
            1.5329179827876569731206322685e-1, 8.20105229563468988491666602057e-3,
            7.56789766054569976138603589584e-3, -8.298e-3},
           {3.18346481635021405060768473261e-2, 0, 0, 0, 0, 2.83009096723667755288322961402e-2,
            5.35419883074385676223797384372e-2, -5.49237485713909884646569340306e-2, 0, 0,
            -1.08347328697249322858509316994e-4, 3.82571090835658412954920192323e-4,
            -3.40465008687404560802977114492e-4, 1.41312443674632500278074618366e-1},
           {-4.28896301583791923408573538692e-1, 0, 0, 0, 0, -4.69762141536116384314449447206e0,
            7.68342119606259904184240953878e0, 4.06898981839711007970213554331e0,
            3.56727187455281109270669543021e-1, 0, 0, 0, -1.39902416515901462129418009734e-3,
            2.9475147891527723389556272149e0, -9.15095847217987001081870187138e0}}},
    .b = kDop853Weights,
    .c = {0, 0.526001519587677318785587544488e-1, 0.789002279381515978178381316732e-1,
          0.118350341907227396726757197510, 0.281649658092772603273242802490,
          0.333333333333333333333333333333, 0.25, 0.307692307692307692307692307692,
          0.651282051282051282051282051282, 0.6, 0.857142857142857142857142857142, 1, 1, 0.1, 0.2,
          0.777777777777777777777777777778},
    .estimates = 2,
    .embedded_order = 5,
    .embedded = {{difference(kDop853Weights, kDop853FifthErrors),
                  {0.244094488188976377952755905512, 0, 0, 0, 0, 0, 0, 0,
                   0.733846688281611857341361741547, 0, 0, 0.220588235294117647058823529412e-1}}},
    .dense_order = 7,
    .dense_stages = 16,
    .dense = dop853_dense};

constexpr MethodRow kRows[] = {
    {.method = Method::layers,
     .name = "layers",
     .meaning = "x <- N(x + dt A), sublayer by sublayer: the layers of the papers",
     .citation = "2312.10794, section 2",
     .explanation = "$layer, dt = $dt, the papers' layers$clock",
     .stepping = Stepping::layers,
     .order = 1,
     .takes_noise = true},
    {.method = Method::euler,
     .name = "euler",
     .meaning = "x <- N(x + dt v); with noise Euler-Maruyama",
     .citation = "Euler 1768; Maruyama 1955",
     .explanation = "$euler, dt = $dt, Euler's method",
     .stepping = Stepping::runge_kutta,
     .order = kEuler.order,
     .takes_noise = true},
    {.method = Method::rk4,
     .name = "rk4",
     .meaning = "the classical method of fourth order",
     .citation = "Kutta 1901",
     .explanation = "classical Runge-Kutta, dt = $dt$kept",
     .stepping = Stepping::runge_kutta,
     .order = kRk4.order,
     .stages = kRk4.stages},
    {.method = Method::dopri5,
     .name = "dopri5",
     .meaning = "adaptive, order 5(4)",
     .citation = "Dormand and Prince 1980",
     .explanation = "Dormand-Prince 5(4), rtol $rtol, atol $atol$kept; frames are "
                    "interpolated and never change the steps",
     .stepping = Stepping::runge_kutta,
     .order = kDopri5.order,
     .stages = 0,
     .embedded_order = kDopri5.embedded_order,
     .dense_order = kDopri5.dense_order},
    {.method = Method::strang,
     .name = "strang",
     .meaning = "half a step of noise, a midpoint step of drift, half a step of noise",
     .citation = "Strang 1968; Runge 1895",
     .explanation = "half a step of noise, the midpoint rule, half a step of noise; dt = $dt$kept",
     .stepping = Stepping::strang,
     .order = kMidpoint.order,
     .stages = kMidpoint.stages,
     .takes_noise = true},
    {.method = Method::bdf,
     .name = "bdf",
     .meaning = "backward differentiation formulas, for stiff swarms",
     .citation = "Hindmarsh et al. 2005 (CVODE)",
     .explanation = "backward differentiation formulas (CVODE), rtol $rtol, atol $atol$kept; a run "
                    "with mergers is repeated by dopri5 with merging, and both must agree",
     .stepping = Stepping::cvode,
     .order = 5,
     .stages = 0,
     .embedded_order = 4,
     .dense_order = 5},
    {.method = Method::tsit5,
     .name = "tsit5",
     .meaning = "adaptive, order 5(4)",
     .citation = "Tsitouras 2011",
     .explanation = "Tsitouras 5(4), rtol $rtol, atol $atol$kept; frames are interpolated "
                    "and never change the steps",
     .stepping = Stepping::runge_kutta,
     .order = kTsit5.order,
     .stages = 0,
     .embedded_order = kTsit5.embedded_order,
     .dense_order = kTsit5.dense_order},
    {.method = Method::dop853,
     .name = "dop853",
     .meaning = "adaptive, order 8(5,3), for tight tolerances",
     .citation = "Hairer, Norsett, Wanner 1993, section II.5",
     .explanation = "Dormand-Prince 8(5,3), rtol $rtol, atol $atol$kept; frames are "
                    "interpolated and never change the steps",
     .stepping = Stepping::runge_kutta,
     .order = kDop853.order,
     .stages = 0,
     .embedded_order = kDop853.embedded_order,
     .dense_order = kDop853.dense_order},
};

// The tableau of each row, in the order of the rows; for strang that of its drift.
constexpr const Tableau* kTableaux[] = {nullptr,    &kEuler, &kRk4,   &kDopri5,
                                        &kMidpoint, nullptr, &kTsit5, &kDop853};

constexpr std::size_t place_of(Method method) {
  switch (method) {
    case Method::layers:
      return 0;
    case Method::euler:
      return 1;
    case Method::rk4:
      return 2;
    case Method::dopri5:
      return 3;
    case Method::strang:
      return 4;
    case Method::bdf:
      return 5;
    case Method::tsit5:
      return 6;
    case Method::dop853:
      return 7;
  }
  return 0;
}

// Whether every row is at its index, and has a tableau if its steps need one.
constexpr bool rows_agree() {
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    const Stepping stepping = kRows[i].stepping;
    const bool by_tableau = stepping == Stepping::runge_kutta || stepping == Stepping::strang;
    if (place_of(kRows[i].method) != i || by_tableau != (kTableaux[i] != nullptr)) return false;
  }
  return true;
}
static_assert(std::size(kRows) == std::size(kTableaux) && rows_agree());

}  // namespace

std::span<const MethodRow> methods() { return kRows; }

const MethodRow& row_of(Method method) { return kRows[place_of(method)]; }

const Tableau* tableau_of(Method method) { return kTableaux[place_of(method)]; }

const Tableau& dormand_prince() { return kDopri5; }

std::string method_names() {
  std::string names;
  for (const MethodRow& row : kRows) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

}  // namespace murmur
