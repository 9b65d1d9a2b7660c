// story.ts: the words of the view story: nine stops from a word alone to the word that comes next.

export interface StopWords {
  short: string;
  title: string;
  text: string[];
  /** Name of the formula in equations.json. */
  equation: string;
  formula: string;
  question: string;
  choices: { text: string; right?: boolean; answer: string }[];
  /** Where the picture of birds stops being true. */
  breaks: string;
  /** The scene for those who do not see it. */
  begin: string;
  end: string;
}

const isolation: StopWords = {
  short: "Alone",
  title: "Every word alone",
  text: [
    "A sentence comes in as a set of words. A transformer calls them tokens; think of birds. At first " +
      "nobody talks.",
    "Each word flies by its own will: where it goes depends on where it is, and on nothing else. Watch " +
      "the two birds named _bank_. One lies by a river, the other lends money. Both are written alike, so " +
      "both start at the same place.",
  ],
  equation: "story_isolation",
  formula: "A word's next place: its place, and a step f of its own.",
  question: "When will the two banks part?",
  choices: [
    { text: "After a few wingbeats", answer: "Wait as long as you like: the ringed birds stay one dot." },
    {
      text: "Never",
      right: true,
      answer: "Same place, same rule, same path. A word that hears nobody cannot know which bank it is.",
    },
    {
      text: "It depends on the other words",
      answer: "It would, if they could be heard. Here nobody hears anybody.",
    },
  ],
  breaks:
    "Two birds are never quite alike. Two tokens at one place are the same token: nothing but the others " +
    "can tell them apart.",
  begin: "Seven words fly each their own way; two of them, both bank, share one place.",
  end: "The words have flown on. The two banks are still at one place.",
};

const messenger: StopWords = {
  short: "Messenger",
  title: "One messenger",
  text: [
    "Let one messenger walk from word to word with a single page to write on. At each stop it rewrites " +
      "the page: a little of the old, a little of the new. That is a recurrent network.",
    "The last word is _bank_. The word that explains it, _river_, came first. The bars are measured: how " +
      "much each tenth of a row still moves the verdict once the walk is over.",
  ],
  equation: "story_messenger",
  formula: "h is the page; p is the word just visited.",
  question: "Put the same words in another order. Of 100 verdicts, how many change?",
  choices: [
    {
      text: "None",
      answer: "That is the flock's figure. The messenger needs a row, and learned from rows in one order.",
    },
    { text: "About 4", answer: "Far more: the page remembers who came last." },
    {
      text: "About 44",
      right: true,
      answer:
        "43.8 of 100, measured on digits whose pixels stood in another order. Of the flock at stop 5: not " +
        "one of 1850.",
    },
  ],
  breaks:
    "No flock has a messenger: birds hear their neighbours all at once. And a page is a poor memory. The " +
    "first tenth of a row counts 0.00015 of what the last tenth counts.",
  begin: "Ten words stand in a row. A messenger walks from the first to the last.",
  end: "The messenger has reached the last word; the first ones hardly count any more.",
};

const attraction: StopWords = {
  short: "Attraction",
  title: "Everyone to the middle",
  text: [
    "Now everyone hears everyone, at once, in no order. The simplest thing to do with what you hear: fly " +
      "towards the middle of all.",
    "_River_ pulls at _bank_, _money_ pulls, and _the_ pulls as hard as either. Soon all agree. The " +
      "price: what told the words apart is gone.",
  ],
  equation: "story_attraction",
  formula: "Each is drawn to each of the others, all with the same strength 1/n.",
  question: "All have met. What does their meeting place still know of the sentence?",
  choices: [
    {
      text: "Which bank was meant",
      answer: "Every word pulled alike, so the meeting place cannot say who mattered.",
    },
    {
      text: "Only where the middle was at the start",
      right: true,
      answer:
        "The middle never moves; every difference from it shrinks at one rate. Two sentences with the same " +
        "middle end alike.",
    },
    { text: "Nothing at all", answer: "Nearly: one place is left, the middle of where all began." },
  ],
  breaks:
    "Birds that draw near keep a wing's width apart. Tokens have no width: they can all sit at one place. A " +
    "reader of digits gains nothing by it (97.5 alone, 96.9 so).",
  begin: "Seven words are drawn to the middle of all.",
  end: "All words have met at one place; nothing tells them apart.",
};

const messages: StopWords = {
  short: "Messages",
  title: "To say more than “here I am”",
  text: [
    "A nail: of a finger, or of a ship? Put it among _ocean_, _leaks_ and _emergency_ and nobody thinks " +
      "of a finger.",
    "The words do not just pull the nail to where they stand. Each sends a message, made by one matrix V. " +
      "This V says: come over to the ship, and hurry. It pushes, too: what differs in haste is driven " +
      "further apart, _ocean_ down and _emergency_ up.",
  ],
  equation: "story_messages",
  formula:
    "V turns a difference of places into a message. (A transformer sends V x; here it is told as the " +
    "listener sees it, so that the flock stays on the page.)",
  question: "Does _emergency_ draw the nail, or push it?",
  choices: [
    { text: "It draws", answer: "Only along one direction. Look at V: its last number is negative." },
    { text: "It pushes", answer: "Only along one direction. The nail does come over." },
    {
      text: "Both",
      right: true,
      answer:
        "To the right it draws; up and down it drives apart those who differ. With V = 1 there is " +
        "attraction alone: try it.",
    },
  ],
  breaks:
    "A bird can show only where it is and where it goes. A token says something other than its place: V may " +
    "stretch it, turn it, or turn it round.",
  begin: "The nail stands apart from ocean, leaks and emergency.",
  end: "The nail has come over to the ship's side; ocean and emergency have parted.",
};

const listening: StopWords = {
  short: "Listening",
  title: "Whom to listen to",
  text: [
    "Not every voice matters to every ear. To _bank_, _the_ says nothing and _river_ says it all.",
    "So each word asks with a query, Q x, and each shows a key, K x. The better they fit, the more the " +
      "message counts; softmax makes shares of it that add up to one. The lines show whom a word listens " +
      "to, the broader the more. Change the sentence: the same _bank_, from the same start, flies the other " +
      "way.",
  ],
  equation: "story_attention",
  formula: "a is the share of attention, β how sharp the ear is.",
  question: "Turn β down to 0. What is left?",
  choices: [
    {
      text: "Attraction: all go to the middle",
      right: true,
      answer: "All shares are 1/n again, stop 3. Choosing is what β sharpens, and what Q and K decide.",
    },
    {
      text: "Nobody listens, nobody moves",
      answer: "Shares add up to one: at β = 0 everybody listens to everybody alike.",
    },
    { text: "Only _bank_ still moves", answer: "The same rule holds for all words. Try it." },
  ],
  breaks:
    "A starling minds the six or seven birds nearest to it. A token listens across the whole sentence, to " +
    "whoever's key fits, however far away.",
  begin: "Bank listens for words that say much.",
  end: "Bank has flown to the words it listens to.",
};

const rounds: StopWords = {
  short: "Rounds",
  title: "Listen, think, repeat",
  text: [
    "After one round a word knows what its chosen ones knew. After two, what their chosen ones knew.",
    "Between rounds each makes up its own mind, by the will of the first stop: the feed-forward network, " +
      "or MLP. Layers are time. Words of a kind gather in clusters, and _bank_ settles with the river; " +
      "thinking carries whole clusters on.",
  ],
  equation: "story_rounds",
  formula:
    "One round, one wingbeat, one layer: first listen, then think. N is layer norm: it keeps words on the " +
    "sphere.",
  question: "Would the clusters form without the MLP?",
  choices: [
    {
      text: "Yes",
      right: true,
      answer:
        "Listening alone gathers; switch thinking off and see. Thinking decides where the clusters go. Left " +
        "to listen for ever, almost every such flock on a sphere becomes one cluster (arXiv 2312.10794).",
    },
    { text: "No", answer: "Switch thinking off and see: three clusters, _bank_ among the water words." },
  ],
  breaks:
    "A bird has one instinct at every beat. A transformer may have another Q, K, V and MLP in each layer; " +
    "this flock, like the swarm that reads digits, has the same in all.",
  begin: "Twelve words on a sphere listen and think in turn.",
  end: "The words have gathered in clusters; bank is with the river.",
};

const readout: StopWords = {
  short: "Speaker",
  title: "Who speaks for the flock?",
  text: [
    "The flock has talked. One answer is wanted. We may take the mean of all places, a ballot: the cross.",
    "Or we add a word without a meaning of its own, CLS, that listens along, and read it alone: the ring. " +
      "Let a guest join, _loan_, and compare both with where they would have been (faint).",
  ],
  equation: "story_readout",
  formula: "The mean counts every token once; CLS counts those it listened to.",
  question: "One guest among a hundred tokens. How far does it move the mean?",
  choices: [
    {
      text: "About a hundredth of the flock's width",
      right: true,
      answer:
        "One vote among 101. Measured: 0.0126 of the spread, no verdict of 300 turned. CLS moved less, " +
        "0.0035, yet 3 turned. By these figures neither is the steadier.",
    },
    { text: "As far as it likes", answer: "Alone, no: the mean gives every token one vote." },
    { text: "Not at all", answer: "A little: one vote among 101." },
  ],
  breaks:
    "No flock has a bird that stands for all. CLS is made up for the purpose, and the others may listen to " +
    "it as well.",
  begin: "Seven words and CLS draw together.",
  end: "The flock has settled; the cross marks the mean, the ring CLS.",
};

const order: StopWords = {
  short: "Order",
  title: "Who bites whom?",
  text: [
    "A flock has no first bird. _Dog bites man_ and _man bites dog_ are the same three words, so they are the same " +
      "flock: every word flies the same way in both.",
    "So a transformer writes each word's place in the row on the word itself: here, the earlier, the higher. _Bites_ " +
      "comes second in both sentences and starts at one place. It asks for who stands highest.",
  ],
  equation: "story_order",
  formula: "Where a word starts: its own place w, and a code p of its number k in the row.",
  question: "No codes yet. You swap _dog_ and _man_. Where does _bites_ end?",
  choices: [
    {
      text: "At the same place as before",
      right: true,
      answer: "To the last bit but for rounding: attention adds up over all, in whatever order. Write the codes on.",
    },
    { text: "On the other side", answer: "Only with codes. Without them nobody knows who came first." },
    { text: "Somewhere between", answer: "It would take a mark of the order to get there, and there is none." },
  ],
  breaks:
    "Birds have their order by nature: one flies ahead. Tokens have it only if it is written on them, or if each " +
    "hears no more than those before it.",
  begin: "Three words, flown in two orders at once: dots for one, rings for the other.",
  end: "Both flights have ended; the lines show how far the same words are apart.",
};

const next: StopWords = {
  short: "Next word",
  title: "Which word comes next?",
  text: [
    "Now each word hears itself and those before it. The last one flies along with what it heard, and where it is " +
      "says what may come next.",
    "Every word of the vocabulary has a place, too: the small points. The nearer the last word is to one, the more " +
      "likely that one is. Watch the bars as it flies.",
  ],
  equation: "story_next",
  formula: "x is the last word's place, w a word that may come, κ how sharply near counts more than far.",
  question: "While the last word flies, what happens to the number of words that may come?",
  choices: [
    {
      text: "It falls",
      right: true,
      answer: "At first it is near nothing in particular; what it hears narrows the choice. The entropy counts it.",
    },
    { text: "It rises", answer: "It would if it flew back to the middle of all. Turn κ down and see the same." },
    { text: "It stays", answer: "Only at κ = 0, where all words are alike." },
  ],
  breaks:
    "A bird does not say where the next bird will be. These places were put by hand; a language model learns tens of " +
    "thousands of them, in hundreds of dimensions.",
  begin: "Five words on a sphere; eight others stand round them and wait.",
  end: "The last word has come near those that may follow it.",
};

export const story = {
  stops: [isolation, messenger, attraction, messages, listening, rounds, readout, order, next],
  progress: "Stops of the story",
  stopOf: (k: number, all: number) => `Stop ${k} of ${all}`,
  dot: (k: number, title: string) => `Stop ${k}: ${title}`,
  back: "Back",
  next: "Next",
  toDigits: "See it read digits",
  reveal: "Show the answer",
  right: "Right.",
  wrong: "Not quite.",
  hide: "Ask me again",
  breaks: "Where the picture breaks",
  keys: "← → or n, p: stops · Enter: answer · space: play",
  scene: "Try it",
  ear: "Whose ear",
  listener: "Or click a word in the scene. The lines go to those it listens to.",
  shares: "Shares of attention",
  itself: "itself",
  percent: (share: number) => `${Math.round(100 * share)} %`,
  canvas: (title: string) => `${title}: a small flock of words`,
  knobs: {
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
    beta: "Sharpness of the ear, β",
    think: "Think between rounds (MLP)",
    guest: "A guest joins: loan",
    width: "The flock is",
    tight: "tight",
    wide: "wide",
    codes: "Places in the row",
    codesOff: "Not written",
    codesOn: "Written on",
    nothing: "Nothing to turn here yet: nobody listens.",
    attraction: "No knob: in plain attraction nothing is learned.",
  },
  signs: {
    water: "← water", money: "money →", hand: "← hand", ship: "ship →", urgent: "urgent", calm: "calm",
    content: "says much", filler: "says little",
    influence: "what each place counts in the end (measured)",
    first: "first in the row", last: "last in the row",
  },
  step: (k: number) => `step ${k}`,
  round: (k: number) => `round ${k}`,
  visit: (k: number, word: string) => `word ${k}: ${word}`,
  legend: { cross: "mean of all", ring: "CLS", faint: "without the guest" },
  moved: {
    caption: "How far the guest moves them, in the end (flown now)",
    who: "reads by", tight: "tight flock", wide: "wide flock", mean: "mean", cls: "CLS",
  },
  order: {
    first: "dog bites man", second: "man bites dog",
    apart: "How far the same word is apart",
  },
  nextWord: {
    river: "Rivers run down to the …",
    money: "Coins lie safe in the …",
    kappa: "Sharpness of the choice, κ",
    bars: "Chances of the next word",
    entropy: (entropy: number, outcomes: number) =>
      `Entropy ${entropy.toFixed(2)} nats: about ${outcomes.toFixed(1)} words are possible.`,
  },
  ladder: {
    tasks: {
      same: {
        name: "two digits",
        title:
          "Measured: readers of each kind were trained to say whether two handwritten digits are the same. " +
          "Right answers in 100:",
      },
    },
    task: "Task of the readers",
    seeOne: "See such a pair fly",
    readersLabel: "Readers that the story has come to",
    readers: {
      isolated: "alone", messenger: "messenger", attraction: "attraction", uniform: "messages to all",
      selected: "listening", selected_bare: "listening, no MLP",
    },
    row: (reader: string, mean: string, sd: string) => `${reader}: ${mean} ± ${sd} right answers in 100`,
    untrained: "messenger: not trained in full",
    depths: "By the number of rounds",
    chance: (chance: number) => `A coin: ${chance}.`,
    bound: (bound: number) => `The most that boids who hear nobody can have: ${bound}.`,
    note: (seeds: number) =>
      `Ten rounds; mean ± deviation of ${seeds} trainings, tested on 8,192 pairs.`,
  },
} as const;
