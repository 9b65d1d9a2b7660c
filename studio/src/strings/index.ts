// index.ts: the catalogue in English, as far as the first view and the page around it need it; the words of the other
// views come with them (flock.ts, fields.ts, map.ts, story.ts), and other languages with language.ts.
import { branch } from "./branch";
import { common } from "./common";
import { core } from "./core";
import { digits } from "./digits";
import { dome } from "./dome";
import { files } from "./export";
import { runs } from "./runs";
import { share } from "./share";
import { storyTitles } from "./story_titles";

export const strings = { common, branch, core, files, digits, dome, runs, share, storyTitles } as const;
