/** Stands in for the package `pg`: its pool, with connections to the simulated server. */
import { EventEmitter } from "node:events";
import real from "pg";
import { world } from "../kernel/world.ts";
import type { Answer, Session } from "../postgres/session.ts";

interface Options {
  readonly query_timeout?: number;
}

type Callback<T> = (error: Error | null, value?: T) => void;

interface Pending {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** Between two messages of a connection. */
const ORDER_MS = 0.001;
const NOTED_MS = 400;
/** A move of an engine. */
const CHANGE = 'with "before" as';

class Client extends EventEmitter {
  readonly #timeoutMs: number;
  /** The process at this end. */
  readonly #owner = world().scheduler.actor;
  readonly #queue: Pending[] = [];
  #running: Pending | null = null;
  #session: Session | null = null;
  #isOver = false;
  /** When the last message to the server arrives. */
  #arrivesAt = 0;
  _queryable = true;
  _ending = false;
  readonly connection = { stream: { destroy: () => this.#lost(terminated()) } };

  constructor({ query_timeout: timeoutMs = 0 }: Options = {}) {
    super();
    this.#timeoutMs = timeoutMs;
  }

  connect(callback?: Callback<void>): Promise<void> {
    const connected = new Promise<void>((resolve, reject) => {
      this.once("failed", reject);
      this.#onServer("connect", () => {
        const { postgres } = world();
        if (this.#isOver) return;
        if (postgres.isDown) return this.#answer("refused", () => this.#fail(reject, refused()));
        this.#session = postgres.open({
          client: this.#owner,
          onNotice: (channel, payload) =>
            this.#answer("notification", () => this.emit("notification", { channel, payload })),
          onClosed: (error) => this.#answer("closed by the server", () => this.#lost(error)),
        });
        this.#answer("connected", resolve);
      });
    });
    return settle(connected, callback);
  }

  query(
    sql: string | { text: string; values?: unknown[] },
    values?: unknown[],
    callback?: Callback<Answer>,
  ): Promise<Answer> {
    const text = typeof sql === "string" ? sql : sql.text;
    const parameters = (typeof sql === "string" ? values : sql.values) ?? [];
    const answered = new Promise<Answer>((resolve, reject) => {
      if (!this._queryable || this.#isOver)
        return reject(new Error("Client has encountered a connection error and is not queryable"));
      const late =
        this.#timeoutMs > 0 ? setTimeout(() => reject(new Error("Query read timeout")), this.#timeoutMs) : undefined;
      const pending: Pending = {
        sql: text,
        parameters,
        resolve: (answer) => (clearTimeout(late), resolve(answer)),
        reject: (error) => (clearTimeout(late), reject(error)),
      };
      this.#queue.push(pending);
      this.#next();
    });
    return settle(answered, callback);
  }

  end(callback?: Callback<void>): Promise<void> {
    this._ending = true;
    this._queryable = false;
    const ended = new Promise<void>((resolve) => {
      if (this.#isOver || this.#session === null) {
        this.#close();
        return resolve();
      }
      const session = this.#session;
      this.#onServer("end", () => {
        world().postgres.close(session);
        this.#answer("ended", () => {
          this.#close();
          resolve();
        });
      });
    });
    return settle(ended, callback);
  }

  ref(): void {}

  unref(): void {}

  #next(): void {
    if (this.#running !== null || this.#isOver) return;
    const pending = this.#queue.shift();
    const session = this.#session;
    if (pending === undefined || session === null) return;
    this.#running = pending;
    this.#onServer(pending.sql, () => {
      if (session.isClosed) return;
      world().postgres.execute(session, pending.sql, pending.parameters, (outcome) => {
        const { draws, postgres, faults } = world();
        if (draws.number("lost answer") < faults.lostAnswers || faults.losesNextAnswer) {
          faults.losesNextAnswer = false;
          world().note(`lost the answer of ${shortened(pending.sql)}`);
          postgres.close(session);
          return this.#answer("connection lost", () => this.#lost(terminated()));
        }
        const lateMs = faults.lateAnswerMs;
        faults.lateAnswerMs = 0;
        const answered = () => {
          if (this.#isOver) return;
          this.#running = null;
          if ("answer" in outcome) pending.resolve(outcome.answer);
          else pending.reject(outcome.error);
          this.#next();
        };
        this.#answer(`answer of ${shortened(pending.sql)}`, answered, lateMs);
      });
    });
  }

  /** A message to the server, after the earlier ones of the connection. */
  #onServer(label: string, run: () => void): void {
    const { scheduler, postgres, latency, draws, faults } = world();
    const isLate = faults.lateStatements > 0 && draws.chance("late statement", faults.lateStatements);
    let ms = latency("to postgres") + (isLate ? draws.integer("late ms", 500, 12_000) : 0);
    if (faults.lateChangeMs > 0 && label.startsWith(CHANGE)) {
      ms += faults.lateChangeMs;
      faults.lateChangeMs = 0;
    }
    if (ms > NOTED_MS) world().note(`${shortened(label)} is ${Math.round(ms)} ms on its way`);
    this.#arrivesAt = Math.max(scheduler.now + ms, this.#arrivesAt + ORDER_MS);
    scheduler.after(this.#arrivesAt - scheduler.now, shortened(label), run, { actor: postgres.actor });
  }

  /** A message from the server. */
  #answer(label: string, run: () => void, lateMs = 0): void {
    const { scheduler, latency, note } = world();
    if (lateMs > 0) note(`${label} is ${lateMs} ms late`);
    scheduler.after(latency("from postgres") + lateMs, label, run, { actor: this.#owner });
  }

  #fail(reject: (error: Error) => void, error: Error): void {
    this.#close();
    reject(error);
  }

  /** The connection is lost: what waits for an answer fails. */
  #lost(error: Error): void {
    if (this.#isOver) return;
    const session = this.#session;
    if (session !== null) this.#onServer("reset", () => world().postgres.close(session));
    const pending = [...(this.#running === null ? [] : [this.#running]), ...this.#queue.splice(0)];
    this.#close();
    for (const one of pending) one.reject(error);
    this.emit("failed", error);
    if (!this._ending && this.listenerCount("error") > 0) this.emit("error", error);
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this._queryable = false;
    this.#running = null;
    this.emit("end");
  }
}

class Pool extends real.Pool {
  constructor(options: object) {
    super({ ...options, Client } as never);
  }
}

const shortTexts = new Map<string, string>();

/** The begin of a statement, for the trace. */
function shortened(sql: string): string {
  const known = shortTexts.get(sql) ?? sql.replaceAll(/\s+/g, " ").trim().slice(0, 60);
  shortTexts.set(sql, known);
  return known;
}

/** As the package: with a callback, or as a promise. */
function settle<T>(promise: Promise<T>, callback: Callback<T> | undefined): Promise<T> {
  if (callback !== undefined) report(promise, callback);
  return promise;
}

async function report<T>(promise: Promise<T>, callback: Callback<T>): Promise<void> {
  const [outcome] = await Promise.allSettled([promise]);
  if (outcome.status === "fulfilled") callback(null, outcome.value);
  else callback(outcome.reason as Error);
}

const terminated = (): Error => new Error("Connection terminated unexpectedly");
const refused = (): Error => Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

// As the package: its default export.
// eslint-disable-next-line import/no-default-export
export default { Pool, Client };
