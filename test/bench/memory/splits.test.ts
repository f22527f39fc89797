import t from "tap";
import type { Material } from "../../../bench/memory/material.ts";
import { SPLITS } from "../../../bench/memory/splits.ts";

const { dev, "held-out": heldOut } = SPLITS;

t.test("the half to tune with and the half reported on have no template in common", async (t) => {
  const known = new Set(templates(dev));
  t.same(
    templates(heldOut).filter((one) => known.has(one)),
    [],
  );
});

t.test("they have no word of the stories in common", async (t) => {
  const known = new Set(storyWords(dev));
  t.same(
    storyWords(heldOut).filter((word) => known.has(word)),
    [],
  );
  const topics = new Set(dev.filler.topics.flatMap(({ name, things }) => [name, ...things]));
  t.same(
    heldOut.filler.topics.flatMap(({ name, things }) => [name, ...things]).filter((one) => topics.has(one)),
    [],
  );
});

t.test("they have no turn of phrase of seven words in common", async (t) => {
  const known = new Set(templates(dev).flatMap(runs));
  t.same(
    templates(heldOut)
      .flatMap(runs)
      .filter((run) => known.has(run)),
    [],
  );
});

const storyWords = ({ words, filler }: Material): readonly string[] =>
  [...Object.values(words).flat(), ...Object.values(filler.lists).flat()].map((word) => word.toLowerCase());

/** Every template of the stories and of the filler: all texts that are not a single word of a list. */
function templates({ words: _words, filler: { lists: _lists, ...filler }, ...stories }: Material): readonly string[] {
  const texts: string[] = [];
  JSON.stringify({ stories, filler }, (_, value: unknown) => {
    if (typeof value === "string" && value.includes(" ")) texts.push(value.toLowerCase());
    return value;
  });
  return texts;
}

function runs(template: string): readonly string[] {
  const words = template.replaceAll(/\{[a-z]+\d?\}/g, "•").match(/[\p{L}\p{N}•']+/gu) ?? [];
  return words
    .slice(6)
    .map((_, index) => words.slice(index, index + 7).join(" "))
    .filter((run) => !run.includes("•"));
}
