import type { TrajectoryStep } from "../../contract/memory-records.ts";
import type { Store } from "../store/open-store.ts";
import { WorkingMemoryTable, type WorkingMemoryEntry } from "../store/working-memory.ts";
import { EpisodeTable } from "./episodes.ts";
import type { IndexedItem, MemoryIndex } from "./search/indexed-item.ts";
import { TrajectoryTable } from "./trajectories.ts";
import { TRUST, type Trust, leastTrust } from "./trust.ts";

/** A turn that has ended, as it is remembered. */
export interface EndedRound {
  readonly taskId: string;
  readonly turnId: string;
  readonly question: string;
  /** What the agent said in the turn, all of it; empty when it came to nothing. */
  readonly answer: string;
  readonly steps: readonly TrajectoryStep[];
  /** Of all that the answer was made from, the least. */
  readonly trust: Trust;
  readonly outcome: "completed" | "errored";
  readonly errorCode: string | null;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly cacheHitTokens: number };
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The whole texts stay in the conversation; of a long one memory keeps both ends. */
const MAX_TEXT = 8000;
const KEY_LENGTH = 80;
const DESCRIPTION_LENGTH = 300;
const IMPORTANCE = 3;

/** Where what happens enters memory: written down as it was, with no model asked; learning comes later. */
export class MemoryRecord {
  readonly #store: Store;
  readonly #index: MemoryIndex;
  readonly #episodes: EpisodeTable;
  readonly #trajectories: TrajectoryTable;
  readonly #notes: WorkingMemoryTable;

  constructor(store: Store, index: MemoryIndex) {
    this.#store = store;
    this.#index = index;
    this.#episodes = new EpisodeTable(store);
    this.#trajectories = new TrajectoryTable(store);
    this.#notes = new WorkingMemoryTable(store);
  }

  /** Within the caller's transaction; all of it or, when it throws, nothing. */
  round(ended: EndedRound): void {
    const { db } = this.#store;
    db.exec("savepoint round");
    try {
      this.#round(ended);
      db.exec("release round");
    } catch (error) {
      db.exec("rollback to round; release round");
      throw error;
    }
  }

  /** Within the caller's transaction. */
  note(entry: WorkingMemoryEntry): void {
    this.#index.put(noteItem({ number: this.#notes.append(entry), ...entry }));
  }

  #round(ended: EndedRound): void {
    const { taskId, turnId, outcome, errorCode, steps, usage, startedAt, endedAt } = ended;
    // What earlier turns read from outside stands in the conversation that this one was answered from.
    const trust = leastTrust(ended.trust, this.#trajectories.trustOf(taskId) ?? ended.trust);
    const durationMs = endedAt - startedAt;
    const how = { taskId, turnId, outcome, errorCode, steps, usage, trust, durationMs };
    this.#trajectories.insert({ ...how, createdAt: endedAt });
    // A turn that came to nothing is a step of how things went, and nothing to be remembered as said.
    if (ended.answer.trim() === "" || ended.question.trim() === "") return;
    const [question, answer] = [bothEnds(ended.question, MAX_TEXT), bothEnds(ended.answer, MAX_TEXT)];
    const episode = this.#episodes.insert({
      taskId,
      turnId,
      question,
      answer,
      trust,
      key: clipped(oneLined(question), KEY_LENGTH),
      description: description(question, answer),
      importance: IMPORTANCE,
      source: "conversation",
      eventTime: startedAt,
      createdAt: endedAt,
    });
    this.#index.put(episodeItem(episode));
  }
}

/** An episode as search finds it; `keys` are the facts and names that learning has found in it. */
export const episodeItem = (episode: ReturnType<EpisodeTable["insert"]>, keys = ""): IndexedItem => ({
  kind: "episode",
  ref: episode.id,
  taskId: episode.taskId,
  turnId: episode.turnId,
  eventTime: episode.eventTime,
  importance: episode.importance,
  trust: episode.trust,
  live: true,
  keys,
  title: episode.question,
  body: episode.answer,
});

/** The agent's own words: what it concluded. */
export const noteItem = ({
  number,
  taskId,
  turnId,
  content,
  createdAt,
}: WorkingMemoryEntry & { readonly number: number }): IndexedItem => ({
  kind: "note",
  ref: `note:${number}`,
  taskId,
  turnId,
  eventTime: createdAt,
  importance: IMPORTANCE,
  trust: TRUST.model,
  live: true,
  keys: "",
  title: "",
  body: content,
});

const oneLined = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

const clipped = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;

/** How it began and how it ended, in its own words. */
function description(question: string, answer: string): string {
  const asked = sentences(question)[0] ?? question;
  const said = sentences(answer).at(-1) ?? answer;
  return `${clipped(oneLined(asked), DESCRIPTION_LENGTH / 2)} — ${clipped(oneLined(said), DESCRIPTION_LENGTH / 2)}`;
}

const sentences = (text: string): readonly string[] =>
  text.split(/(?<=[.!?。！？])\s+|\n+/).filter((sentence) => /\p{L}/u.test(sentence));

function bothEnds(text: string, max: number): string {
  if (text.length <= max) return text;
  const [head, tail] = [text.slice(0, max * 0.75).toWellFormed(), text.slice(-max / 4).toWellFormed()];
  return `${head}\n[… ${text.length - max} characters …]\n${tail}`;
}
