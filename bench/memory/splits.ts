import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Filler, Material, Topic } from "./material.ts";

/**
 * The half to tune with, and the half whose figures are reported. They share no template and no word of the stories. The
 * third is in German.
 */
export const SPLITS = {
  dev: materialIn("dev"),
  "held-out": materialIn("held-out"),
  german: materialIn("german"),
} as const satisfies Readonly<Record<string, Material>>;
export type Split = keyof typeof SPLITS;

/** One file for each part. A list of words is one text with commas between them, or a list where a word holds one. */
function materialIn(split: string): Material {
  const read = (name: string) => parse(readFileSync(join(import.meta.dirname, split, `${name}.yaml`), "utf8"));
  const filler: Omit<Filler, "topics" | "lists"> & { readonly lists: Lists } = read("filler");
  const topics: readonly (Omit<Topic, "things"> & { readonly things: List })[] = read("topics");
  return {
    words: listsOf(read("words")),
    facts: read("facts"),
    tastes: read("tastes"),
    answers: read("answers"),
    tallies: read("tallies"),
    pairs: read("pairs"),
    changes: read("changes"),
    happenings: read("happenings"),
    times: read("times"),
    strangers: read("strangers"),
    filler: {
      ...filler,
      lists: listsOf(filler.lists),
      topics: topics.map((topic) => ({ ...topic, things: listOf(topic.things) })),
    },
  };
}

type List = string | readonly string[];
type Lists = Readonly<Record<string, List>>;

function listOf(list: List): readonly string[] {
  return typeof list === "string" ? list.split(", ") : list;
}

function listsOf(lists: Lists): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, listOf(list)]));
}
