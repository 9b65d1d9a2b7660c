// story_titles.ts: the titles of the story's stops, which all views name.
export const storyTitles = [
  "Every word alone",
  "One messenger",
  "Everyone to the middle",
  "To say more than “here I am”",
  "Whom to listen to",
  "Ask, show, say",
  "Who bites whom?",
  "Listen, think, repeat",
  "One space after another",
  "Who speaks for the flock?",
  "Which word comes next?",
  "Does it hold?",
] as const;
