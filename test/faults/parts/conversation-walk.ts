import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Test } from "tap";
import { newKey } from "../../../src/contract/orchestrator/api-keys.ts";
import type { Answer, Ask } from "../../helpers/api.ts";
import { freePort } from "../../helpers/daemon.ts";
import { type Frame, type SseStream, type TestEngine, startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { halfDone } from "../../helpers/half-done.ts";
import { until } from "../../helpers/until.ts";
import type { Random } from "./random.ts";

/** How often the engine is killed while a call is on its way. */
const KILLED = 0.04;
const KILLED_WITHIN_MS = 25;

/** A message as its sender knows it. Texts are unique. */
export interface Sent {
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What it may say: an edit whose answer was lost may have come too late. */
  texts: readonly string[];
  isRemoved: boolean;
}

/** A conversation of the walk, and what was sent to it in order. */
export interface Conversation {
  readonly taskId: string;
  readonly sent: Sent[];
  /** Whether an answer was given again. */
  isRegenerated: boolean;
}

interface Place {
  readonly dataDir: string;
  readonly port: number;
  readonly key: string;
}

/** Polls after which a running turn is taken for one whose model is silent. */
const SILENT_AFTER = 8;

interface Row {
  readonly turnId?: string;
  readonly role: string;
  readonly text: string;
}

const textsOf = (rows: readonly Row[]) => rows.filter(({ role }) => role === "user").map(({ text }) => text);

/** One engine that is killed again and again, with a reader that follows all its events. */
export class Walk {
  readonly random: Random;
  readonly #t: Test;
  readonly #options: Place;
  #engine: TestEngine;
  #reader: SseStream | null = null;
  /** Events as the reader got them, over all lives. */
  readonly #live = new Map<number, Frame>();
  kills = 0;
  #ids = 0;

  private constructor(t: Test, random: Random, engine: TestEngine, options: Place) {
    this.#t = t;
    this.random = random;
    this.#engine = engine;
    this.#options = options;
  }

  static async open(t: Test, random: Random): Promise<Walk> {
    const options = { dataDir: freshFolder(t), port: await freePort(), key: newKey("sk-orch-") };
    const walk = new Walk(t, random, await startEngine(t, options), options);
    await walk.#follow();
    return walk;
  }

  newId(): string {
    return `m${++this.#ids}`;
  }

  /** A call that is repeated until it is answered. The engine may be killed meanwhile. */
  call(path: string, call: Ask = {}): Promise<Answer> {
    return this.#repeated(() => this.#engine.call(path, call));
  }

  async #repeated<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      const answering = attempt().catch(() => null);
      if (this.random.chance(KILLED)) {
        await sleep(this.random.below(KILLED_WITHIN_MS));
        await this.restart("SIGKILL");
      }
      const answer = await answering;
      if (answer !== null) return answer;
    }
  }

  async restart(signal: NodeJS.Signals): Promise<void> {
    if (signal === "SIGKILL") this.kills++;
    await this.#engine.stop(signal);
    this.#keep();
    this.#engine = await startEngine(this.#t, this.#options);
    await this.#follow();
  }

  async send({ taskId, sent }: Conversation, text: string, more: Readonly<Record<string, unknown>>): Promise<void> {
    const id = this.newId();
    const message = `${text}\n/say ${id}`;
    const body = { task_id: taskId, message, message_id: id, ...more };
    const { status } = await this.#post(body);
    if (status === 202) sent.push({ id, body, texts: [message], isRemoved: false });
    else if (status !== 409) throw new Error(`${status} for ${JSON.stringify(body)}`);
  }

  #post(body: unknown): Promise<Answer> {
    return this.call("/execute", { method: "POST", body, headers: { accept: "application/json" } });
  }

  /** Begins to answer the last message again, and leaves. Returns the status. */
  async regenerate(taskId: string): Promise<number> {
    const headers = { "idempotency-key": this.newId() };
    return this.#repeated(async () => {
      const stream = await this.#engine.execute({ task_id: taskId, regenerate: true }, { headers });
      stream.cut();
      return stream.status;
    });
  }

  /** Each call of a client's tool gets a result, or fails. */
  async answerCalls(): Promise<void> {
    const { body } = await this.call("/tools/pending");
    for (const { tool_call_id } of body.calls) {
      const answer = this.random.chance(0.7) ? { output: { at: "home" } } : { error: "not allowed" };
      await this.call("/tools/respond", { method: "POST", body: { tool_call_id, ...answer } });
    }
  }

  async answerQuestions(): Promise<void> {
    const { body } = await this.call("/hitl/pending");
    for (const { request_id } of body.requests)
      await this.call("/hitl/respond", { method: "POST", body: { request_id, answer: "so" } });
  }

  /** Lets everything of a conversation end. A turn whose model is silent is cancelled. */
  async settle({ taskId }: Conversation): Promise<void> {
    let last = { id: "", polls: 0 };
    const isIdle = async () => {
      await this.answerQuestions();
      await this.answerCalls();
      const [turn] = (await this.call(`/turns?task_id=${taskId}&limit=1`)).body.items;
      if (turn !== undefined && turn.ended_at === null) {
        last = turn.turn_id === last.id ? { ...last, polls: last.polls + 1 } : { id: turn.turn_id, polls: 0 };
        if (last.polls >= SILENT_AFTER)
          await this.call("/execute/cancel", { method: "POST", body: { task_id: taskId } });
        return false;
      }
      return (await this.call(`/tasks/${taskId}/inbox`)).body.messages.length === 0;
    };
    await until(`${taskId} is idle`, isIdle, 120_000);
  }

  /** What is wrong with a settled conversation. */
  async problemsOf(conversation: Conversation): Promise<readonly string[]> {
    const { taskId, sent, isRegenerated } = conversation;
    const rows = this.#stored(taskId);
    const said = textsOf(rows);
    const shown = textsOf(this.#conversation(taskId));
    const events = await this.#replay(taskId);
    const problems: string[] = [];
    for (const { id, body, texts, isRemoved } of sent) {
      const { status, body: fate } = await this.#post(body);
      const timesIn = (all: readonly string[]) => all.filter((text) => texts.includes(text)).length;
      const [times, shownTimes] = [timesIn(said), timesIn(shown)];
      const isTaken = status === 202 && fate.position === 0;
      const taken = events.filter(({ event, data }) => event === "message_taken" && data.message_id === id).length;
      if (taken !== (isTaken ? 1 : 0)) problems.push(`${id}: ${JSON.stringify(fate)}, taken ${taken} times`);
      // An answer that is given again has its message in a branch of its own.
      const isOnce = isTaken ? (isRegenerated ? times >= 1 : times === 1) && shownTimes <= 1 : times === 0;
      if (!isOnce) problems.push(`${id}: ${JSON.stringify(fate)}, said ${times} times, ${shownTimes} of them shown`);
      if (!isTaken && !isRemoved) problems.push(`${id}: ${JSON.stringify(fate)}, though nobody removed it`);
    }
    for (const how of ["turn", "steer"]) {
      const taken = events.filter(({ event, data }) => event === "message_taken" && data.how === how);
      const places = taken.map(({ data }) => sent.findIndex(({ id }) => id === data.message_id));
      if (places.some((place, at) => place <= (places[at - 1] ?? -1))) problems.push(`${how}: order ${places.join()}`);
    }
    const history = await this.#historyProblems(taskId, this.#conversation(taskId));
    const open = this.#read((db) => halfDone(db, taskId, events));
    return [...problems, ...this.#readerProblems(events), ...history, ...open, ...(await this.#recordProblems(taskId))];
  }

  /** The record tells what the conversation is. */
  async #recordProblems(taskId: string): Promise<readonly string[]> {
    const { status, body: task } = await this.call(`/tasks/${taskId}`);
    if (status !== 200) return [];
    const { items } = (await this.call(`/tasks/${taskId}/messages?limit=200`)).body;
    const told = { messages: task.message_count, state: task.state, open: task.open_requests };
    const is = { messages: items.length, state: "idle", open: 0 };
    return isDeepStrictEqual(told, is) ? [] : [`the record says ${JSON.stringify(told)}, it is ${JSON.stringify(is)}`];
  }

  /** A replay and the live reader have the same events. Deltas may be merged. */
  #readerProblems(events: readonly Frame[]): readonly string[] {
    this.#keep();
    const whole = events.filter(({ event }) => !event.endsWith("_delta"));
    return whole.flatMap(({ event, data }) => {
      const live = this.#live.get(data.seq);
      return JSON.stringify(live?.data) === JSON.stringify(data) ? [] : [`${event} ${data.seq}: not as it was live`];
    });
  }

  /** The last request to the model shows the stored conversation up to it, unless a rewind has left its turn. */
  async #historyProblems(taskId: string, rows: readonly Row[]): Promise<readonly string[]> {
    const [turn] = (await this.call(`/turns?task_id=${taskId}&limit=1`)).body.items;
    const { requests } =
      turn === undefined ? { requests: [] } : (await this.call(`/turns/${turn.turn_id}/requests`)).body;
    const last = requests.at(-1);
    if (!rows.some(({ turnId }) => turnId === turn?.turn_id)) return [];
    if (last === undefined || last.outcome !== "completed") return [];
    const { body } = (await this.call(`/turns/${turn.turn_id}/requests/${last.number}`)).body;
    const asked: Row[] = body.messages.map(({ role, text }: Row) => ({ role, text: role === "user" ? text : "" }));
    const stored = rows.slice(0, asked.length).map(({ role, text }) => ({ role, text }));
    return JSON.stringify(asked) === JSON.stringify(stored)
      ? []
      : [`the model saw ${JSON.stringify(asked)}, stored is ${JSON.stringify(stored)}`];
  }

  /** Everything that was said in a task, also what a rewind has left. */
  #stored(taskId: string): readonly Row[] {
    return this.#rows(
      "select role, content, turn_id from messages where task_id = ? and thread = '' order by id",
      taskId,
    );
  }

  /** The conversation as it is now: the current branch, and of each branch above it what comes before. */
  #conversation(taskId: string): readonly Row[] {
    return this.#rows(
      `with recursive lineage (branch_id, through) as (
         select branch_id, 9007199254740991 from tasks where task_id = ?
         union all
         select parent_branch_id, min(branches.through, lineage.through) from lineage join branches using (branch_id)
         where parent_branch_id is not null
       ) select role, content, turn_id from lineage join messages on branch = branch_id and id <= through order by id`,
      taskId,
    );
  }

  #rows(sql: string, taskId: string): readonly Row[] {
    return this.#read((db) =>
      db
        .prepare(sql)
        .all(taskId)
        .map((row) => ({
          role: String(row["role"]),
          text: row["role"] === "user" ? String(JSON.parse(String(row["content"]))) : "",
          turnId: String(row["turn_id"]),
        })),
    );
  }

  #read<T>(look: (db: DatabaseSync) => T): T {
    const db = new DatabaseSync(join(this.#options.dataDir, "engine.db"), { readOnly: true });
    try {
      return look(db);
    } finally {
      db.close();
    }
  }

  async #replay(taskId: string): Promise<readonly Frame[]> {
    const events: Frame[] = [];
    for (let after = "0"; ;) {
      const { body } = await this.call(
        `/execute/replay?task_id=${taskId}&events=message&after=${encodeURIComponent(after)}`,
      );
      if (body.events.length === 0) return events;
      events.push(...body.events);
      after = body.next_after;
    }
  }

  async #follow(): Promise<void> {
    const after = Math.max(0, ...this.#live.keys());
    this.#reader = await this.#engine.stream(`/execute/replay?follow=true&events=message&after=${after}`, {
      headers: { accept: "text/event-stream" },
    });
  }

  #keep(): void {
    for (const frame of this.#reader?.frames.splice(0) ?? [])
      if ("seq" in frame.data) this.#live.set(frame.data.seq, frame);
  }
}
