import type { Actor, Scheduler } from "../kernel/scheduler.ts";
import { AdvisoryLocks } from "./advisory-locks.ts";
import { type Database, epochLock, executeStatement } from "./execute.ts";
import type { Answer, Session } from "./session.ts";
import { StatementFailed, Table, Transaction, Wait } from "./tables.ts";
import { type Entry, comparable } from "./transcript.ts";

const STATEMENT_TIMEOUT_MS = 10_000;
const EMPTY: Answer = { rows: [], rowCount: 0 };

interface Waiting {
  readonly session: Session;
  readonly holders: ReadonlySet<number>;
  readonly retry: () => void;
}

/** Either the answer or the error of a statement. */
export type Settle = (outcome: { readonly answer: Answer } | { readonly error: Error }) => void;

/** A PostgreSQL server: sessions, transactions, locks, and what ends them. All its work belongs to its actor. */
export class Server {
  readonly actor: Actor = { name: "postgres", isDead: false, isPaused: false };
  readonly sessions = new Map<number, Session>();
  readonly #database: Database;
  readonly #scheduler: Scheduler;
  #waiting: Waiting[] = [];
  #sequence = 0;
  #pids = 0;
  isDown = false;
  /** Grows with each commit. */
  commits = 0;
  /** Every statement in the order in which they took effect. Null: not recorded. */
  transcript: Entry[] | null = null;
  /** Called before each commit. */
  readonly commitListeners: ((session: Session, hasChanged: (table: string) => boolean) => void)[] = [];
  /** Whether another session takes what the statement is about to take. */
  losesRace: (sql: string) => boolean = () => false;

  constructor({
    tables,
    scheduler,
    clock,
  }: {
    readonly tables: Map<string, Table>;
    readonly scheduler: Scheduler;
    readonly clock: () => number;
  }) {
    this.#scheduler = scheduler;
    this.#database = { tables, locks: new AdvisoryLocks(), nextSequence: () => ++this.#sequence, clock };
  }

  /** The committed rows of a table. */
  rows(name: string): readonly Readonly<Record<string, unknown>>[] {
    return (this.#database.tables.get(name)?.rows ?? []).flatMap(({ values }) => (values === null ? [] : [values]));
  }

  open(parts: Pick<Session, "client" | "onNotice" | "onClosed">): Session {
    const session: Session = {
      ...parts,
      id: ++this.#pids,
      settings: new Map(),
      channels: new Set(),
      transaction: null,
      isAborted: false,
      isClosed: false,
      idleSince: this.#scheduler.now,
    };
    this.sessions.set(session.id, session);
    return session;
  }

  /** Ends a session: its transaction is rolled back, and its locks are free. */
  close(session: Session): void {
    if (session.isClosed) return;
    session.isClosed = true;
    this.transcript?.push({ session: session.id, sql: null });
    this.sessions.delete(session.id);
    this.#waiting = this.#waiting.filter((one) => one.session !== session);
    session.transaction?.rollback();
    if (session.transaction !== null) this.#database.locks.ended(session.transaction);
    session.transaction = null;
    this.#database.locks.closed(session.id);
    this.#retryWaiting();
  }

  /** Ends a session from the server's side. */
  terminate(session: Session, code = "57P01"): void {
    if (session.isClosed) return;
    this.close(session);
    session.onClosed(
      Object.assign(new Error("terminating connection due to administrator command"), { code, severity: "FATAL" }),
    );
  }

  /** The machine of the server fails: every connection is lost, and nothing answers until it is up again. */
  crash(): void {
    this.isDown = true;
    for (const session of this.sessions.values()) this.terminate(session);
  }

  /** Ends the sessions of a process that has died. */
  closeSessionsOf(client: Actor): void {
    for (const session of this.sessions.values()) if (session.client === client) this.close(session);
  }

  execute(session: Session, sql: string, parameters: readonly unknown[], settle: Settle): void {
    session.idleSince = null;
    const ended: Settle = (outcome) => {
      session.idleSince = this.#scheduler.now;
      this.#watchIdle(session);
      this.#record(session, { sql, parameters, now: startedAt, outcome });
      settle(outcome);
    };
    if (session.transaction === null && this.losesRace(sql)) return settle({ error: duplicate() });
    const deadline = this.#scheduler.now + STATEMENT_TIMEOUT_MS;
    let startedAt = 0;
    const attempt = () => {
      if (session.isClosed) return;
      startedAt = session.transaction?.startedAt ?? this.#database.clock();
      try {
        const answer = this.#run(session, sql, parameters);
        ended({ answer });
      } catch (error) {
        if (error instanceof Wait && this.#scheduler.now < deadline && !this.#isDeadlock(session, error.holders)) {
          this.#waiting.push({ session, holders: error.holders, retry: attempt });
          this.#scheduler.after(deadline - this.#scheduler.now, "statement timeout", () => this.#retry(session), {
            actor: this.actor,
            isSmall: true,
          });
          return;
        }
        if (session.transaction !== null) session.isAborted = true;
        ended({ error: error instanceof Wait ? timedOut() : (error as Error) });
      }
    };
    attempt();
  }

  #record(
    { id }: Session,
    {
      sql,
      parameters,
      now,
      outcome,
    }: {
      readonly sql: string;
      readonly parameters: readonly unknown[];
      readonly now: number;
      readonly outcome: Parameters<Settle>[0];
    },
  ): void {
    if (this.transcript === null) return;
    const shown =
      "answer" in outcome
        ? { rows: comparable(outcome.answer.rows) as readonly unknown[], count: outcome.answer.rowCount }
        : { code: "code" in outcome.error ? String(outcome.error.code) : outcome.error.message };
    const given = comparable(parameters) as readonly unknown[];
    this.transcript.push({ session: id, sql, parameters: given, now, outcome: shown });
  }

  #run(session: Session, sql: string, parameters: readonly unknown[]): Answer {
    const command = sql.trim().toLowerCase();
    if (command === "begin" || command.startsWith("start transaction")) {
      session.transaction = this.#begin(session);
      return EMPTY;
    }
    if (command === "commit" || command === "rollback") {
      const { transaction, isAborted } = session;
      session.transaction = null;
      session.isAborted = false;
      if (transaction !== null) this.#end(session, transaction, command === "commit" && !isAborted);
      return EMPTY;
    }
    if (session.isAborted) throw new StatementFailed("25P02", "current transaction is aborted");
    const system = this.#systemStatement(session, sql, parameters);
    if (system !== null) return system;
    const transaction = session.transaction ?? this.#begin(session);
    try {
      const answer = executeStatement(this.#database, { session, transaction }, { sql, parameters });
      if (session.transaction === null) this.#end(session, transaction, true);
      return answer;
    } catch (error) {
      if (session.transaction === null) this.#abandon(transaction);
      throw error;
    }
  }

  #begin({ id }: Session): Transaction {
    return new Transaction(id, this.#database.clock());
  }

  /** Of one statement that failed or waits. Nobody can have begun to wait for it meanwhile. */
  #abandon(transaction: Transaction): void {
    transaction.rollback();
    this.#database.locks.ended(transaction);
  }

  #end(session: Session, transaction: Transaction, commits: boolean): void {
    const { tables } = this.#database;
    if (commits)
      for (const listen of this.commitListeners)
        listen(session, (name) => transaction.hasChanged(tables.get(name) ?? new Table(name)));
    if (commits) transaction.commit(this.#database.tables.values());
    else transaction.rollback();
    this.commits++;
    this.#database.locks.ended(transaction);
    if (commits)
      for (const { channel, payload } of transaction.notifications)
        for (const session of this.sessions.values())
          if (session.channels.has(channel)) session.onNotice(channel, payload);
    this.#retryWaiting();
  }

  /** Statements on the server itself, which the model of SQL does not know. Null for others. */
  #systemStatement(session: Session, sql: string, parameters: readonly unknown[]): Answer | null {
    if (/^listen /i.test(sql)) {
      for (const [, channel] of sql.matchAll(/listen (\w+)/gi)) session.channels.add(channel ?? "");
      return EMPTY;
    }
    if (sql.includes("unnest") && sql.includes("set_config(name, value, false)")) {
      const [names, values] = parameters as readonly (readonly string[])[];
      names?.forEach((name, at) => session.settings.set(name, values?.[at] ?? ""));
      const rows = (names ?? []).map((name) => ({ name, set_config: session.settings.get(name), server: session.id }));
      return { rows, rowCount: rows.length };
    }
    if (sql.includes("pg_terminate_backend")) return this.#terminateHolders(session, sql, parameters);
    return null;
  }

  #terminateHolders(session: Session, sql: string, parameters: readonly unknown[]): Answer {
    const host = String(parameters[0]);
    const name = sql.includes("application_name") ? String(parameters[1]) : null;
    const key = name === null ? epochLock(host) : `orchd host ${host}`;
    const others = this.#database.locks.holders(key).flatMap((id) => this.sessions.get(id) ?? []);
    const wanted = others.filter(
      (one) => one !== session && (name === null || one.settings.get("application_name") === name),
    );
    for (const one of wanted) this.terminate(one);
    return { rows: wanted.map(() => ({ pg_terminate_backend: true })), rowCount: wanted.length };
  }

  /** Whether one of the holders waits, perhaps through others, for this session. */
  #isDeadlock(session: Session, holders: ReadonlySet<number>): boolean {
    const seen = new Set<number>();
    const reaches = (id: number): boolean => {
      if (id === session.id) return true;
      if (seen.has(id)) return false;
      seen.add(id);
      return this.#waiting.some((one) => one.session.id === id && [...one.holders].some(reaches));
    };
    return [...holders].some(reaches);
  }

  #retryWaiting(): void {
    for (const { session } of this.#waiting)
      this.#scheduler.after(0, "lock released", () => this.#retry(session), { actor: this.actor });
  }

  #retry(session: Session): void {
    const at = this.#waiting.findIndex((one) => one.session === session);
    const [waiting] = at < 0 ? [] : this.#waiting.splice(at, 1);
    waiting?.retry();
  }

  /** Ends a session that is idle for longer than it allows, as that of a frozen daemon. */
  #watchIdle(session: Session): void {
    const setting = session.transaction === null ? "idle_session_timeout" : "idle_in_transaction_session_timeout";
    const limit = Number(session.settings.get(setting) ?? 0);
    const since = session.idleSince;
    if (limit === 0) return;
    this.#scheduler.after(
      limit,
      setting,
      () => {
        if (session.idleSince === since) this.terminate(session, session.transaction === null ? "57P05" : "25P03");
      },
      { actor: this.actor, isSmall: true },
    );
  }
}

const timedOut = (): StatementFailed => new StatementFailed("57014", "canceling statement due to statement timeout");
/** The model executes a statement at once, where PostgreSQL may execute two side by side. */
const duplicate = (): StatementFailed =>
  new StatementFailed("23505", "duplicate key value violates a unique constraint");
