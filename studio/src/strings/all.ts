// all.ts: the texts of the page and of all views except the Story, for tests and visits.
import { strings as first } from ".";
import { fields } from "./fields";
import { flock } from "./flock";
import { map } from "./map";
import { words } from "./words";

export const strings = { ...first, flock, fields, map, words } as const;
