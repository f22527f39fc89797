import type { IncomingMessage } from "node:http";
import * as z from "zod/mini";
import { untilExit } from "../../../shared/background.ts";
import { delay } from "../../../shared/clock.ts";
import type { KubeApi } from "./kube-api.ts";
import { KubeError } from "./kube-errors.ts";
import { type Pod, fingerprint, podObject } from "./pod-state.ts";
import type { Pods } from "./pods.ts";

/** A watch ends after this time, so that one whose connection is lost unnoticed ends too. The next one continues it. */
const WATCH_S = 50;
const SILENCE_MS = 75_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5000;
/** The limit of one watch event. */
const MAX_EVENT_BYTES = 2 * 1_048_576;
const NEWLINE = 0x0a;

const watchEvent = z.object({ type: z.string(), object: z.unknown() });
const version = z.object({ metadata: z.object({ resourceVersion: z.string() }) });
const status = z.object({ code: z._default(z.int(), 500), reason: z._default(z.string(), "") });

/** The resource version of the list or of the last event since. */
interface Position {
  version: string;
}

/** Notifies that a pod may have changed. The receiver must read the pod, since events can be repeated, late or lost. */
export interface PodChanges extends Disposable {
  /** Resolves at the next change, at once if there was one since the last call. */
  next(): Promise<void>;
  /** The pod by the last event or list. Null for none. */
  readonly latest: Pod | null;
}

/**
 * An informer, while a pod is followed: one list of all pods of a deployment, then watches, each of which continues where
 * the one before it ended. They are listed again only when the API refuses that, or two watches in a row bring nothing.
 */
export class PodWatch {
  readonly #api: KubeApi;
  readonly #pods: Pick<Pods, "path" | "all">;
  readonly #followed = new Map<string, Set<Followed>>();
  #running: AbortController | null = null;
  /** By uid. Complete while a watch is open. */
  #known = new Map<string, Pod>();
  #isOpen = false;

  constructor(api: KubeApi, pods: Pick<Pods, "path" | "all">) {
    this.#api = api;
    this.#pods = pods;
  }

  follow(uid: string): PodChanges {
    const followed = new Followed(() => {
      const of = this.#followed.get(uid);
      of?.delete(followed);
      if (of?.size === 0) this.#followed.delete(uid);
      if (this.#followed.size === 0) this.#stop();
    });
    const of = this.#followed.get(uid) ?? new Set();
    this.#followed.set(uid, of.add(followed));
    if (this.#running === null) {
      this.#running = new AbortController();
      untilExit("watch of pods", this.#run(this.#running.signal));
    }
    return followed;
  }

  /** All pods, as of the last event. Null while no watch is open: then only a list tells. */
  get current(): readonly Pod[] | null {
    return this.#isOpen ? [...this.#known.values()] : null;
  }

  /** Adds a pod that was created, until an event or a list tells of it. */
  note(pod: Pod): void {
    const { uid } = pod.metadata;
    if (!this.#known.has(uid)) this.#known.set(uid, pod);
  }

  #stop(): void {
    this.#running?.abort();
    this.#running = null;
    this.#isOpen = false;
  }

  async #run(signal: AbortSignal): Promise<void> {
    let position: Position | null = null;
    for (let failures = 0; !signal.aborted;) {
      const before: string | undefined = position?.version;
      try {
        position ??= await this.#list();
        await this.#watch(position, signal);
        failures = 0;
      } catch (error) {
        failures = position !== null && position.version !== before ? 1 : failures + 1;
        // A cut connection is tried once more from its position. The refusal of an expired one has the status 410.
        if (error instanceof KubeError || failures > 1) position = null;
      }
      // Another run may have begun since this one was aborted.
      if (signal.aborted) return;
      this.#isOpen = false;
      if (!(await delay(Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures, 8), LAST_RETRY_MS), signal))) return;
    }
  }

  async #list(): Promise<Position> {
    const { items, version } = await this.#api.list(this.#pods.path, { labelSelector: this.#pods.all });
    const present = new Map(items.map((item) => z.parse(podObject, item)).map((pod) => [pod.metadata.uid, pod]));
    this.#known = present;
    for (const [uid, of] of this.#followed) for (const followed of of) followed.show(present.get(uid) ?? null);
    return { version };
  }

  /** Moves the position on with each event and bookmark. */
  async #watch(position: Position, signal: AbortSignal): Promise<void> {
    const query = {
      watch: "true",
      labelSelector: this.#pods.all,
      resourceVersion: position.version,
      allowWatchBookmarks: "true",
      timeoutSeconds: String(WATCH_S),
    };
    const body = await this.#api.stream(this.#pods.path, { query, signal, silenceMs: SILENCE_MS });
    if (signal.aborted) return;
    this.#isOpen = true;
    for await (const line of lines(body)) {
      const { type, object } = z.parse(watchEvent, JSON.parse(line));
      if (type === "ERROR") {
        const { code, reason } = z.parse(status, object);
        throw new KubeError(code, reason, "the watch has ended");
      }
      if (type !== "BOOKMARK") this.#event(type, z.parse(podObject, object));
      position.version = z.parse(version, object).metadata.resourceVersion;
    }
  }

  #event(type: string, pod: Pod): void {
    if (type === "DELETED") this.#known.delete(pod.metadata.uid);
    else this.#known.set(pod.metadata.uid, pod);
    for (const followed of this.#followed.get(pod.metadata.uid) ?? []) {
      followed.show(pod);
      if (type === "DELETED") followed.hint();
    }
  }
}

class Followed implements PodChanges {
  readonly #end: () => void;
  #pending = false;
  #waiting: (() => void) | null = null;
  #seen = "";
  latest: Pod | null = null;

  constructor(end: () => void) {
    this.#end = end;
  }

  /** Updates the latest state. A pod missing in a list may be deleted. */
  show(pod: Pod | null): void {
    if (pod === null) return this.hint();
    const now = fingerprint(pod);
    this.latest = pod;
    if (now !== this.#seen) this.hint();
    this.#seen = now;
  }

  hint(): void {
    this.#pending = true;
    this.#waiting?.();
  }

  async next(): Promise<void> {
    if (!this.#pending) await new Promise<void>((resolve) => (this.#waiting = resolve));
    this.#pending = false;
  }

  [Symbol.dispose](): void {
    this.#end();
  }
}

async function* lines(body: IncomingMessage): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of body as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    const end = rest.lastIndexOf(NEWLINE);
    if (end >= 0) for (const line of rest.toString("utf8", 0, end).split("\n")) if (line !== "") yield line;
    rest = rest.subarray(end + 1);
    if (rest.length > MAX_EVENT_BYTES) throw new Error("an event of the watch is too long");
  }
}
