import type { Told } from "./learning-bench.ts";
import { fact, scriptedModel } from "./scripted-model.ts";

const step = (tool: string) => ({ tool, input: "{}", output: "…", ok: true });
const report = [step("read_file"), step("write_file")];
const single = { single: true };
const home = (text: string, subject: string, place: string, since: string | null = null) =>
  fact(text, subject, "lives in", place, { ...single, valid_from: since });
const anna = { name: "Anna", type: "person", relation: "sister" };

/** Turns of some months, not in the order of their times, with facts that close others. */
export const ROUNDS: readonly Told[] = [
  {
    question: "I live in Paris with my wife Claire.",
    at: "2026-01-01",
    facts: [
      home("User lives in Paris", "user", "Paris"),
      fact("User's wife is Claire", "user", "wife", "Claire", single),
    ],
    people: [{ name: "Claire", type: "person", relation: "wife" }],
  },
  {
    question: "My sister Anna lives in Oslo and she works at Equinor.",
    at: "2026-01-03",
    facts: [
      home("Anna lives in Oslo", "Anna", "Oslo"),
      fact("Anna works at Equinor", "Anna", "works at", "Equinor", single),
    ],
    people: [anna],
  },
  {
    question: "My dog Rex's vet is Dr. Keller.",
    at: "2026-01-04",
    facts: [fact("Rex's vet is Dr. Keller", "Rex", "vet", "Dr. Keller", single)],
    people: [{ name: "Rex", type: "animal", relation: "dog" }],
  },
  { question: "Make the weekly report for Anna.", at: "2026-01-05", steps: report },
  {
    question: "I moved to Lyon last week.",
    at: "2026-02-10",
    facts: [home("User lives in Lyon", "user", "Lyon", "2026-02-02")],
  },
  { question: "Make the weekly report for Tom.", at: "2026-02-12", steps: report },
  { question: "I live in Paris.", at: "2026-01-20", facts: [home("User lives in Paris", "user", "Paris")] },
  {
    question: "Rex's vet is now Dr. Osei, and I no longer like tea.",
    at: "2026-02-20",
    facts: [
      fact("Rex's vet is Dr. Osei", "Rex", "vet", "Dr. Osei", single),
      fact("User no longer likes tea", "user", "likes", "tea", { negated: true }),
    ],
  },
  { question: "I like tea.", at: "2026-01-02", facts: [fact("User likes tea", "user", "likes", "tea")] },
  { question: "Make the weekly report for Zoe.", at: "2026-03-05", steps: report },
  {
    question: "My sister Anna moved to Bergen in March.",
    at: "2026-03-20",
    facts: [home("Anna lives in Bergen", "Anna", "Bergen", "2026-03-01")],
    people: [anna],
  },
  { question: "I live in Lyon.", at: "2026-03-21", facts: [home("User lives in Lyon", "user", "Lyon")] },
];

export const ROUNDS_MODEL = scriptedModel(new Map(ROUNDS.map((round) => [round.question, round])));
