// story_stops.ts: texts of the story's stops: from single words to tested readers.
import { storyTitles } from ".";

interface StopWords {
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
  /** For a teacher: what is learned here, and what to do at the page. */
  goal: string;
  task: string;
}

/** A stop in another language: the formula and the right answer are the same in all. */
export type StopText = Omit<StopWords, "equation" | "choices"> & { choices: { text: string; answer: string }[] };

const alone: StopWords = {
  short: "Alone",
  title: storyTitles[0],
  text: [
    "A sentence comes in as a set of words. A transformer calls them tokens; think of birds. At first " +
      "none of them talks.",
    "Each word flies by its own will: where it goes depends on where it is, and on nothing else. Watch " +
      "the two birds named _bank_. One lies by a river, the other lends money. Both are written alike, so " +
      "both start at the same place.",
  ],
  equation: "story_isolation",
  formula: "A word's next place: its place, and a step f of its own. The same f for every word.",
  question: "When will the two banks part?",
  choices: [
    { text: "After a few wingbeats", answer: "Wait as long as you like: the ringed birds stay at one place." },
    {
      text: "Never",
      right: true,
      answer: "Same place, same rule, same path. A word that hears no other cannot know which bank it is.",
    },
    {
      text: "It depends on the other words",
      answer: "No word hears another here: its path depends only on its own place.",
    },
  ],
  breaks:
    "Birds are born apart and never quite alike. Two tokens of one word start equal to the last bit, until " +
    "they know their position in the sentence (stop 7).",
  begin: "Seven words, each flying by itself; two of them are both called bank.",
  end: "All words have flown their own ways; the two banks are where one bank is.",
  goal: "A word that hears no other cannot know which of its meanings is meant.",
  task: "Let it play. Then slide the two banks apart by a hair, or drag one of them: only now do their paths differ.",
};

const messenger: StopWords = {
  short: "Messenger",
  title: storyTitles[1],
  text: [
    "Now send a messenger from word to word with a single page to write on. At each word it rewrites " +
      "the page: a little of the old, a little of the new. That is a recurrent network.",
    "The last word is _bank_. The word that explains it, _river_, came first. The bars are measured on a trained " +
      "messenger: how much each tenth of a row still moves its verdict once the walk is over.",
  ],
  equation: "story_messenger",
  formula: "h is the page; p is the word just visited; the matrices W are learned.",
  question: "Put the same words in another order. Of 100 verdicts of the trained messenger, how many change?",
  choices: [
    {
      text: "None",
      answer: "That is the flock's figure. The messenger needs a row, and learned from rows in one order.",
    },
    { text: "About 4", answer: "Far more: the page remembers who came last." },
    {
      text: "About 44",
      right: true,
      answer: "43.8 of 100. Of a flock that listens as at stop 6: not one of 1850. Both were trained for the same task.",
    },
  ],
  breaks:
    "No flock has a messenger: birds hear their neighbours all at once. And a page is a poor memory: the first " +
    "tenth of a row counts 0.00015 of what the last tenth counts. Later recurrent networks (LSTM and others) keep " +
    "more than this plain one.",
  begin: "Ten words in a row. A messenger walks from the first to the last.",
  end: "The messenger has reached the last word; the first ones hardly count any more.",
  goal: "A summary passed along a row forgets what came early, and depends on the order of the row.",
  task: "Shuffle the row. The words change places, the bars do not: whoever comes last is heard.",
};

const attraction: StopWords = {
  short: "Attraction",
  title: storyTitles[2],
  text: [
    "Now everyone hears everyone, at once, in no order. The simplest thing to do with what you hear: fly " +
      "towards the middle of all.",
    "The arrows on _bank_ are what it hears: one from each word, its message times its share, and all shares are a " +
      "seventh. _The_ counts as much as _river_. Soon all agree. The price: what made the words differ is gone.",
  ],
  equation: "story_attraction",
  formula: "Each is drawn to each of the others, all with the same share 1/n; s is how strongly.",
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
    "Birds that draw near keep a wing's width apart. Tokens have no width: they can all sit at one place. And this is " +
    "not yet attention. Attention is often drawn as attraction; the next stops say why it is more.",
  begin: "Seven words are drawn to the middle of all.",
  end: "All words have met at one place; nothing distinguishes them.",
  goal: "Plain averaging makes all words alike: agreement without understanding.",
  task: "Drag one word far out and watch the meeting place follow it by a seventh. Turn the pull down to 0.",
};

const messages: StopWords = {
  short: "Messages",
  title: storyTitles[3],
  text: [
    "A nail: of a finger, or of a ship? Put it among _ocean_, _leaks_ and _emergency_ and no one thinks " +
      "of a finger.",
    "Look at the arrows on _nail_: none of them points at its speaker. A word does not pull others to where it is. It sends " +
      "a message, made by one matrix V. This V says: come over to the ship, and hurry. What differs in haste it drives " +
      "further apart, _ocean_ down and _emergency_ up.",
  ],
  equation: "story_messages",
  formula:
    "V turns a difference of places into a message. (A transformer sends V x; here it is shown as the " +
    "listener sees it, so that the flock stays on the page. Stop 6 has the real thing.)",
  question: "Does _emergency_ draw the nail, or push it?",
  choices: [
    { text: "It draws", answer: "Only along one direction. Look at V: its last number is negative." },
    { text: "It pushes", answer: "Only along one direction. The nail does come over." },
    {
      text: "Both",
      right: true,
      answer:
        "To the right it draws; up and down it drives apart those who differ. With V = 1 there is " +
        "only attraction: try it, and the arrows point at their speakers.",
    },
  ],
  breaks:
    "A bird can show only where it is and where it goes. A token says something other than its place: V may " +
    "stretch it, turn it, or turn it round.",
  begin: "The nail is apart from ocean, leaks and emergency.",
  end: "The nail has come over to the ship's side; ocean and emergency have parted.",
  goal: "A message (value) is not a pull towards the speaker: the matrix V decides where it points.",
  task: "Compare the arrows on nail with “Come closer” and with “Come over, and hurry”. Drag ocean: which arrow changes?",
};

const listening: StopWords = {
  short: "Listening",
  title: storyTitles[4],
  text: [
    "Not every voice matters to every ear. To _bank_, _the_ says nothing and _river_ says it all.",
    "So each word gives every other a share of its attention; the shares add up to one. Here words that say much listen " +
      "to words that say much, and what they say is their topic, water or money. Each arrow is a message times " +
      "its share. Change the sentence: the same _bank_, from the same start, flies the other way. Or type your own.",
  ],
  equation: "story_attention",
  formula: "a is the share of attention, β how sharp the ear is, V what is said. Q and K decide which words fit: next stop.",
  question: "Turn β down to 0. What is left?",
  choices: [
    {
      text: "Stop 3: everyone hears everyone alike",
      right: true,
      answer:
        "All shares are 1/n again, and all topics meet in the middle: _bank_ is neither wet nor rich. Choosing is what β " +
        "sharpens.",
    },
    {
      text: "No one listens, no one moves",
      answer: "Shares add up to one: at β = 0 everybody listens to everybody alike.",
    },
    { text: "Only _bank_ still moves", answer: "The same rule holds for all words. Try it." },
  ],
  breaks:
    "A starling minds the six or seven birds nearest to it. A token listens across the whole sentence, to " +
    "whoever fits, however far away.",
  begin: "Bank listens for words that say much.",
  end: "Bank has taken on the topic of the words it listens to.",
  goal: "Attention gives each speaker a share; shares add up to one; β says how unequal they are.",
  task: "Type a sentence with bank in it. Drag words the page does not know to where you would put them.",
};

export const firstStops = [alone, messenger, attraction, messages, listening];

const asking: StopWords = {
  short: "Query, key, value",
  title: storyTitles[5],
  text: [
    "Which words fit? Each word asks (its query, Q x), each wears a badge (its key, K x), each has something to say (its value, " +
      "V x). Three matrices, three different things.",
    "_Puppy_ asks for a size and a colour: its beam falls on _small_ and _brown_. Its own badge says none of that. It says: I am " +
      "the one who does things. So _sleeps_, which asks who, finds _puppy_, and what it hears is neither size nor colour, but: " +
      "cute.",
  ],
  equation: "story_qkv",
  formula: "The better query and key fit, the larger the share a. Then the values are added: this is attention as a transformer has it.",
  question: "Make K equal to Q. What goes wrong?",
  choices: [
    { text: "Nothing: asking for a colour is like having one", answer: "Try it. Which words does _puppy_ hear now?" },
    {
      text: "Words find those who ask the same, not those who answer",
      right: true,
      answer:
        "_Puppy_ hears itself, _sleeps_ hears _small_ and _brown_, which ask the same question as it does. A dating page on which " +
        "everybody writes what they look for, and no one who they are.",
    },
    { text: "Everyone hears everyone alike", answer: "The shares stay unequal. They go to the wrong words." },
  ],
  breaks:
    "A bird's eye meets what is in front of it. A query meets whatever key fits it, and two tokens need not agree: " +
    "_sleeps_ hears _puppy_, _puppy_ does not hear _sleeps_.",
  begin: "Five words with badges; puppy's beam falls on small and brown.",
  end: "Puppy's looks are known, and sleeps has heard of something cute.",
  goal: "Query, key and value are three different things: what a word seeks, how it is found, what it conveys.",
  task: "Let each of the five words listen in turn and say aloud: it asks …, it shows …, it says …. Then make K equal to Q.",
};

const order: StopWords = {
  short: "Order",
  title: storyTitles[6],
  text: [
    "A flock has no first bird. _Dog bites man_ and _man bites dog_ are the same three words, so they are the same " +
      "flock: every word flies the same way in both.",
    "So a transformer writes each word's place in the row on the word itself: here, the earlier, the higher. _Bites_ " +
      "comes second in both sentences and starts at one place. It asks for the highest one.",
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
    { text: "On the other side", answer: "Only with codes. Without them no word knows which came first." },
    { text: "Somewhere between", answer: "It would take a mark of the order to get there, and there is none." },
  ],
  breaks:
    "Birds have their order by nature: one flies ahead. Tokens have it only if it is written on them, or if each " +
    "hears no more than those before it (stop 11). Many of today's models turn queries and keys by their places instead of " +
    "adding a code.",
  begin: "Three words, flown in two orders at once: discs for one, rings for the other.",
  end: "Both flights have ended; the lines show each word's distance from itself.",
  goal: "Attention does not know the order of words; positions must be written on them.",
  task: "Fly both sentences without codes, then with them, and read off how far bites is from itself.",
};

const rounds: StopWords = {
  short: "Layers",
  title: storyTitles[7],
  text: [
    "After one layer a word knows what its chosen ones knew. After two, what their chosen ones knew. Here every layer is the same one: " +
      "the same Q, K, V and the same thinking, flown again.",
    "After it has listened each makes up its own mind, by the will of the first stop: the feed-forward network, " +
      "or MLP. Layers are time. Words of a kind gather in clusters, and _bank_ settles with the river; " +
      "thinking carries whole clusters on.",
  ],
  equation: "story_rounds",
  formula:
    "One wingbeat, one layer: first listen, then think. N is layer norm: it keeps words on the " +
    "sphere.",
  question: "Would the clusters form without the MLP?",
  choices: [
    {
      text: "Yes",
      right: true,
      answer:
        "Listening gathers by itself; switch thinking off and see. Thinking decides where the clusters go. Left " +
        "to listen for ever, almost every such flock on a sphere becomes one cluster (arXiv 2405.18273).",
    },
    { text: "No", answer: "Switch thinking off and see: three clusters, _bank_ among the water words." },
  ],
  breaks:
    "A bird has one instinct at every beat, and so has this flock. Most transformers have another Q, K, V and MLP in each layer; " +
    "some share one set among all, as here.",
  begin: "Twelve words on a sphere listen and think in turn.",
  end: "The words have gathered in clusters; bank is with the river.",
  goal: "Layers repeat two steps: listen to others, then think. Layers are time.",
  task: "Step with › and count the layers until bank has joined the water words. Switch thinking off. Drag bank to the money side.",
};

const levels: StopWords = {
  short: "Levels",
  title: storyTitles[8],
  text: [
    "_Cold feet before the wedding._ Nobody's toes are meant. Meaning comes in levels, and each level is a space of its own, in " +
      "which the same words have other places.",
    "In the first space words find out who belongs together. In the second, what the phrase means: _feet_ hears _cold_ and leaves " +
      "the body for the feelings. In the third, what the sentence says: _wedding_ hears _feet_, and is in doubt. Each space " +
      "starts where the last one ended.",
  ],
  equation: "story_levels",
  formula:
    "Layer ℓ has a Q, K and V of its own; it reads what the layers below have written, and writes along another direction. (In the " +
    "first two spaces the message is V of a difference of places, as at stop 4.)",
  question: "Leave the second space out. What becomes of _wedding_?",
  choices: [
    { text: "The same: it hears _cold_ and _feet_ anyway", answer: "It hears words. That the two mean fear is not said by either." },
    {
      text: "It hardly leaves the sure side",
      right: true,
      answer: "In the third space it asks for things that carry a feeling. Without the second, _feet_ are feet.",
    },
    { text: "It goes the other way", answer: "Nobody says anything of that kind. Try it." },
  ],
  breaks:
    "A bird stays in one sky. Tokens of a transformer stay in one space too, but of hundreds of dimensions, and every layer reads " +
    "and writes along a few of them: the spaces here are views of it. That layers of real models sort as neatly as these three is " +
    "a picture; what is found in them is more mixed.",
  begin: "Five words in the first of three spaces: cold feet before the wedding.",
  end: "In the third space the wedding is on the side of doubt.",
  goal: "Deeper layers build on what earlier layers found out: words, then phrases, then the sentence.",
  task: "Follow wedding through the three small pictures. Leave out the second space and compare where it ends.",
};

const speaker: StopWords = {
  short: "Speaker",
  title: storyTitles[9],
  text: [
    "The flock has talked. One answer is wanted. We may take the mean of all places, a ballot: the cross.",
    "Or we add a word without a meaning of its own, CLS, that listens along, and read only that: the ring. " +
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
        "One vote among 101. Measured on trained flocks: 0.0126 of the spread, no verdict of 300 turned. CLS moved less, " +
        "0.0035, yet 3 turned. By these figures neither is the steadier.",
    },
    { text: "As far as it likes", answer: "By itself, no: the mean gives every token one vote." },
    { text: "Not at all", answer: "A little: one vote among 101." },
  ],
  breaks:
    "No flock has a bird that stands for all. CLS is made up for the purpose, and the others may listen to " +
    "it as well.",
  begin: "Seven words and CLS draw together.",
  end: "The flock has settled; the cross marks the mean, the ring CLS.",
  goal: "An answer is read off the flock: from the mean of all, or from one token made to listen.",
  task: "Let the guest join a tight and a wide flock, and compare by the table what it moves more: the mean or CLS.",
};

const next: StopWords = {
  short: "Next word",
  title: storyTitles[10],
  text: [
    "Now each word hears itself and those before it. The last one flies along with what it heard, and where it is " +
      "says what may come next.",
    "The vocabulary's words have places, too: the small points. The nearer the last word is to one, the more " +
      "likely that one is. Watch the bars as it flies.",
  ],
  equation: "story_next",
  formula: "x is the last word's place, w a possible next word, κ how sharply near counts more than far.",
  question: "While the last word flies, what happens to the number of possible next words?",
  choices: [
    {
      text: "It falls",
      right: true,
      answer: "At first it is near nothing in particular; what it hears narrows the choice. The entropy counts it.",
    },
    { text: "It rises", answer: "It would if it flew back to the middle of all. Turn κ down and see the same." },
    { text: "It stays", answer: "Only at κ = 0, where all are alike." },
  ],
  breaks:
    "A bird does not say where the next bird will be. These places were put by hand; a language model learns tens of " +
    "thousands of them, in hundreds of dimensions.",
  begin: "Five words on a sphere; eight others wait around them.",
  end: "The last word has come near those that may follow it.",
  goal: "A language model turns the place of the last token into a chance for every next word.",
  task: "Change the sentence, then κ. At which κ is one word almost sure, at which are all alike?",
};

const tested: StopWords = {
  short: "Tested",
  title: storyTitles[11],
  text: [
    "All scenes so far were put by hand. So let us leave words, and train. Here is handwriting: two digits, a five or a six each. " +
      "Every dot of ink is a token. The question: are the two digits the same?",
    "One reader listens, as at stop 6; its tokens hear both pictures. The other was trained as long, with as many numbers, but its " +
      "tokens do not listen, as at stop 1. The mean of all tokens (the cross) is read, and the ball is the vote: half way it is undecided, in a gate it " +
      "is sure. Below: what readers with each stop's methods have reached.",
  ],
  equation: "story_tested",
  formula: "The verdict: the gate g that is nearest to the mean of all tokens, which is the one it lies farthest towards.",
  question: "Of four pairs (5 5, 5 6, 6 5, 6 6), at most how many can a reader get right whose tokens do not listen?",
  choices: [
    { text: "Two", answer: "One more is possible: a sum of votes that says “same” for 5 5 and “different” for the other three has three of four right." },
    {
      text: "Three",
      right: true,
      answer:
        "Tokens that do not listen only add up votes, picture by picture, and no sum of votes says “same” for 5 5 and 6 6 and “different” for the other two: " +
        "an exclusive or. One of four is always wrong, however long it is trained. In the table it says at most 75.",
    },
    { text: "Four", answer: "Adding up votes does not get there. Ask it about the four pairs: the table is flown now." },
  ],
  breaks:
    "Birds do not read. These readers are small: tokens in three dimensions, ten layers, one head. They show what talk is needed for, " +
    "not how well a large model reads.",
  begin: "Two handwritten digits, every dot of ink a token.",
  end: "The mean of the flock is read, and the vote has come to its gate.",
  goal: "Trained readers confirm it: some tasks need tokens that listen to each other.",
  task: "Guess before you look: show one reader after another in the chart, and ask both readers about all four pairs.",
};

export const laterStops = [asking, order, rounds, levels, speaker, next, tested];
