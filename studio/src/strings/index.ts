// index.ts: the catalogue: every word the page says; the Story, half of them, is read by its view alone.
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

export const strings = {
  common, branch, core, files, digits, dome, flock, fields, map, runs, share, storyTitles,
} as const;
