// story_titles.ts: the titles of the story's stops, to which all views refer.
export const storyTitles = [
  "Every word for itself",
  "One messenger",
  "Everyone to the middle",
  "To say more than “here I am”",
  "Whom to listen to",
  "Ask, show, say",
  "Who bites, who is bitten?",
  "Listen, think, repeat",
  "One space after another",
  "Who speaks for the flock?",
  "Which word comes next?",
  "Does it hold?",
] as const;
