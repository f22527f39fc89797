import { shortened } from "../../shared/one-line.ts";
import type { TrajectoryStep } from "../../contract/engine/memory.ts";
import type { Store } from "../store/open-store.ts";
import { WorkingMemoryTable, type WorkingMemoryEntry } from "../store/working-memory.ts";
import { EpisodeTable } from "./episodes.ts";
import { type FullTextIndex, episodeItem, noteItem } from "./search/memory-index.ts";
import { TrajectoryTable } from "./trajectories.ts";
import { type Trust, leastTrust } from "./trust.ts";

/** An ended turn, as memory stores it. */
export interface EndedTurn {
  readonly taskId: string;
  readonly turnId: string;
  readonly question: string;
  /** Everything the agent said in the turn; empty if it failed. */
  readonly answer: string;
  readonly steps: readonly TrajectoryStep[];
  /** The least trust of all that the answer was made from. */
  readonly trust: Trust;
  readonly outcome: "completed" | "errored";
  readonly errorCode: string | null;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly cacheHitTokens: number };
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The conversation keeps the whole text; memory keeps both ends of a long one. */
const MAX_TEXT = 8000;
const KEY_LENGTH = 80;
const DESCRIPTION_LENGTH = 300;
const IMPORTANCE = 3;

/** Writes ended turns and notes to memory, without a model. Learning refines them later. */
export class MemoryWriter {
  readonly #store: Store;
  readonly #index: Pick<FullTextIndex, "put">;
  readonly #episodes: EpisodeTable;
  readonly #trajectories: TrajectoryTable;
  readonly #notes: WorkingMemoryTable;

  constructor(store: Store, index: Pick<FullTextIndex, "put">) {
    this.#store = store;
    this.#index = index;
    this.#episodes = new EpisodeTable(store);
    this.#trajectories = new TrajectoryTable(store);
    this.#notes = new WorkingMemoryTable(store);
  }

  /** Within the caller's transaction. Writes everything or throws. */
  round(ended: EndedTurn): void {
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
    this.#index.put(noteItem(this.#notes.append(entry), entry.content));
  }

  #round(ended: EndedTurn): void {
    const { taskId, turnId, outcome, errorCode, steps, usage, startedAt, endedAt } = ended;
    // The answer also saw what earlier turns of the conversation read from outside.
    const trust = leastTrust(ended.trust, this.#trajectories.trustOf(taskId) ?? ended.trust);
    const durationMs = endedAt - startedAt;
    const fields = { taskId, turnId, outcome, errorCode, steps, usage, trust, durationMs };
    this.#trajectories.insert({ ...fields, createdAt: endedAt });
    // A failed turn leaves a trajectory and no episode.
    if (ended.answer.trim() === "" || ended.question.trim() === "") return;
    const [question, answer] = [bothEnds(ended.question, MAX_TEXT), bothEnds(ended.answer, MAX_TEXT)];
    const episode = this.#episodes.insert({
      taskId,
      turnId,
      question,
      answer,
      trust,
      key: shortened(singleLine(question), KEY_LENGTH),
      description: description(question, answer),
      importance: IMPORTANCE,
      source: "conversation",
      eventTime: startedAt,
      createdAt: endedAt,
    });
    this.#index.put(episodeItem(episode));
  }
}

const singleLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** The first sentence of the question and the last of the answer. */
function description(question: string, answer: string): string {
  const first = sentences(question)[0] ?? question;
  const last = sentences(answer).at(-1) ?? answer;
  return `${shortened(singleLine(first), DESCRIPTION_LENGTH / 2)} — ${shortened(singleLine(last), DESCRIPTION_LENGTH / 2)}`;
}

const sentences = (text: string): readonly string[] =>
  text.split(/(?<=[.!?。！？])\s+|\n+/).filter((sentence) => /\p{L}/u.test(sentence));

function bothEnds(text: string, max: number): string {
  if (text.length <= max) return text;
  const [head, tail] = [text.slice(0, max * 0.75).toWellFormed(), text.slice(-max / 4).toWellFormed()];
  return `${head}\n[… ${text.length - max} characters …]\n${tail}`;
}
