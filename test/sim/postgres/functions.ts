import type { Database } from "./execute.ts";
import type { Session } from "./session.ts";
import type { Transaction, Values } from "./tables.ts";
import { compare } from "./values.ts";

interface Caller extends Database {
  readonly session: Session;
  readonly transaction: Transaction;
}

export function callFunction(caller: Caller, name: string, args: readonly unknown[]): unknown {
  const { session, transaction, locks, clock } = caller;
  const key = args.slice(0, 2).join(" ");
  const lock = { key, session: session.id, isShared: false };
  switch (name) {
    case "now":
      return new Date(transaction.startedAt);
    case "clock_timestamp":
      return new Date(clock());
    case "make_interval":
      return Number(args[0]) * 1000;
    case "coalesce":
      return args.find((one) => one !== null) ?? null;
    case "greatest":
    case "least": {
      const sorted = args.filter((one) => one !== null).toSorted((one, other) => compare(one, other));
      return (name === "greatest" ? sorted.at(-1) : sorted[0]) ?? null;
    }
    case "hashtext":
      return String(args[0]);
    case "pg_try_advisory_lock":
      return locks.try({ ...lock, transaction: null });
    case "pg_advisory_unlock":
      return locks.release(key, session.id);
    case "pg_advisory_xact_lock":
      locks.acquire({ ...lock, transaction });
      return null;
    case "pg_advisory_xact_lock_shared":
      locks.acquire({ ...lock, transaction, isShared: true });
      return null;
    case "pg_backend_pid":
      return session.id;
    case "pg_notify":
      transaction.notifications.push({ channel: String(args[0]), payload: String(args[1]) });
      return null;
    case "set_config":
      session.settings.set(String(args[0]), String(args[1]));
      return args[1];
    case "extract_epoch":
      return args[0] === null ? null : (args[0] instanceof Date ? args[0].getTime() : Number(args[0])) / 1000;
    case "json_build_object":
    case "jsonb_build_object":
      return Object.fromEntries(args.flatMap((one, at) => (at % 2 === 0 ? [[String(one), args[at + 1]]] : [])));
    default:
      throw new Error(`the model of PostgreSQL has no function ${name}`);
  }
}

export function callTable(name: string, args: readonly unknown[], columns: readonly string[]): readonly Values[] {
  const rowOf = (values: readonly unknown[]) =>
    Object.fromEntries(columns.map((column, at) => [column, values[at] ?? null]));
  switch (name) {
    case "unnest": {
      const lists = args as readonly (readonly unknown[])[];
      const names = columns.length === lists.length ? columns : lists.map((_, at) => `column${at + 1}`);
      return (lists[0] ?? []).map((_, row) =>
        Object.fromEntries(names.map((column, at) => [column, lists[at]?.[row] ?? null])),
      );
    }
    case "generate_series": {
      const [from, to] = [Number(args[0]), Number(args[1])];
      return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => rowOf([from + at]));
    }
    case "jsonb_to_recordset":
      return (args[0] as readonly Values[]).map((value) => rowOf(columns.map((column) => value[column])));
    default:
      throw new Error(`the model of PostgreSQL has no function ${name} that returns rows`);
  }
}
