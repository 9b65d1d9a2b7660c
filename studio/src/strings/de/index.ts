// index.ts: alles, was die Seite auf Deutsch sagt, außer der Geschichte (story.ts), die erst mit ihrer Ansicht kommt.
import { branch } from "./branch";
import { common } from "./common";
import { core } from "./core";
import { digits } from "./digits";
import { dome } from "./dome";
import { files } from "./export";
import { fields } from "./fields";
import { flock } from "./flock";
import { map } from "./map";
import { runs } from "./runs";
import { share } from "./share";
import { storyTitles } from "./story_titles";
import { words as wordsText } from "./words";

export const words = {
  page: { common, branch, core, files, digits, dome, runs, share, storyTitles },
  flock, fields, map, words: wordsText,
};
