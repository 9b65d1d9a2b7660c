// story_stops.ts: texts of the story's stops one to five: from a single word to attention.
import { storyTitles } from "./story_titles";

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
