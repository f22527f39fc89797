import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import t, { type Test } from "tap";
import { beam } from "../../../../bench/memory/datasets/beam.ts";
import { type Dataset, DatasetError } from "../../../../bench/memory/datasets/dataset.ts";
import { locomo } from "../../../../bench/memory/datasets/locomo.ts";
import { longMemEval } from "../../../../bench/memory/datasets/longmemeval.ts";

const FIXTURES = resolve(import.meta.dirname, "../../../fixtures/datasets");
const read = (name: string): string => readFileSync(join(FIXTURES, name), "utf8");
const CHAT = read("beam/1/chat.json");
const PROBES = read("beam/1/probing_questions/probing_questions.json");

/** Replaces text that is there, so that a changed fixture does not turn a case into one that changes nothing. */
function changed(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the fixture has no ${from}`);
  return text.replace(from, to);
}

function problem(load: () => Dataset): string {
  try {
    load();
  } catch (error) {
    if (error instanceof DatasetError) return error.message;
    throw error;
  }
  return "none";
}

/** The message without the folder of the file. */
function problemOf(t: Test, load: (path: string) => Dataset, text: string): string {
  const folder = t.testdir({ "file.json": text });
  return problem(() => load(join(folder, "file.json"))).replace(`${folder}/`, "");
}

function problemOfBeam(t: Test, chat: string, probes: string): string {
  const folder = t.testdir({ "chat.json": chat, probing_questions: { "probing_questions.json": probes } });
  return problem(() => beam(join(folder, "chat.json"))).replace(`${folder}/`, "");
}

for (const [from, to, expected] of [
  ["[", "", /^file\.json: not JSON: /],
  ['"question_id": "lme-1",', "", /^file\.json: instances\.0\.question_id: required, expected a string$/],
  [
    '"multi-session"',
    '"many-session"',
    /^file\.json: instances\.1\.question_type: expected one of single-session-user/,
  ],
  ["2023/05/21 (Sun) 18:40", "21 May", /^file\.json: instances\.0\.haystack_dates\.1: expected a date like "2023/],
  [
    '"role": "assistant"',
    '"role": "tool"',
    /^file\.json: instances\.0\.haystack_sessions\.0\.0\.role: expected one of/,
  ],
  ['"filler_1", ', "", /^file\.json: instances\.0: 3 haystack_sessions, 2 haystack_session_ids and 3 haystack_dates$/],
  [
    '["answer_2", "answer_3"],\n    "haystack_sessions"',
    '["a", "b"],\n    "haystack_sessions"',
    /^file\.json: instances\.1\.answer_session_ids\.0: no session answer_2$/,
  ],
] as const) {
  t.test(`LongMemEval with ${to || "nothing"} for ${from}`, async (t) => {
    t.match(problemOf(t, longMemEval, changed(read("longmemeval.json"), from, to)), expected);
  });
}

for (const [from, to, expected] of [
  [
    "1:56 pm on 8 May, 2023",
    "noon",
    /^file\.json: samples\.0\.conversation\.session_1_date_time: expected a date like/,
  ],
  [
    '"dia_id": "D2:1", ',
    "",
    /^file\.json: samples\.0\.conversation\.session_2\.0\.dia_id: required, expected a string$/,
  ],
  ['"category": 4', '"category": 6', /^file\.json: samples\.0\.qa\.0\.category: expected one of 1, 2, 3, 4, 5$/],
] as const) {
  t.test(`LoCoMo with ${to || "nothing"} for ${from}`, async (t) => {
    t.match(problemOf(t, locomo, changed(read("locomo.json"), from, to)), expected);
  });
}

t.test("LoCoMo without a session", async (t) => {
  const text = JSON.stringify([{ conversation: { speaker_a: "Ada" }, qa: [] }]);
  t.equal(problemOf(t, locomo, text), "file.json: samples.0.conversation: no session_1");
});

t.test("an object where a list is expected", async (t) => {
  t.equal(problemOf(t, locomo, "{}"), "file.json: samples: expected an array, received an object");
});

t.test("BEAM without a date", async (t) => {
  const chat = changed(CHAT, "March-15-2024", "soon");
  t.match(problemOfBeam(t, chat, PROBES), /^chat\.json: batches\.0: expected a message with a time_anchor/);
});

t.test("BEAM with a message without an id", async (t) => {
  const chat = changed(CHAT, '"id": 5, ', "");
  t.match(problemOfBeam(t, chat, PROBES), /^chat\.json: batches\.0\.turns\.1\.1\.id: required, expected a number$/);
});

t.test("BEAM with an unknown type of question", async (t) => {
  const probes = changed(PROBES, "event_ordering", "guessing");
  t.equal(
    problemOfBeam(t, CHAT, probes),
    "probing_questions/probing_questions.json: questions.guessing: unknown type of question",
  );
});

t.test("a folder without chats, and a file that does not exist", async (t) => {
  const folder = t.testdir({ 1: { "other.json": "[]" } });
  t.equal(
    problem(() => beam(folder)),
    `${folder}: no folder in it has a chat.json`,
  );
  t.match(
    problem(() => locomo(join(folder, "none.json"))),
    /none\.json: cannot be read: ENOENT/,
  );
});
