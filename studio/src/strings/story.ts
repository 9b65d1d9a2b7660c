// story.ts: texts of the view Story: twelve stops from single words to tested readers.
import { lesson } from "./lesson";
import { fixed, percentFine } from "./numbers";
import { firstStops, laterStops } from "./story_stops";

export const lexicon = {
  water:
    "river rivers water waters lake lakes sea seas ocean oceans stream streams brook pond rain rains rained flood floods " +
    "flooded mud muddy wet swim swims swam swimming fish fishes fished fishing fisherman boat boats ship ships sail sails " +
    "sailed shore shores sand beach wave waves tide tides canoe reed reeds otter otters duck ducks frog frogs ferry bridge " +
    "island harbour delta mist foam swamp stone stones grass picnic",
  money:
    "money cash coin coins loan loans lend lends lent lender borrow borrowed debt debts credit cheque check account " +
    "accounts save saves saved savings rate rates interest pay pays paid payment price prices cost costs rich poor gold " +
    "silver dollar dollars euro euros pound pounds vault safe clerk cashier robber robbers robbed market shop shops bought " +
    "buy buys sell sold bill bills budget tax taxes wage wages office banker teller",
  little:
    "the a an of to in on at by for from with and or but so as is are was were be been am do does did has have had it its " +
    "this that these those i me my we us our you your he him his she her they them their who what which there here not no " +
    "very too then than when where while after before over under near beside into out up down off again just will would can " +
    "could may might must shall should all some any each both",
};

const kChannels = ["size", "colour", "who"];
const channels = (which: number[], mark: string) => which.map((k) => kChannels[k] + mark).join(" ");

export const story = {
  stops: [...firstStops, ...laterStops],
  lesson,
  lexicon,
  progress: "Stops of the story",
  stopOf: (k: number, all: number) => `Stop ${k} of ${all}`,
  dot: (k: number, title: string) => `Stop ${k}: ${title}`,
  back: "Back",
  next: "Next",
  toQuestion: "Question",
  toDigits: "Draw a digit",
  reveal: "Show the answer",
  right: "Right.",
  wrong: "Not quite.",
  hide: "Ask me again",
  breaks: "Where the picture breaks",
  keys: "← → or n, p: stops · Enter: answer · space: play",
  sheet: "For teachers: goals, questions, a sheet to print",
  scene: "Try it",
  ear: "Whose ear",
  listener: (touch: boolean) =>
    `Or ${touch ? "tap" : "click"} a word in the scene. Its arrows are the messages it gets, each multiplied by its share; the broad ` +
    "grey one is their sum: where it goes. One too short to be seen is a point.",
  arrows: (times: string) => `arrows: ${times} × their length`,
  shares: "Shares of attention",
  itself: "itself",
  percent: percentFine,
  canvas: (title: string) => `${title}: a small flock of words`,
  drag: "Drag a word in the scene to let it start elsewhere, or move it from here:",
  dragWord: "Word",
  dragTo: { left: "Move left", right: "Move right", up: "Move up", down: "Move down" },
  dragBack: "Put all words back",
  badges: {
    asks: (which: number[]) => (which.length > 0 ? `asks ${channels(which, "?")}` : "asks nothing"),
    shows: (which: number[]) => (which.length > 0 ? `shows ${channels(which, "")}` : "shows nothing"),
  },
  asked: {
    caption: "Three things that a word has",
    word: "word", asks: "asks (Q)", shows: "shows (K)", says: "says (V)",
    nothing: "nothing",
    channels: (which: number[]) => channels(which, ""),
    messages: ["", "small, a bit cute", "brown", "cute", ""], // one per word in the scene
  },
  knobs: {
    apart: "How far apart the banks start",
    apartHint: "Turn it a little: only what differs at the start can differ later.",
    pull: "Pull of the middle, s",
    order: "Order of the row",
    reading: "As written",
    shuffled: "Shuffled",
    barsStay: "The bars belong to places in the row, not to words: whoever comes last is heard.",
    value: "What V says",
    draw: "Come closer",
    push: "Come over, and hurry",
    sentence: "Sentence",
    river: "The river bank was muddy",
    money: "The bank lent me money",
    own: "Your own sentence",
    ownLabel: "Type it, then press Enter",
    ownFirst: "The fisherman counted coins beside the bank",
    ownHint:
      "The page knows some words about water and money, and little ones such as “the”. All others start in the middle: drag " +
      "them to where you would put them.",
    beta: "Sharpness of the ear, β",
    key: "Words show (K)",
    keyOwn: "What they are",
    keySame: "What they ask (K = Q)",
    think: "Think after listening (MLP)",
    skip: "Leave out the second space",
    guest: "A guest joins: loan",
    width: "The flock is",
    tight: "tight",
    wide: "wide",
    codes: "Places in the row",
    codesOff: "Not written",
    codesOn: "Written on",
    reader: "The reader's tokens",
    readers: { same: "listen", alone: "do not" },
    pair: "Pair of digits",
    pairs: ["5 5", "5 6", "6 5", "6 6"],
    four: "Which four of 25",
    rungs: "Readers shown below",
    rungsOf: (k: number, all: number) => `${k} of ${all}`,
  },
  four: {
    caption: "Asked about all four pairs (flown now)",
    ask: "Ask both readers",
    hint:
      "The reader that does not listen is wrong at least once in every four. The other errs, too, but rarely: in the " +
      "first four, for one.",
    pair: "pair", right: "right", wrong: "wrong",
    sum: "right",
  },
  signs: {
    water: "← water", money: "money →", hand: "← hand", ship: "ship →", urgent: "urgent", calm: "calm",
    content: "says much", filler: "says little",
    influence: "what each place counts in the end (measured)",
    first: "first in the row", last: "last in the row",
    notCute: "← plain", cute: "cute →", knownLooks: "looks known", plainLooks: "looks unknown",
    /** The words in the scenes, as they are written there, by stop; and the row that the messenger walks along. */
    said: (_stop: string, word: string) => word,
    row: ["river", "mist", "hid", "the", "two", "of", "us", "on", "the", "bank"],
    phrases: ["← one phrase", "another →"], senses: ["← body", "feeling →"], outlook: ["← sure", "in doubt →"],
  },
  step: (k: number) => `step ${k}`,
  round: (k: number) => `layer ${k}`,
  block: (k: number, all: number) => `layer ${k} of ${all}`,
  visit: (k: number, word: string) => `word ${k}: ${word}`,
  legend: { cross: "mean of all", ring: "CLS", faint: "without the guest" },
  levels: {
    title: "The spaces, one after another",
    names: ["who belongs together", "what the phrase means", "what the sentence says"],
    go: (k: number, name: string) => `Go to space ${k}: ${name}`,
    moment: (k: number, all: number) => `space ${k} of ${all}`,
    end: (word: string, side: number) =>
      `${word} ends ${Math.abs(side) < 0.15 ? "between sure and in doubt" : side < 0 ? "on the sure side" : "in doubt"} ` +
      `(${fixed(side, 2).replace("-", "−")}).`,
  },
  moved: {
    caption: "How far the guest moves them, in the end (flown now)",
    who: "reads by", tight: "tight flock", wide: "wide flock", mean: "mean", cls: "CLS",
  },
  order: {
    first: "dog bites man", second: "man bites dog",
    apart: "Distance of each word from itself",
  },
  nextWord: {
    river: "Rivers run down to the …",
    money: "Coins lie safe in the …",
    kappa: "Sharpness of the choice, κ",
    bars: "Chances of the next word",
    entropy: (entropy: number, outcomes: number) =>
      `Entropy ${fixed(entropy, 2)} nats: about ${fixed(outcomes, 1)} words are possible.`,
  },
  ladder: {
    tasks: {
      same: {
        name: "two digits",
        title:
          "Measured: readers of each kind were trained to say whether two handwritten digits are the same. " +
          "Right answers in 100:",
        tests: "8,192 pairs",
      },
      sense: {
        name: "word sense",
        title:
          "Measured: readers of each kind were trained to say which sense of a word, such as bank, a sentence means. " +
          "Right answers in 100:",
        tests: "4,096 sentences with word pairs that never met in training",
      },
    },
    task: "Task of the readers",
    seeOne: "Compare your own",
    readersLabel: "Readers by the stop whose methods they have",
    readers: {
      isolated: "alone", messenger: "messenger", attraction: "attraction", uniform: "messages to all",
      selected: "listening", selected_bare: "listening, no MLP",
    },
    stop: (k: number) => `stop ${k}`,
    row: (reader: string, mean: string, sd: string) => `${reader}: ${mean} ± ${sd} right answers in 100`,
    noMessenger: "messenger, a recurrent net of their size: stayed at chance, 50.7 ± 0.3 (two trainings)",
    more: "Guess, then show the next reader",
    depths: "By the number of layers",
    chance: (chance: number) => `A coin: ${chance}.`,
    bound: (bound: number) => `The most that tokens can have without listening: ${bound}.`,
    boundWords: (bound: number) => `The most that a word can have without listening: ${bound}.`,
    note: (layers: number, seeds: number, tests: string) =>
      `${layers} layers; mean ± deviation of ${seeds} trainings${tests ? `, tested on ${tests}` : ""}.`,
  },
} as const;
