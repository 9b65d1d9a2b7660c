// stops.ts: the names of the stops, their controls, the parts of a scene, and small matrices as parameters of the core.
import type { Words } from "../../core/protocol";
import type { Backdrop, Label } from "../../scene/stage";

export const kStopNames = [
  "alone", "messenger", "attraction", "messages", "listening", "asking", "order", "rounds", "levels", "speaker", "next",
  "tested",
] as const;
export type StopName = (typeof kStopNames)[number];
export const kStops = kStopNames.length;

/** The number of a stop, from 1. */
export function stopOf(name: StopName): number {
  return kStopNames.indexOf(name) + 1;
}

/** What a word is about; it gives the boid its colour. */
export type Topic = "water" | "money" | "craft" | "plain" | "open" | "reader";

export interface Token {
  text: string;
  topic: Topic;
  place: number[]; // (d) where it starts
  typed?: boolean; // by the visitor, in whatever language
}

/** What the visitor may turn at the stops. */
export interface Knobs {
  apart: number; // of the two banks
  pull: number; // of the middle
  bank: "river" | "money" | "own";
  own: string; // a typed sentence
  beta: number;
  push: boolean;
  mirror: boolean; // K is Q
  think: boolean;
  skip: boolean; // the second space is left out
  guest: boolean;
  wide: boolean;
  shuffled: boolean;
  placed: boolean;
  kappa: number;
  put: string; // words that a hand has put elsewhere
}
export const kKnobs: Knobs = {
  apart: 0, pull: 1, bank: "river", own: "", beta: 8, push: true, mirror: false, think: true, skip: false, guest: false,
  wide: true, shuffled: false, placed: false, kappa: 16, put: "",
};

/** One of several spaces, one after another: by which words they fly there, and along which coordinate it is seen. */
export interface Level {
  words: Words;
  value: Matrix;
  plain: boolean; // messages are V x_j, not V (x_j - x_i)
  signs: Label[];
}

/** What a word asks for, shows and says; numbers into the catalogue's list of channels. */
interface Badge {
  asks: number[];
  shows: number[];
}

export interface Scene {
  tokens: Token[];
  words: Words;
  backdrop: Backdrop;
  extent: number;
  flat: boolean;
  /** Frames a second. */
  rate: number;
  /** Words at the edges of the scene: what the directions mean. */
  signs: Label[];
  /** The token whose attention is drawn at first; null: none. */
  listener: number | null;
  /** V of the messages that are drawn; on the sphere the identity. */
  value?: Matrix;
  /** Messages are V x_j, not V (x_j - x_i). */
  plain?: boolean;
  /** Nobody can be put elsewhere. */
  fixed?: boolean;
  /** Another flock that runs next to it: the one without a guest, or the same words in another order. */
  beside?: Token[];
  /** Candidates for the next word: positions without a token. */
  vocabulary?: Token[];
  /** (tokens): the badges of the words where Q and K differ. */
  badges?: Badge[];
  /** Spaces that are flown through one after another. */
  levels?: Level[];
}

/** The words on the edges, out of the catalogue. */
export interface Signs {
  /** How a word of the scene is written in the language of the page, by the stop. */
  said(stop: string, word: string): string;
  row: readonly string[]; // what the messenger walks along
  water: string;
  money: string;
  hand: string;
  ship: string;
  urgent: string;
  calm: string;
  content: string;
  filler: string;
  influence: string;
  first: string;
  last: string;
  plainLooks: string;
  knownLooks: string;
  notCute: string;
  cute: string;
  phrases: readonly [string, string];
  senses: readonly [string, string];
  outlook: readonly [string, string];
}

export type Matrix = readonly (readonly number[])[];

/** "matrix:1,0;0.7,-0.4": rows between semicolons. */
export function matrixWord(rows: Matrix): string {
  return `matrix:${rows.map((row) => row.join()).join(";")}`;
}

/** (rows): the matrix times x. */
export function times(rows: Matrix, x: ArrayLike<number>): number[] {
  return rows.map((row) => row.reduce((sum, entry, c) => sum + entry * x[c], 0));
}
