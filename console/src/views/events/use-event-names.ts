import type { EventRecord } from "@orchd/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { engines } from "../../live/fleet.ts";
import { engineCalls, productCalls } from "../../session/clients.ts";
import { may } from "../../session/session.ts";
import { type EventNames, NO_NAMES, taskKey } from "./event-words.ts";

/** Engines whose names are read at a time, of the newest events first. */
const MAX_ENGINES = 20;
/** Conversations of an engine, the newest ones. */
const TASKS = 200;

interface Unnamed {
  readonly engine: string;
  readonly product: string;
  readonly user: string;
  readonly isPlanned: boolean;
  readonly hasTask: boolean;
  /** Of the schedules and conversations whose names are not known. */
  readonly ids: readonly string[];
}

/** Names of schedules, webhooks and conversations that events name by their ids. Nothing for a person who may not read them. */
export function useEventNames(events: readonly EventRecord[]): EventNames {
  const [names, setNames] = useState(NO_NAMES);
  const asked = useRef<ReadonlySet<string>>(new Set());
  const abort = useRef(new AbortController());
  useEffect(() => {
    abort.current = new AbortController();
    return () => abort.current.abort();
  }, []);
  const unnamed = may("operator") ? unnamedOf(events, asked.current) : [];
  useEffect(() => {
    const { signal } = abort.current;
    asked.current = new Set([...asked.current, ...unnamed.flatMap(({ ids }) => ids)]);
    for (const one of unnamed)
      void namesOf(one, signal).then((found) => {
        if (!signal.aborted && found.length > 0) setNames((known) => new Map([...known, ...found]));
      });
  }, [unnamed.map(({ ids }) => ids).join()]);
  return names;
}

function unnamedOf(events: readonly EventRecord[], asked: ReadonlySet<string>): readonly Unnamed[] {
  const found = new Map<string, Unnamed>();
  for (const { engine_id: engine, product_id: product, user_id: user, data } of events) {
    if (engine === null || product === null || user === null) continue;
    const { schedule_id: schedule, webhook_id: webhook, task_id: task } = data;
    const planned = [schedule, webhook].filter((id) => typeof id === "string");
    // An engine that sleeps is not woken for a title.
    const isAwake = engines.value?.get(engine)?.running === true;
    const tasks = typeof task === "string" && isAwake ? [taskKey(engine, task)] : [];
    const ids = [...planned, ...tasks].filter((id) => !asked.has(id));
    if (ids.length === 0) continue;
    const known = found.get(engine);
    if (known === undefined && found.size === MAX_ENGINES) continue;
    found.set(engine, {
      engine,
      product,
      user,
      isPlanned: planned.length > 0 || known?.isPlanned === true,
      hasTask: tasks.length > 0 || known?.hasTask === true,
      ids: [...(known?.ids ?? []), ...ids],
    });
  }
  return [...found.values()];
}

/** What cannot be read stays without a name. */
async function namesOf(unnamed: Unnamed, signal: AbortSignal): Promise<readonly (readonly [string, string])[]> {
  const { engine, product, user, isPlanned, hasTask } = unnamed;
  const read = await Promise.allSettled([
    isPlanned ? plannedNames(product, user, signal) : [],
    hasTask ? taskNames(engine, signal) : [],
  ]);
  return read.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
}

async function plannedNames(product: string, user: string, signal: AbortSignal) {
  const { schedules, webhooks } = productCalls(product);
  const found: [string, string][] = [];
  for (const calls of [schedules, webhooks])
    for await (const { id, name } of calls.list(user, { signal })) found.push([id, name]);
  return found;
}

async function taskNames(engine: string, signal: AbortSignal) {
  const { items } = await engineCalls(engine).listTasks({ archived: "any", limit: TASKS, signal });
  return items.map(({ task_id, title }) => [taskKey(engine, task_id), title] as const);
}
