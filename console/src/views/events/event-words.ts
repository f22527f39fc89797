import type { EventRecord, EventType } from "@orchd/client";
import { formatBytes, formatCount } from "../../parts/format.ts";

/** Names by ids, of what events are about. */
export type EventNames = ReadonlyMap<string, string>;
export const NO_NAMES: EventNames = new Map();
/** An id of a conversation counts for one engine alone. */
export const taskKey = (engine: string | null, task: string): string => `${engine ?? ""} ${task}`;

type Words = (event: EventRecord, names: EventNames) => string;

const textOf = ({ data }: EventRecord, name: string): string => {
  const value = data[name];
  if (value === null || value === undefined) return "none";
  return typeof value === "string" || typeof value === "number" ? String(value) : JSON.stringify(value);
};
const has = ({ data }: EventRecord, name: string): boolean => data[name] !== null && data[name] !== undefined;

/** The names of the fields of an object in the data. */
function fieldsOf({ data }: EventRecord, name: string): string {
  const value = data[name];
  const names = Array.isArray(value) ? value.map(String) : typeof value === "object" ? Object.keys(value ?? {}) : [];
  return names.length === 0 ? "nothing" : names.map((one) => one.replaceAll("_", " ")).join(", ");
}

const bytes = (event: EventRecord): string => formatBytes(Number(event.data["bytes"] ?? 0));
const countOf = (event: EventRecord, name: string, one: string): string => {
  const count = Number(event.data[name] ?? 0);
  return `${formatCount(count)} ${count === 1 ? one : `${one}s`}`;
};
const numberOf = (event: EventRecord, name: string): string => formatCount(Number(event.data[name] ?? 0));

/** An id that a program has made, which tells a person nothing. */
const MADE_ID = /[\da-f]{4}-[\da-f]{4}-/;

const spent: Words = (event) =>
  `${textOf(event, "budget").replaceAll("_", " ")}: ${numberOf(event, "spent")} of ${numberOf(event, "limit")} in ${textOf(event, "period")}`;
const planned: Words = (event, names) => {
  const kind = has(event, "webhook_id") ? "webhook" : "schedule";
  const name = names.get(textOf(event, `${kind}_id`));
  return name === undefined ? `a ${kind}` : `${kind} ${name}`;
};
const ran: Words = (event, names) => `run of ${planned(event, names)}`;
const server: Words = (event) => `tool server ${textOf(event, "server")}`;
const task: Words = (event, names) => {
  const id = textOf(event, "task_id");
  const name = names.get(taskKey(event.engine_id, id)) ?? (MADE_ID.test(id) ? undefined : id);
  return name === undefined ? "a conversation" : `conversation ${name}`;
};

/** What the data of an event says. */
const WORDS: Partial<Record<EventType, Words>> = {
  "product.policy_changed": ({ data }) =>
    `changed: ${Object.keys(data)
      .map((name) => name.replaceAll("_", " "))
      .join(", ")}`,
  "product.plan_changed": (event) => `plan ${textOf(event, "plan")} sets ${fieldsOf(event, "policy")}`,
  "product.plan_deleted": (event) =>
    `plan ${textOf(event, "plan")}${has(event, "replace_by") ? `; ${countOf(event, "engines", "engine")} moved to ${textOf(event, "replace_by")}` : ""}`,
  "catalog.pushed": (event) =>
    `version ${textOf(event, "version")}: ${countOf(event, "files", "file")}, ${bytes(event)}`,
  "catalog.rolled_back": (event) =>
    `version ${textOf(event, "version")} has the files of version ${textOf(event, "restored_from")}`,
  "knowledge.changed": (event) =>
    `${textOf(event, "path")} ${event.data["deleted"] === true ? "deleted" : "stored"}, version ${textOf(event, "version")}`,
  "engine.crashed": (event) => (has(event, "next_at") ? `restarts at ${timeOf(event, "next_at")}` : ""),
  "engine.gave_up": (event) =>
    `in phase ${textOf(event, "phase")}${event.data["oom"] === true ? ", out of memory" : ""}`,
  "engine.plan_changed": (event) => `plan ${textOf(event, "from")} to ${textOf(event, "to")}`,
  "engine.policy_changed": (event) => `sets ${fieldsOf(event, "policy")}`,
  "engine.leaked": (event) => `processes ${fieldsOf(event, "pids")}`,
  "budget.warned": spent,
  "budget.spent": spent,
  "secret.misused": (event) => `secret ${textOf(event, "name")} at ${textOf(event, "host")}`,
  "secret.connected": server,
  "secret.disconnected": server,
  "secret.needs_login": server,
  "schedule.created": planned,
  "schedule.changed": (event, names) => `${planned(event, names)}: ${fieldsOf(event, "fields")}`,
  "schedule.deleted": planned,
  "schedule.ran": ran,
  "schedule.failed": ran,
  "schedule.missed": planned,
  "turn.completed": task,
  "turn.failed": (event, names) => `${task(event, names)}: ${textOf(event, "error")}`,
  "turn.cancelled": task,
  "turn.waiting": task,
  "task.titled": task,
  "host.leader_changed": (event) => `${textOf(event, "leader")} after ${textOf(event, "previous")}`,
  "host.calls_refused": (event) => `${countOf(event, "engines", "engine")} since ${timeOf(event, "since")}`,
  "host.backup_created": (event) => `${textOf(event, "name")}, ${bytes(event)}`,
  "host.restored": (event) => `from a backup of ${timeOf(event, "created_at")}`,
  "host.identity_key_rotated": (event) => `${textOf(event, "kid")} replaces ${textOf(event, "replaces")}`,
};

const FULL = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

function timeOf(event: EventRecord, name: string): string {
  const at = Date.parse(textOf(event, name));
  return Number.isNaN(at) ? textOf(event, name) : FULL.format(at);
}

/** What happened, in words: the reason and the data. */
export function eventWords(event: EventRecord, names: EventNames): string {
  const said = WORDS[event.type]?.(event, names) ?? "";
  // The column of the actor says who asked.
  const reason = event.reason === "request" && said !== "" ? "" : (event.reason ?? "");
  return [reason, said].filter((part) => part !== "").join("; ");
}
