// training_spec_test.cpp: a training's spec and its words say the same, and recipes fill both.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "experiment/training_rows.h"
#include "murmur/error.h"

namespace murmur {
namespace {

std::string differing(const TrainingSpec& a, const TrainingSpec& b) {
  std::string names;
  for (const Row<TrainingSpec>& row : rows_of<TrainingSpec>())
    if (!row.same(a, b)) names += std::string(row.parameter.name) + " ";
  return names;
}

// Every field away from its default, with numbers that need all their digits.
TrainingSpec unusual() {
  return {.name = "other",
          .task = Task::same,
          .reader = Reader::recurrent,
          .data = "/pictures/of digits",
          .digits = {9, 0, 1, 2, 7, 8},
          .threshold = 1.0 / 3,
          .every = 1000,
          .d = 8,
          .blocks = 256,
          .shared = false,
          .hidden = 65'536,
          .heads = 4,
          .head_width = 5,
          .residual = 0.1 + 0.2,
          .interaction = Architecture::uniform,
          .readout = Architecture::cls,
          .position = true,
          .positions = Positions::sinusoidal,
          .recipe = Recipe::published,
          .targets = TargetChoice::spread,
          .loss = Objective::target,
          .average = LossAverage::tokens,
          .epochs = 1'000'000,
          .samples = 10'000'000,
          .batch = 1'000'000,
          .rate = 1e-300,
          .schedule = RateSchedule::constant,
          .decay = 1.0 / 7,
          .clip = 1e17,
          .shift = 2.0 / 3,
          .affine = 1.0 / 9,
          .warp = 1.0 / 11,
          .settle = 1.0 / 13,
          .settle_from = SettleFrom::depth,
          .deeper = 4.0 / 3,
          .depth_law = DepthLaw::square,
          .token_share = 1.0 / 19,
          .stay = 1000,
          .smoothing = 1,
          .dropout = 0.99,
          .averaging = 1.0 / 17,
          .validation = 0.9,
          .seed = 9'000'000'000'000'000,
          .device = Training::cuda,
          .threads = 4096};
}

Training said(const std::vector<std::string>& assignments) {
  return make_training(gather({{}, {}, assignments}, training_parameters()));
}

// What a request is refused for, as what | where | what to do.
template <class Request>
std::string refusal(const Request& request) {
  try {
    request();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault, Fault::input);
    return error.summary + " | " + error.where + " | " + error.remedy;
  }
  return "nothing";
}

TEST(TrainingSpec, DefaultsStandInTheTableAndInTheStructAlike) {
  EXPECT_EQ(differing(training_spec_of(gather({}, training_parameters())), {}), "");
  for (const auto& [name, word] : training_words_of({})) EXPECT_EQ(word.origin, "default") << name;
}

TEST(TrainingSpec, WordsReadBackAsTheSameSpec) {
  TrainingSpec spec = unusual();
  spec.reader = Reader::swarm;  // a recurrent network has no attention to drop
  spec.dropout = 0;             // which cuda does not do
  spec.recipe = Recipe::best;   // the published one is of digits alone
  spec.deeper = 1;              // free blocks cannot run deeper
  spec.token_share = 1;         // sentences keep all their words
  spec.stay = 0;                // which needs pictures that can start at the targets
  for (const auto& [name, word] : training_words_of(unusual()))
    EXPECT_EQ(word.origin, "the training") << name;
  EXPECT_EQ(differing(training_spec_of(training_words_of(spec)), spec), "");
  spec = unusual();
  spec.reader = Reader::swarm;
  spec.device = Training::cpu;
  spec.task = Task::digits;
  spec.samples = 0;  // the task draws none
  spec.deeper = 1;
  spec.stay = 0;
  EXPECT_EQ(differing(training_spec_of(training_words_of(spec)), spec), "");
}

// Each field by itself, beside either recipe.
TEST(TrainingSpec, EveryRowReadsBackBesideEveryRecipe) {
  for (const Recipe recipe :
       {Recipe::automatic, Recipe::best, Recipe::published, Recipe::settled}) {
    TrainingSpec plain;
    plain.recipe = recipe;
    plain.d = 8;
    EXPECT_EQ(differing(training_spec_of(training_words_of(plain)), plain), "");
    const Settings unusual_words = training_words_of(unusual());
    for (const Row<TrainingSpec>& row : rows_of<TrainingSpec>()) {
      const std::string name = row.parameter.name;
      TrainingSpec spec = plain;
      spec.targets = TargetChoice::spread;  // of any number of classes
      if (name == "task" || name == "reader") spec.recipe = Recipe::best;
      if (name == "shared") spec.deeper = 1;
      if (name == "samples") spec.task = Task::same, spec.recipe = Recipe::best;
      row.read(unusual_words, spec);
      const TrainingSpec back = training_spec_of(training_words_of(spec));
      EXPECT_EQ(differing(back, spec), "") << name;
      EXPECT_TRUE(row.same(back, unusual())) << name;
    }
  }
}

TEST(TrainingSpec, EveryRowIsReadOnce) {
  std::set<std::string> names;
  for (const Row<TrainingSpec>& row : training_rows_as_read()) names.insert(row.parameter.name);
  EXPECT_EQ(training_rows_as_read().size(), rows_of<TrainingSpec>().size());
  EXPECT_EQ(names.size(), rows_of<TrainingSpec>().size());
}

TEST(TrainingSpec, LabelsInARowAreWrittenAsARange) {
  const auto word = [](std::vector<int> digits) {
    TrainingSpec spec;
    spec.digits = std::move(digits);
    return training_words_of(spec).at("digits").text;
  };
  EXPECT_EQ(word({5, 6}), "5,6");
  EXPECT_EQ(word({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), "0-9");
  EXPECT_EQ(word({9, 0, 1, 2, 7, 8}), "9,0-2,7,8");
  EXPECT_EQ(word({3, 2, 1}), "3,2,1");
}

TEST(TrainingSpec, ARecipeFillsWhatNobodyGave) {
  const Training best = make_training(TrainingSpec{.recipe = Recipe::best});
  EXPECT_EQ(best.config, said({"recipe=best"}).config);
  EXPECT_EQ(best.epochs, 60);
  EXPECT_EQ(best.token_share, 1);
  EXPECT_EQ(best.stay, 0);
  EXPECT_EQ(best.objective.settle, 0);
  EXPECT_EQ(best.objective.loss, Objective::cross_entropy);
  EXPECT_TRUE(best.one_cycle);
  const Training published = make_training(TrainingSpec{.recipe = Recipe::published, .clip = 2});
  EXPECT_EQ(published.config, said({"recipe=published", "clip=2"}).config);
  EXPECT_EQ(published.epochs, 15);
  EXPECT_EQ(published.objective.loss, Objective::target);
  EXPECT_TRUE(published.objective.padded);
  EXPECT_FALSE(published.one_cycle);
  EXPECT_EQ(published.clip, 2);
  EXPECT_EQ(published.architecture.targets, third_axis_targets(3));
  for (const Training* t : {&best, &published})
    EXPECT_EQ(t->config.find("\"recipe\""), std::string::npos) << t->config;
}

// The default recipe is `settled` for two digits and five or more shared blocks of attention in up
// to four dimensions, otherwise `best`; config.toml names the one that was used.
TEST(TrainingSpec, TheDefaultRecipeSettlesWhereThatWorks) {
  const Training settled = said({});
  EXPECT_EQ(settled.config, said({"recipe=settled"}).config);
  EXPECT_NE(settled.config.find("recipe = \"settled\""), std::string::npos) << settled.config;
  EXPECT_GT(settled.objective.settle, 0);
  EXPECT_EQ(settled.objective.settle_from, 10);
  EXPECT_EQ(settled.stay, 16);
  EXPECT_EQ(said({"blocks=7"}).objective.settle_from, 7);
  EXPECT_EQ(said({"settle_from=half"}).objective.settle_from, 0);
  for (const std::string word :
       {"digits=0-9", "task=same", "task=sense", "task=order", "shared=false", "blocks=4", "d=5",
        "interaction=uniform", "readout=cls"}) {
    const Training other = said({word});
    EXPECT_EQ(other.config, said({word, "recipe=best"}).config);
    EXPECT_EQ(other.objective.settle, 0) << word;
    EXPECT_EQ(other.token_share, 1) << word;
    EXPECT_EQ(other.stay, 0) << word;
  }
}

// A sample can start at its target where targets lie in the plane of the pictures and where tokens
// start at their points: elsewhere the recipe `settled` leaves such samples out, and a request for
// them is refused.
TEST(TrainingSpec, SamplesStartAtTargetsOnlyInThePlaneOfThePictures) {
  for (const std::string word : {"digits=0-2", "readout=cls", "position=true",
                                 "positions=sinusoidal", "targets=third-axis"}) {
    EXPECT_EQ(said({"recipe=settled", word}).stay, 0) << word;
    EXPECT_EQ(refusal([&] {
                said({"recipe=settled", word, "stay=2"});
              }),
              "stay = 2: a picture cannot start at the targets | command line: stay=2 | "
              "use stay=0, or two digits, targets=spread, readout=mean and positions=none")
        << word;
  }
  EXPECT_EQ(said({"recipe=settled", "digits=3,8"}).stay, 16);
  EXPECT_EQ(said({"recipe=best", "stay=2"}).stay, 2);
}

// Pairs have a recipe and a name of their own.
TEST(TrainingSpec, TheTaskSaysWhatIsAskedAndHow) {
  const Training same = make_training(TrainingSpec{.task = Task::same});
  EXPECT_EQ(same.config, said({"task=same"}).config);
  EXPECT_EQ(same.name, "same");
  EXPECT_EQ(said({"task=same", "name=mine"}).name, "mine");
  EXPECT_EQ(same.samples, 40960u);
  EXPECT_EQ(same.epochs, 24);
  EXPECT_EQ(same.tokens.every, 2);
  EXPECT_EQ(same.rate, 0.005);
  EXPECT_EQ(same.shift, 0.3);
  EXPECT_EQ(make_training(TrainingSpec{}).samples, 0u);
  EXPECT_EQ(make_training(TrainingSpec{}).tokens.every, 1);
  const Training many = said({"task=same", "digits=0-9"});
  EXPECT_EQ(many.architecture.targets.rows, 2);  // same, different
  EXPECT_EQ(class_names(Task::digits, {5, 6}), (std::vector<std::string>{"5", "6"}));
  const auto of = [](std::vector<std::string> words) { return refusal([&] { said(words); }); };
  EXPECT_EQ(of({"samples=100"}),
            "samples = 100: the task digits learns from the whole training set | "
            "command line: samples=100 | use samples=all, or task=same");
  EXPECT_EQ(of({"task=same", "samples=all"}),
            "samples = all: the number of pairs is unlimited | command line: samples=all | "
            "write the number per epoch");
  EXPECT_EQ(of({"shared=false", "deeper=2"}),
            "deeper = 2: free blocks cannot run deeper | command line: deeper=2 | "
            "use deeper=1, or shared=true");
  EXPECT_EQ(of({"token_share=0"}),
            "token_share = 0: leaves no token | command line: token_share=0 | "
            "write a number above 0, at most 1");
  EXPECT_EQ(of({"task=sense", "token_share=0.5"}),
            "token_share = 0.5: a sentence keeps all its words | command line: token_share=0.5 | "
            "use token_share=1");
  for (const std::string word : {"0.5", "101", "1e300"})
    EXPECT_EQ(of({"deeper=" + word}), "deeper = " + word +
                                          ": out of range | command line: deeper=" + word +
                                          " | write a number from 1 to 100");
  EXPECT_EQ(of({"task=same", "recipe=published"}),
            "recipe = published: published and settled train the task digits only | "
            "command line: recipe=published | remove recipe");
}

// Sentences are read at the word that is asked about; their vocabulary is the task's.
TEST(TrainingSpec, TasksOfWords) {
  for (const auto& [task, word, vocabulary] :
       {std::tuple{Task::sense, "sense", 216}, {Task::order, "order", 72}}) {
    const std::string said_so = std::string("task=") + word;
    const Training t = make_training(TrainingSpec{.task = task});
    EXPECT_EQ(t.config, said({said_so}).config);
    EXPECT_EQ(t.name, word);
    EXPECT_EQ(t.architecture.readout, Architecture::asked);
    EXPECT_EQ(t.architecture.vocabulary, vocabulary);
    EXPECT_EQ(t.architecture.targets.rows, 2);
    EXPECT_EQ(t.shift, 0);
    EXPECT_GT(t.samples, 0u);
    EXPECT_EQ(said({said_so, "readout=mean"}).architecture.readout, Architecture::mean);
    EXPECT_EQ(said({said_so, "positions=learned"}).architecture.places, kLongestSentence);
    EXPECT_TRUE(said({said_so, "positions=sinusoidal"}).architecture.position);
    EXPECT_TRUE(said({said_so, "position=true"}).architecture.position);
    EXPECT_TRUE(said({said_so, "positions=rotary"}).architecture.rotary);
  }
  EXPECT_EQ(make_training(TrainingSpec{}).architecture.vocabulary, 0);
  const auto of = [](std::vector<std::string> words) { return refusal([&] { said(words); }); };
  EXPECT_EQ(of({"readout=asked"}),
            "readout = asked: pictures have no asked token | command line: readout=asked | "
            "use readout=mean or cls");
  EXPECT_EQ(of({"positions=learned"}),
            "positions = learned: pictures have any number of tokens | "
            "command line: positions=learned | use positions=sinusoidal or rotary");
  EXPECT_EQ(of({"task=order", "positions=rotary", "interaction=uniform"}),
            "positions = rotary: rotary rotates queries and keys, and there are none | "
            "command line: positions=rotary | use interaction=attention, or another code");
  EXPECT_EQ(of({"position=true", "positions=rotary"}),
            "positions = rotary: but position=true adds sines | command line: positions=rotary | "
            "remove position");
  EXPECT_EQ(of({"task=sense", "shift=1"}),
            "shift = 1: words do not lie in a plane | command line: shift=1 | use shift=0");
  EXPECT_EQ(of({"task=sense", "device=cuda"}),
            "device = cuda: cuda learns only from pictures | command line: device=cuda | "
            "use device=cpu");
  EXPECT_EQ(of({"task=sense", "samples=all"}),
            "samples = all: the number of sentences is unlimited | command line: samples=all | "
            "write the number per epoch");
}

TEST(TrainingSpec, WordSenseHasAShapeOfItsOwn) {
  const Architecture alone = said({"task=sense"}).architecture;
  EXPECT_EQ(std::tuple(alone.d, alone.blocks, alone.shared, alone.hidden, alone.heads),
            std::tuple(16, 3, false, 64, 2));
  const Architecture given = said({"task=sense", "d=4", "hidden=16"}).architecture;
  EXPECT_EQ(std::tuple(given.d, given.blocks, given.shared, given.hidden, given.heads),
            std::tuple(4, 10, true, 16, 1));
  EXPECT_EQ(said({"task=order"}).architecture.d, 3);
}

TEST(TrainingSpec, ARecurrentReaderHasNeitherBlocksNorAttention) {
  const Training t = said({"reader=recurrent", "recipe=settled"});
  EXPECT_EQ(t.reader, Reader::recurrent);
  EXPECT_EQ(std::tuple(t.deeper, t.objective.settle), std::tuple(1.0, 0.0));
  EXPECT_NEAR(static_cast<double>(parameter_count(t)), 3635, 60);
  const auto of = [](std::vector<std::string> words) { return refusal([&] { said(words); }); };
  EXPECT_EQ(of({"reader=recurrent", "dropout=0.1"}),
            "dropout = 0.1: a recurrent network has no attention weights | "
            "command line: dropout=0.1 | remove dropout, or use reader=swarm");
  EXPECT_EQ(of({"reader=recurrent", "device=cuda"}),
            "device = cuda: a recurrent network learns on the processor | "
            "command line: device=cuda | use device=cpu");
}

TEST(TrainingSpec, MakesTheTrainingThatItsWordsMake) {
  TrainingSpec spec = unusual();
  spec.reader = Reader::swarm;
  spec.device = Training::cpu;
  spec.recipe = Recipe::best;  // the published one is of digits alone
  spec.deeper = 1;             // free blocks cannot run deeper
  spec.token_share = 1;        // sentences keep all their words
  spec.stay = 0;               // which needs pictures that can start at the targets
  std::vector<std::string> assignments;
  for (const auto& [name, word] : training_words_of(spec))
    assignments.push_back(name + "=" + word.text);
  const Training typed = make_training(spec), words = said(assignments);
  EXPECT_EQ(typed.config, words.config);
  EXPECT_EQ(typed.digits, spec.digits);
  EXPECT_EQ(typed.architecture.targets, words.architecture.targets);
  EXPECT_EQ(typed.rate, words.rate);
  EXPECT_EQ(typed.shift, words.shift);
  EXPECT_EQ(typed.objective.smoothing, words.objective.smoothing);
  EXPECT_EQ(typed.objective.settle, words.objective.settle);
  EXPECT_EQ(typed.affine, words.affine);
  EXPECT_EQ(typed.warp, words.warp);
  EXPECT_EQ(typed.averaging, words.averaging);
}

// config.toml repeats words as they were said, over a spec too.
TEST(TrainingSpec, WordsAreLaidOverASpec) {
  const TrainingSpec spec{.blocks = 2, .rate = 0.003, .seed = 4};
  const WordedTraining over = apply_assignments(spec, {"rate=1e-2", "epochs=recipe", "blocks=3"});
  EXPECT_EQ(differing(over.spec, {.blocks = 3, .rate = 0.01, .seed = 4}), "");
  EXPECT_EQ(over.words.at("rate").text, "1e-2");
  EXPECT_EQ(over.words.at("blocks").origin, "command line: blocks=3");
  EXPECT_EQ(make_training(over).config,
            said({"seed=4", "rate=1e-2", "epochs=recipe", "blocks=3"}).config);
  EXPECT_THROW(apply_assignments(spec, {"block=3"}), Error);
  EXPECT_THROW(apply_assignments(spec, {"rate=0"}), Error);
}

TEST(TrainingSpec, APlaceOfPicturesIsKeptWhole) {
  TrainingSpec spec;
  spec.data = "some/../pictures";
  const std::string whole = (std::filesystem::current_path() / "pictures").string();
  EXPECT_EQ(make_training(spec).data, whole);
  EXPECT_EQ(said({"data=some/../pictures"}).data, whole);
  EXPECT_EQ(make_training(spec).config, said({"data=some/../pictures"}).config);
  EXPECT_EQ(said({"data=mnist"}).data, "mnist");
}

// Of several, the first in the order of reading is named.
TEST(TrainingSpec, RefusalsComeInTheirOrder) {
  const auto of = [](std::vector<std::string> words) { return refusal([&] { said(words); }); };
  EXPECT_EQ(of({"name=a/b", "recipe=old", "data="}),
            "recipe = old: not one of its values | command line: recipe=old | "
            "use one of auto, settled, best, published");
  EXPECT_EQ(of({"name=a/b", "data="}),
            "data = : is not a set of pictures | command line: data= | "
            "write data=auto, mnist, or a folder");
  EXPECT_EQ(of({"digits=5", "seed=-1", "d=1"}),
            "seed = -1: out of range | command line: seed=-1 | "
            "write a whole number from 0 to 9000000000000000");
  EXPECT_EQ(of({"head_width=0", "loss=none", "targets=up"}),
            "head_width = 0: out of range | command line: head_width=0 | "
            "write a whole number from 1 to 4096");
  EXPECT_EQ(of({"recipe=published", "d=2", "loss=none"}),
            "targets = third-axis: third-axis needs two classes and d of 3 or more | default | "
            "use targets=spread, or d=3 and two digits");
  EXPECT_EQ(of({"epochs=0", "threshold=1", "dropout=1"}),
            "dropout = 1: out of range | command line: dropout=1 | "
            "write a number from 0 to 0.99");
  EXPECT_EQ(of({"epochs=many", "rate=0"}),
            "epochs = many: not a whole number | command line: epochs=many | "
            "write a whole number from 1 to 1000000");
  EXPECT_EQ(of({"device=cuda", "dropout=0.1", "threads=0"}),
            "device = cuda: cuda has no dropout | command line: device=cuda | "
            "use dropout=0, or device=cpu");
}

TEST(TrainingSpec, RefusesATypedValueInTheWordsOfItsParameter) {
  const auto of = [](const TrainingSpec& spec) { return refusal([&] { make_training(spec); }); };
  EXPECT_EQ(of({.heads = 0}),
            "heads = 0: out of range | the training | write a whole number from 1 to 255");
  EXPECT_EQ(of({.digits = {5, 5}}),
            "digits = 5,5: names a class twice | the training | "
            "write two to ten labels, e.g. digits=5,6 or digits=0-9");
  EXPECT_EQ(of({.decay = -1}), "decay = -1: must be 0 or above | the training | write 0 for none");
  EXPECT_EQ(of({.epochs = 0}),
            "epochs = 0: out of range | the training | write a whole number from 1 to 1000000");
  EXPECT_EQ(of({.d = 2, .recipe = Recipe::published}),
            "targets = third-axis: third-axis needs two classes and d of 3 or more | default | "
            "use targets=spread, or d=3 and two digits");
}

}  // namespace
}  // namespace murmur
