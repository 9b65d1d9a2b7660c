// token_readings.cpp: readings of single tokens and of pairs of them: next words, the move of one
// token, attention, cosines, distances, the density that they form, the fields that move them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "murmur/error.h"
#include "report/attention.h"
#include "report/digits.h"
#include "report/fields.h"
#include "report/metastability.h"
#include "report/next_word.h"
#include "report/readings.h"
#include "report/trace.h"
#include "run/file.h"
#include "run/text.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse_argument(const std::string& argument, const std::string& what,
                                  const std::string& remedy) {
  throw Error(Fault::input, what, "command line: " + argument, remedy);
}

std::optional<std::int64_t> number_of(const ReadingOptions& options, const std::string& key,
                                      std::int64_t least, std::int64_t greatest, const char* noun) {
  if (!options.given(key)) return std::nullopt;
  const std::string text = options.text(key);
  if (const auto number = parse_whole(text, least, greatest)) return number;
  refuse_argument(key + "=" + text, fmt::format("'{}' is not the number of a {}", text, noun),
                  fmt::format("give the number of a {}", noun));
}

std::optional<double> time_of(const ReadingOptions& options) {
  if (!options.given("t")) return std::nullopt;
  if (const std::optional<double> t = parse_number(options.text("t"))) return t;
  refuse_argument("t=" + options.text("t"), fmt::format("'{}' is not a time", options.text("t")),
                  "write a number such as t=2.5");
}

std::string key_of(const std::string& assignment) {
  return assignment.substr(0, assignment.find('='));
}

// -- the word that a token says next

// The vocabulary of the run itself, unless one is given.
NextWordRequest words_asked(const RunView& view, const ReadingOptions& options) {
  NextWordRequest request;
  if (view.run() != nullptr && !options.given("vocabulary"))
    use_vocabulary_of(*view.run(), request);
  for (const std::string& key : NextWordRequest::keys())
    if (options.given(key)) request.set(key, options.text(key));
  return request;
}

// One frame: a row for each word. All frames: a row for each frame, with all probabilities in the
// JSON.
Table compute_next_word(const RunView& view, const ReadingOptions& options) {
  const NextWordRequest request = words_asked(view, options);
  const Shape shape = view.history().frame(0).shape();
  const Vocabulary vocabulary = vocabulary_for(request, shape, view.experiment().random.seed);
  const int token = token_for(request, shape);
  const auto said_at = [&](std::int64_t frame) {
    return read_next_word(view.history().frame(frame), token, vocabulary, request.rule);
  };
  if (options.given("frame") && !all_frames(options)) {
    const NextWordReading here = said_at(frame_of(view, options));
    Table table{{"word", "token", "mean"}};
    for (int v = 0; v < vocabulary.count(); ++v)
      table.rows.push_back(
          {vocabulary.word(v), here.token.probability[v], here.mean.probability[v]});
    return table;
  }
  Table table{.columns = {"t"}, .only_in_json = 2};
  for (const char* who : {"token", "mean"})
    for (const char* what : {"word", "probability", "entropy", "outcomes", "above"})
      table.columns.push_back(fmt::format("{}_{}", who, what));
  for (const char* who : {"token", "mean"})
    table.columns.push_back(fmt::format("{}_probabilities", who));
  for (std::int64_t f = 0; f < view.history().count; ++f) {
    const NextWordReading now = said_at(f);
    auto& row = table.rows.emplace_back(std::vector<Json>{view.history().time(f)});
    for (const NextWord* n : {&now.token, &now.mean})
      for (const Json& cell : {Json(vocabulary.word(n->best)), Json(n->probability[n->best]),
                               Json(n->entropy), Json(n->outcomes), Json(n->above)})
        row.push_back(cell);
    for (const NextWord* n : {&now.token, &now.mean}) row.push_back(n->probability);
  }
  return table;
}

// The frame of the picture for a frame of the run, negative from the end.
std::int64_t picture_frame(const NextWordPicture& picture, const RunReader& run,
                           std::int64_t asked) {
  const std::int64_t frame = frame_index(asked, run.frames(), run.directory().string());
  const auto at = std::lower_bound(picture.times.begin(), picture.times.end(), run.times()[frame]);
  return std::min<std::int64_t>(at - picture.times.begin(),
                                static_cast<std::int64_t>(picture.times.size()) - 1);
}

DomeStyle dome_style(const DrawRequest& request) {
  return {request.style, request.render.style.width, request.render.style.height};
}

DomeFilm film_asked(const DrawRequest& request) {
  return {.style = dome_style(request),
          .fps = request.render.fps,
          .seconds = request.seconds.value_or(0),
          .stop = request.render.stop};
}

Drawing draw_next_words(const RunView& view, const ReadingOptions& options,
                        const DrawRequest& request) {
  const RunReader& run = view.swarm_frames();
  NextWordPicture picture =
      next_word_picture(worded_run(run, view.experiment()), words_asked(view, options));
  if (request.frame) picture.frame = picture_frame(picture, run, *request.frame);
  Drawing drawing;
  drawing.write = [picture, request](const fs::path& path) {
    if (path.extension() == ".mp4") {
      film_next_word(picture, film_asked(request), path);
      return;
    }
    DomeStyle style = dome_style(request);
    if (!request.sized) style.width = kNextWordWidth, style.height = kNextWordHeight;
    draw_next_word(picture, style, path);
  };
  return drawing;
}

// Of a simulation where words are asked for, of a traced transformer where it predicts tokens.
void add_next_words(RunReport& report, const RunView& view, const Reading&) {
  NextWordRequest request;
  if (view.is_made_by("trace")) {
    if (!fs::exists(report.run() / "candidates.npy")) return;
    use_vocabulary_of(*view.run(), request);
  } else if (report.request.next_word) {
    request = *report.request.next_word;
  } else {
    return;
  }
  add_next_word(report, worded_run(*view.run(), view.experiment()), request);
}

// -- the states of a swarm, and the move of one of its tokens

// A sample of the test of a trained swarm: a sentence, a pair of pictures or a picture.
DomeStates states_of_trained(const RunView& view, const ReadingOptions& options) {
  for (const std::string& change : view.changes())
    if (key_of(change) != "data")
      refuse_argument(change, "the parameters of a trained swarm cannot change",
                      "a figure of it takes token, block or t, head, picture and data");
  const RunReader& run = view.stored_run();
  const TrainedSwarm swarm = read_trained_swarm(run.directory());
  const std::string name = run.directory().filename().string();
  const auto asked =
      number_of(options, "picture", 0, std::numeric_limits<std::int64_t>::max(), "test picture");
  if (reads_words(swarm.task)) {
    const SampleSet test = test_sentences(swarm.task);
    const auto sentence = static_cast<std::size_t>(asked.value_or(0));
    if (sentence >= test.samples())
      throw Error(Fault::input, fmt::format("there is no sentence {}", sentence), "picture",
                  fmt::format("the test has sentences 0 to {}", test.samples() - 1));
    return states_of_training(swarm, test, sentence,
                              fmt::format("{}, test sentence {}", name, sentence));
  }
  const std::string data = options.given("data") ? options.text("data") : "";
  const Images images = read_data_set(view.find_data(data.empty() ? swarm.data : data)).test;
  SampleSet sample;
  if (swarm.task == Task::same) {
    const std::vector<PicturePair> pairs = test_pairs_of(swarm, images);
    const auto pair = static_cast<std::size_t>(asked.value_or(0));
    if (pair >= pairs.size())
      throw Error(Fault::input, fmt::format("there is no pair {}", pair), images.where,
                  fmt::format("it has pairs 0 to {}", pairs.size() - 1));
    add_pair(images, pairs[pair], pairs[pair].same ? same_class : other_class, swarm.tokens,
             sample);
    return states_of_training(swarm, sample, 0, fmt::format("{}, test pair {}", name, pair));
  }
  if (images.height != swarm.height || images.width != swarm.width)
    throw Error(Fault::input, "the pictures do not have the size that the swarm learned from",
                images.where, "give the pictures it learned from");
  std::vector<std::size_t> pictures;
  samples_of(images, swarm.digits, swarm.tokens, &pictures);
  if (pictures.empty())
    throw Error(Fault::input, "no test picture shows a class of the swarm", images.where,
                "give the pictures it learned from");
  const std::size_t picture = asked ? static_cast<std::size_t>(*asked) : pictures.front();
  if (picture >= images.count())
    throw Error(Fault::input, fmt::format("there is no picture {}", picture), images.where,
                fmt::format("it has pictures 0 to {}", images.count() - 1));
  add_sample(images, picture, images.labels.empty() ? -1 : class_of(swarm, images.labels[picture]),
             swarm.tokens, sample);
  return states_of_training(swarm, sample, 0, fmt::format("{}, test picture {}", name, picture));
}

// The states of a simulation, or of a sample of a training.
DomeStates states_of(const RunView& view, const ReadingOptions& options) {
  if (view.is_made_by("train")) return states_of_trained(view, options);
  view.settings();  // refuses frames that are not those of a swarm
  if (options.given("picture"))
    throw Error(Fault::input, "picture= does not apply to a simulation",
                "command line: picture=", "leave it out; it is for trainings");
  return view.states();
}

std::optional<int> head_of(const ReadingOptions& options) {
  if (options.given("head") && options.text("head") == "all") return std::nullopt;
  const auto head = number_of(options, "head", std::numeric_limits<int>::min(),
                              std::numeric_limits<int>::max(), "head");
  return head ? std::optional(static_cast<int>(*head)) : std::nullopt;
}

Drawing draw_move(const RunView& view, const ReadingOptions& options, const DrawRequest& request) {
  constexpr int kLeast = std::numeric_limits<int>::min(), kMost = std::numeric_limits<int>::max();
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  DomeRequest asked{.head = head_of(options),
                    .block = number_of(options, "block", -kLargest, kLargest, "block"),
                    .t = time_of(options),
                    .frame = request.frame};
  if (const auto token = number_of(options, "token", kLeast, kMost, "token"))
    asked.token = static_cast<int>(*token);
  Drawing drawing;
  drawing.write = [states = states_of(view, options), asked, request](const fs::path& path) {
    if (path.extension() == ".mp4")
      film_domes(domes_of_states(states, asked), film_asked(request), path);
    else
      draw_dome(dome_of_states(states, asked), dome_style(request), path);
  };
  return drawing;
}

void add_move(RunReport& report, const RunView& view, const Reading&) {
  if (!view.is_made_by("trace")) add_dome(report, view.states());
}

// -- attention

// The matrix, its rank and its leaders.
Table attention_table(const Matrix& a, const ReadingOptions& options, Json facts) {
  const std::vector<int> leading = leaders(a, options.number("share"));
  const int rank = numerical_rank(a, options.number("rank_tol"));
  facts["rank"] = rank;
  facts["leaders"] = leading;
  facts["received"] = attention_received(a);
  Table table{.facts = std::move(facts), .rows_name = "weights"};
  for (int i = 0; i < a.rows; ++i) {
    const auto row = a.data.begin() + static_cast<std::ptrdiff_t>(i) * a.cols;
    table.rows.emplace_back(row, row + a.cols);
  }
  table.message =
      fmt::format("rank {}, leaders {}", rank, leading.empty() ? "none" : joined(leading, ", "));
  return table;
}

Table compute_attention(const RunView& view, const ReadingOptions& options) {
  if (view.is_made_by("trace")) {
    if (options.given("frame"))
      options.refuse("frame", "the attention of a traced transformer belongs to blocks",
                     "write block=K");
    const int text = options.whole("text"), block = block_of_trace(view, options);
    const TraceAttention read =
        trace_attention(*view.run(), view.trace(), {text, block, head_of_trace(view, options)});
    return attention_table(
        read.weights, options,
        {{"text", text},
         {"block", block},
         {"head", options.given("head") ? Json(options.whole("head")) : Json("mean")},
         {"tokens", read.tokens}});
  }
  for (const char* key : {"block", "text"})
    if (options.given(key))
      options.refuse(key, "it is only for a traced transformer", "leave it out; write frame=K");
  const std::int64_t frame = frame_of(view, options);
  const double t = view.history().time(frame);
  if (heads_of(view.dynamics(), t).empty())
    throw Error(Fault::input, "there is no attention to show: the dynamics has no head",
                view.name(), "measure a run with dynamics SA, USA or causal, or say dynamics=SA");
  return attention_table(
      attention_weights(view.history().frame(frame), view.dynamics(), options.whole("head"), t),
      options, {{"t", t}});
}

// The attention of the transformer itself: text=K, head=H, block=B.
Drawing draw_attention_of_trace(const RunView& view, const ReadingOptions& options,
                                FigureStyle style) {
  std::vector<std::string> unused = view.changes();
  for (const char* key : {"t", "picture", "order", "data"})
    if (options.given(key)) unused.push_back(fmt::format("{}={}", key, options.text(key)));
  if (!unused.empty())
    refuse_argument(unused.front(), "figure=attention of a trace takes text, head and block",
                    "leave it out");
  return trace_attention_figure(*view.run(), view.trace(),
                                {.text = options.index("text").value_or(0),
                                 .head = options.index("head"),
                                 .block = options.index("block"),
                                 .style = style});
}

Drawing draw_attention(const RunView& view, const ReadingOptions& options,
                       const DrawRequest& request) {
  if (view.is_made_by("trace")) return draw_attention_of_trace(view, options, request.style);
  AttentionRequest asked{.style = request.style};
  if (options.given("order") && !options.text("order").empty()) {
    const std::string order = options.text("order");
    if (order != "clusters" && order != "index")
      refuse_argument("order=" + order, fmt::format("'{}' is not an order of tokens", order),
                      "use order=clusters or order=index");
    asked.clusters = order == "clusters";
  }
  const auto& changes = view.changes();
  if (options.given("block") || std::any_of(changes.begin(), changes.end(), [](const auto& text) {
        return key_of(text) == "token";
      }))
    throw Error(Fault::input, "figure=attention shows all tokens at stored times",
                "command line: token=, block=", "use t=TIME, head=H and order=clusters|index");
  if (options.given("text"))
    refuse_argument("text=" + options.text("text"), "text= is only for a traced transformer",
                    "leave it out");
  asked.head = head_of(options);
  asked.t = time_of(options);
  const DomeStates states = states_of(view, options);
  if (!view.is_made_by("train")) {
    asked.log_time = is_in_log_time(*view.run(), request.time);
    asked.cluster_tol = view.experiment().observe.cluster_tol;
  }
  return attention_figure(states, asked);
}

// Nothing for a swarm that is too large, or of one token, and where nothing attends. Of more than
// four heads the first is drawn.
void add_attention(RunReport& report, const RunView& view, const Reading& reading) {
  constexpr int kMostTokens = 2'000;
  constexpr std::size_t kMostHeads = 4;
  const int n = view.run()->shape().n;
  ReadingOptions::Given given;
  if (view.is_made_by("trace")) {
    if (n < 2 || !fs::exists(report.run() / "activations.safetensors")) return;
  } else {
    const std::size_t heads = heads_of(view.states().dynamics, 0).size();
    if (n < 2 || n > kMostTokens || heads == 0) return;
    if (heads > kMostHeads) given["head"] = "0";
  }
  add_section_of(report, view, reading, "Attention between tokens", {}, given);
}

// -- cosines and distances of pairs

Drawing draw_cosines(const RunView& view, const ReadingOptions&, const DrawRequest& request) {
  const RunReader& run = view.swarm_frames();
  return cosines_figure(run, view.settings(), view.experiment(),
                        {is_in_log_time(run, request.time), request.style});
}

Table compute_cosines(const RunView& view, const ReadingOptions& options) {
  return cosines_table(view, options.whole("bins"));
}

Table compute_distances(const RunView& view, const ReadingOptions& options) {
  return distances_table(view, options.whole("bins"));
}

void add_cosines(RunReport& report, const RunView& view, const Reading& reading) {
  constexpr int kMostTokens = 2'000;
  const bool traced = view.is_made_by("trace");
  const int n = view.run()->shape().n;
  if (n < 2 || (!traced && n > kMostTokens)) return;
  add_section_of(report, view, reading, "Cosines of pairs",
                 traced ? "How many pairs of tokens are at each cosine, layer by layer."
                        : "How many pairs of tokens are at each cosine, over time; a curve that is "
                          "predicted where theory has one.");
}

Drawing draw_distances(const RunView& view, const ReadingOptions& options,
                       const DrawRequest& request) {
  const RunReader& run = view.swarm_frames();
  DistancesRequest asked{.style = request.style};
  asked.bins = options.index("bins").value_or(asked.bins);
  if (options.given("t") && !options.text("t").empty()) asked.t = time_of(options);
  asked.log_time = is_in_log_time(run, request.time);
  return distances_figure(run, view.experiment(), asked);
}

// -- the density on the sphere

Drawing draw_globe(const RunView& view, const ReadingOptions&, const DrawRequest& request) {
  SceneSettings scene;
  SphereDensity density;
  const RunReader& run = view.stored_run();
  if (view.is_made_by("meanfield")) {
    if (!view.changes().empty())
      refuse_argument(view.changes().front(), "the parameters of a mean field cannot change",
                      "leave it out");
    density = density_of_meanfield(run);
    scene = density_scene_of_meanfield(run, request.render.style);
  } else {
    view.swarm_frames();
    const Experiment& e = view.experiment();
    density = density_of_swarm(run, e);
    scene.style = request.render.style;
    scene.title = e.name;
    scene.caption = caption_of(view.settings(), e) + density_caption(run.shape().n);
  }
  scene.log_time = is_in_log_time(run, request.time);
  Drawing drawing;
  drawing.write = [density, scene, request](const fs::path& path) {
    const auto frames = static_cast<std::int64_t>(density.times.size());
    const std::int64_t asked = request.frame.value_or(-1);
    if (path.extension() == ".mp4")
      film_density(density, film_of(scene, request.render), path);
    else
      draw_density(density, asked < 0 ? frames + asked : asked, scene, path);
  };
  return drawing;
}

// -- the fields of a trained swarm

double height_of(const ReadingOptions& options) {
  const std::string text = options.given("z") ? options.text("z") : "";
  if (text.empty()) return 0;
  const std::optional<double> z = parse_number(text);
  if (!z || std::abs(*z) > 1000)
    refuse_argument(
        "z=" + text, fmt::format("{} is not a height", text),
        "write a number such as z=5; the digit lies at 0, gates are 10 from the centre");
  return *z;
}

// block=B, head=H, z=HEIGHT or view=space.
Drawing draw_fields_of(const RunView& view, const ReadingOptions& options,
                       const DrawRequest& request) {
  FieldRequest asked{.block = options.index("block").value_or(0),
                     .head = options.index("head"),
                     .heights = {height_of(options)}};
  const std::string look = options.text("view");
  if (!look.empty() && look != "plane" && look != "space")
    refuse_argument("view=" + look, fmt::format("'{}' is not a view of fields", look),
                    "use view=plane or view=space");
  asked.space = look == "space";
  if (asked.space && options.given("z"))
    refuse_argument("view=space", "view=space takes no height", "leave out z, or view=space");
  if (!view.changes().empty())
    refuse_argument(view.changes().front(), "figure=fields takes block, head, z and view",
                    "leave it out");
  Drawing drawing;
  drawing.write = [sheet = fields_of(read_trained_swarm(view.stored_run().directory()), asked),
                   request](const fs::path& path) {
    const PictureStyle& size = request.render.style;
    draw_fields(sheet,
                {request.style, request.sized ? size.width : 0, request.sized ? size.height : 0},
                path);
  };
  return drawing;
}

// -- options

constexpr Parameter::Kind kNumber = Parameter::number, kWhole = Parameter::whole,
                          kWord = Parameter::word;
constexpr Parameter kText{kWhole, "text", "0", "0 or more",
                          "which text of a traced transformer is shown"};
// Of pictures:
constexpr Parameter kPictureBlock{
    kWhole, "block", "none", "0 or more",
    "figure=dome, fields, and attention of a trace: the block that is shown"};
constexpr Parameter kTime{
    kNumber,
    "t",
    "none",
    "0 or above",
    "figure=dome, distances, and attention except of a trace: the time that is shown",
    "",
    "time t of the flow; one layer is dt"};
constexpr Parameter kPictureHead{kWord, "head", "all", "all, or 0 or more",
                                 "which attention head is drawn"};
constexpr Parameter kPictureText{kWhole, "text", "0", "0 or more",
                                 "figure=attention: which text of a traced transformer"};
constexpr Parameter kSample{
    kWhole, "picture", "0", "0 or more",
    "figure=dome, attention: which test picture, pair or sentence a trained swarm reads"};
constexpr Parameter kVocabulary{kWord, "vocabulary", "12", "a number of words, FILE.npy, FILE.csv",
                                "words as unit points: drawn by the seed, or from a file"};
constexpr Parameter kWords{kWord, "words", "", "FILE",
                           "texts of the words of a .npy file, one in each line"};
constexpr Parameter kKappa{kNumber, "kappa", "16", "a number",
                           "scale of the cosines in the softmax over words"};
constexpr Parameter kToken{kWord, "token", "last", "last, or 0 or more", "which token speaks"};

}  // namespace

std::vector<Parameter> next_word_options() {
  return {kVocabulary, kWords, kKappa, option::share, kToken};
}

std::vector<Reading> token_readings() {
  return {
      {.name = "next-word",
       .table_meaning = "the word of a vocabulary that a token, and the mean, say next",
       .options = {option::frame, kVocabulary, kWords, kKappa, option::share, kToken},
       .compute = compute_next_word,
       .picture_meaning = "a swarm among words and the words that it says over time; .mp4: a film",
       .picture_options = next_word_options(),
       .draw = draw_next_words,
       .kind = Reading::picture_and_film,
       .add_section = add_next_words,
       .place = 10},
      {.name = "dome",
       .picture_meaning = "the move of one token in parts: query, keys, message and feed-forward; "
                          ".mp4: a film through the blocks",
       .picture_options = {kToken, kPictureBlock, kTime, kPictureHead, kSample, option::data},
       .draw = draw_move,
       .kind = Reading::picture_and_film,
       .add_section = add_move,
       .place = 20},
      {.name = "attention",
       .table_meaning = "the attention matrix of one head, its rank and its leaders",
       .options = {option::frame,
                   option::head,
                   option::block,
                   kText,
                   option::share,
                   {kNumber, "rank_tol", "1e-6", "above 0",
                    "singular values above this share of the largest one count in the rank"}},
       .compute = compute_attention,
       .picture_meaning = "which token attends to which, at four times or at t=TIME",
       .picture_options = {kPictureBlock,
                           kTime,
                           kPictureHead,
                           kPictureText,
                           kSample,
                           {kWord, "order", "clusters", "clusters, index",
                            "figure=attention: the order of the tokens"},
                           option::data},
       .draw = draw_attention,
       .time_axis = Reading::over_time_of_flows,
       .add_section = add_attention,
       .place = 50},
      {.name = "cosines",
       .table_meaning = "the share of pairs in each bin of cosines, frame by frame",
       .options = {option::bins},
       .compute = compute_cosines,
       .picture_meaning = "the cosines of pairs over time, and the prediction of theory",
       .draw = draw_cosines,
       .time_axis = Reading::over_time,
       .add_section = add_cosines,
       .place = 90},
      {.name = "distances",
       .table_meaning = "the share of pairs in each bin of distances, frame by frame",
       .options = {option::bins},
       .compute = compute_distances,
       .picture_meaning =
           "histograms of the distances of pairs at five times, and a map over all of them",
       .picture_options = {kTime,
                           {kWhole, "bins", "40", "1 to 1000",
                            "figure=distances: the number of bins"}},
       .draw = draw_distances,
       .time_axis = Reading::over_time},
      {.name = "density",
       .picture_meaning = "the density on the sphere of R^3 as a globe; .mp4: a film",
       .draw = draw_globe,
       .kind = Reading::globe,
       .time_axis = Reading::over_time},
      {.name = "map",
       .picture_meaning = "tokens without attention, as a map; the default for them",
       .time_axis = Reading::over_time,
       .scene = FlightView::map},
      {.name = "flight",
       .picture_meaning = "tokens without attention, as moving points",
       .time_axis = Reading::over_time,
       .scene = FlightView::flight},
      {.name = "fields",
       .picture_meaning = "query, key, value and feed-forward of a trained swarm as arrows",
       .picture_options = {kPictureBlock,
                           kPictureHead,
                           {kNumber, "z", "0", "a number",
                            "figure=fields: the height of the plane that is drawn"},
                           {kWord, "view", "plane", "plane, space",
                            "figure=fields: a plane, or arrows in space"}},
       .draw = draw_fields_of,
       .kind = Reading::picture,
       .example_run = "runs/digits-0-1"},
  };
}

}  // namespace murmur
