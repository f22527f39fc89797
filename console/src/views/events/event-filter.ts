import type { EventRecord } from "@orchd/client";
import { slugOf } from "../../live/fleet.ts";
import { NO_NAMES, eventWords } from "./event-words.ts";

/** The first word of the types of events. */
export const EVENT_GROUPS = [
  "product",
  "catalog",
  "knowledge",
  "engine",
  "budget",
  "secret",
  "schedule",
  "turn",
  "task",
  "host",
];

/** What the address says of which events to show. Empty: all. */
export interface EventFilter {
  readonly text: string;
  /** A group, or a whole type. */
  readonly type: string;
  /** The slug of a product. */
  readonly product: string;
  /** The user's id, in full. */
  readonly user: string;
  /** Local times as a browser's field has them: `2026-11-28T09:30`. */
  readonly since: string;
  readonly until: string;
}

export function filterIn(query: URLSearchParams): EventFilter {
  const value = (name: string) => query.get(name) ?? "";
  return {
    text: value("q").trim().toLowerCase(),
    type: value("type"),
    product: value("product"),
    user: value("user"),
    since: value("since"),
    until: value("until"),
  };
}

export const isFiltered = (filter: EventFilter): boolean => Object.values(filter).some((value) => value !== "");

export function fits(event: EventRecord, { text, type, product, user, since, until }: EventFilter): boolean {
  const { user_id, product_id, engine_id, time } = event;
  if (type !== "" && event.type !== type && !event.type.startsWith(`${type}.`)) return false;
  if (product !== "" && (product_id === null || slugOf(product_id) !== product)) return false;
  if (user !== "" && user_id !== user) return false;
  const at = Date.parse(time);
  // A time that is not whole yet excludes nothing.
  if (at < Date.parse(since) || at > Date.parse(until)) return false;
  // With the ids of its data, which the words leave out.
  const texts = [event.type, user_id, engine_id, eventWords(event, NO_NAMES), ...Object.values(event.data)];
  return text === "" || texts.some((one) => typeof one === "string" && one.toLowerCase().includes(text));
}
