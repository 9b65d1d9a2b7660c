// index.ts: the English texts that the first view and the page around it need; the texts of the other views are
// loaded with them (flock.ts, fields.ts, map.ts, story.ts), and other languages by language.ts.
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
