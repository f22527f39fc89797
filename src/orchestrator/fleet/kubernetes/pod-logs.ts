import { delay } from "../../../shared/clock.ts";
import type { StoredEngine } from "../engine-storage.ts";
import { LineSplitter } from "../logs/line-splitter.ts";
import { redactLine } from "../logs/redact-line.ts";
import { type Claims, logOf } from "./claims.ts";
import type { KubeApi } from "./kube-api.ts";
import { isStatus } from "./kube-errors.ts";
import type { KnownPods } from "./known-pods.ts";
import { CONTAINER } from "./pod-spec.ts";
import { stateOf } from "./pod-state.ts";
import type { PodIdentity } from "./pods.ts";

const POLL_MS = 1000;
/** The timeout without data of a plain read. A followed engine may be silent for ever. */
const SILENCE_MS = 15_000;
const FOR_EVER = 0;
/** How much of the log of deleted pods a claim keeps. All annotations of an object have at most 256 KiB. */
const KEPT_LINES = 100;
const KEPT_CHARACTERS = 16_384;
const TIMESTAMP = /^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) ?/;

/** A pod of an engine, and the claim that it mounts. */
export interface EnginePod extends PodIdentity {
  readonly engineId: string;
  readonly claim: string;
}

interface LogLine {
  readonly at: string;
  readonly text: string;
}

/** The log of an engine: the last lines of deleted pods, which its claim has, then the log of its pod. */
export class PodLogs {
  readonly #api: KubeApi;
  readonly #path: string;
  readonly #known: Pick<KnownPods, "ofEngine">;
  readonly #claims: Pick<Claims, "keepLog" | "keptLog" | "ofEngine">;

  constructor(
    api: KubeApi,
    {
      path,
      known,
      claims,
    }: {
      /** Of the pods. */
      readonly path: string;
      readonly known: Pick<KnownPods, "ofEngine">;
      readonly claims: Pick<Claims, "keepLog" | "keptLog" | "ofEngine">;
    },
  ) {
    this.#api = api;
    this.#path = path;
    this.#known = known;
    this.#claims = claims;
  }

  /** The last lines, oldest first. */
  async tail(engine: StoredEngine, lines: number): Promise<readonly string[]> {
    if (lines === 0) return [];
    const read = new Map<string, readonly string[]>();
    const signal = new AbortController().signal;
    for (const { metadata } of (await this.#known.ofEngine(engine.id)).engines.toReversed()) {
      const found = await Array.fromAsync(this.#read(metadata, { tailLines: String(lines) }, signal));
      read.set(
        metadata.uid,
        found.map(({ text }) => text),
      );
    }
    // Read after the pods, since a pod is deleted only after its lines are in the claim.
    const kept = await this.#keptLog(engine);
    if (kept?.pod !== undefined) read.delete(kept.pod);
    return [...(kept?.lines ?? []), ...[...read.values()].flat()].slice(-lines);
  }

  /** The last lines of the pod, then new ones, also of later pods, until the signal aborts or the claim is deleted. */
  async *follow(
    engine: StoredEngine,
    { lines, signal }: { readonly lines: number; readonly signal: AbortSignal },
  ): AsyncGenerator<string, void, undefined> {
    let followed: string | null = null;
    let last = "";
    while (!signal.aborted) {
      const [newest] = (await this.#known.ofEngine(engine.id)).engines;
      if (newest === undefined) {
        const kept = await this.#keptLog(engine);
        if (kept === null) return;
        if (followed === null && lines > 0) yield* kept.lines.slice(-lines);
        followed ??= "";
      } else if (stateOf(newest).kind !== "waiting") {
        const { uid } = newest.metadata;
        // A stream may be cut while the engine continues to run.
        const again = uid === followed && last !== "";
        const from = again ? { sinceTime: last } : followed === null ? { tailLines: String(lines) } : {};
        if (uid !== followed) last = "";
        followed = uid;
        for await (const line of this.#read(newest.metadata, { follow: "true", ...from }, signal)) {
          if (again && line.at === last) continue;
          last = line.at;
          yield line.text;
        }
      }
      if (!(await delay(POLL_MS, signal))) return;
    }
  }

  /** Reads the log of a pod until its engine has exited or the signal aborts, and keeps the last lines in its claim. */
  async keep({ engineId, claim, ...pod }: EnginePod, signal: AbortSignal): Promise<void> {
    const lines: string[] = [];
    const query = { follow: "true", tailLines: String(KEPT_LINES) };
    for await (const { text } of this.#read(pod, query, signal)) {
      lines.push(text);
      if (lines.length > KEPT_LINES) lines.shift();
    }
    const kept = await this.#claims.keptLog(claim, engineId);
    if (kept === null || kept.pod === pod.uid || lines.length === 0) return;
    await this.#claims.keepLog(claim, { pod: pod.uid, lines: lastOf([...kept.lines, ...lines]) });
  }

  /** Null when the engine has no claim. */
  async #keptLog(engine: StoredEngine): Promise<ReturnType<typeof logOf> | null> {
    const claim = await this.#claims.ofEngine(engine);
    return claim === null ? null : logOf(claim);
  }

  async *#read(
    { name }: PodIdentity,
    more: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): AsyncGenerator<LogLine> {
    const query = { container: CONTAINER, timestamps: "true", ...more };
    try {
      const silenceMs = "follow" in more ? FOR_EVER : SILENCE_MS;
      yield* logLines(await this.#api.stream(`${this.#path}/${name}/log`, { query, signal, silenceMs }));
    } catch (error) {
      // 400: the container does not exist yet. 404: the pod was deleted.
      if (!signal.aborted && !isStatus(error, 400, 404)) throw error;
    }
  }
}

function lastOf(lines: readonly string[]): readonly string[] {
  const last: string[] = [];
  let characters = 0;
  for (const line of lines.slice(-KEPT_LINES).toReversed()) {
    characters += line.length;
    if (characters > KEPT_CHARACTERS && last.length > 0) break;
    last.unshift(line);
  }
  return last;
}

/** The lines of a log with timestamps. */
export async function* logLines(body: AsyncIterable<Buffer>): AsyncGenerator<LogLine> {
  const splitter = new LineSplitter();
  for await (const chunk of body) yield* splitter.push(chunk).flatMap(readLine);
  yield* splitter.rest().flatMap(readLine);
}

/** Skips lines of the kubelet itself, which have no timestamp. */
function readLine(line: string): readonly LogLine[] {
  const [all, at = ""] = TIMESTAMP.exec(line) ?? [];
  return all === undefined ? [] : [{ at, text: redactLine(line.slice(all.length)) }];
}
