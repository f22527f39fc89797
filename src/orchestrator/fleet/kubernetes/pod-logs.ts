import { delay } from "../../../shared/clock.ts";
import { MAX_LOG_LINE, redactLine } from "../redact-line.ts";
import type { Claims } from "./claims.ts";
import type { KubeApi } from "./kube-api.ts";
import { isStatus } from "./kube-errors.ts";
import { CONTAINER } from "./pod-spec.ts";
import { stateOf } from "./pod-state.ts";
import type { PodIdentity, Pods } from "./pods.ts";

const POLL_MS = 1000;
/** Of a read of what is there already. An engine that is followed may be silent for ever. */
const SILENCE_MS = 15_000;
const FOR_EVER = 0;
/** What a claim keeps of the log of pods that are gone. Annotations of an object have 256 KiB together. */
const KEPT_LINES = 100;
const KEPT_CHARACTERS = 16_384;
const NEWLINE = 0x0a;
const TIMESTAMP = /^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) ?/;

interface LogLine {
  readonly at: string;
  readonly text: string;
}

/** The log of an engine: that of its pod, and before it the last lines of the pods before, which its claim has. */
export class PodLogs {
  readonly #api: KubeApi;
  readonly #pods: Pods;
  readonly #claims: Pick<Claims, "keepLog" | "keptLog">;

  constructor(api: KubeApi, pods: Pods, claims: Pick<Claims, "keepLog" | "keptLog">) {
    this.#api = api;
    this.#pods = pods;
    this.#claims = claims;
  }

  /** The last lines, oldest first. */
  async tail(engine: string, lines: number): Promise<readonly string[]> {
    if (lines === 0) return [];
    const read = new Map<string, readonly string[]>();
    const signal = new AbortController().signal;
    for (const { metadata } of (await this.#pods.list({ engine })).toReversed()) {
      const found = await Array.fromAsync(this.#read(metadata, { tailLines: String(lines) }, signal));
      read.set(
        metadata.uid,
        found.map(({ text }) => text),
      );
    }
    // After the pods: what goes from there has come here before.
    const kept = await this.#claims.keptLog(engine);
    if (kept?.pod !== undefined) read.delete(kept.pod);
    return [...(kept?.lines ?? []), ...[...read.values()].flat()].slice(-lines);
  }

  /** The last lines of the pod, then each new one, also of later pods, until the signal aborts or the engine has no files. */
  async *follow(
    engine: string,
    { lines, signal }: { readonly lines: number; readonly signal: AbortSignal },
  ): AsyncGenerator<string, void, undefined> {
    let followed: string | null = null;
    let last = "";
    while (!signal.aborted) {
      const [newest] = await this.#pods.list({ engine });
      if (newest === undefined) {
        const kept = await this.#claims.keptLog(engine);
        if (kept === null) return;
        if (followed === null && lines > 0) yield* kept.lines.slice(-lines);
        followed ??= "";
      } else if (stateOf(newest).kind !== "waiting") {
        const { uid } = newest.metadata;
        // A stream may be cut while the engine runs on.
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
  async keep({ engineId, ...pod }: PodIdentity & { readonly engineId: string }, signal: AbortSignal): Promise<void> {
    const lines: string[] = [];
    const query = { follow: "true", tailLines: String(KEPT_LINES) };
    for await (const { text } of this.#read(pod, query, signal)) {
      lines.push(text);
      if (lines.length > KEPT_LINES) lines.shift();
    }
    const kept = await this.#claims.keptLog(engineId);
    if (kept === null || kept.pod === pod.uid || lines.length === 0) return;
    await this.#claims.keepLog(engineId, { pod: pod.uid, lines: lastOf([...kept.lines, ...lines]) });
  }

  async *#read(
    { name }: PodIdentity,
    more: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): AsyncGenerator<LogLine> {
    const query = { container: CONTAINER, timestamps: "true", ...more };
    try {
      const silenceMs = "follow" in more ? FOR_EVER : SILENCE_MS;
      yield* logLines(await this.#api.stream(`${this.#pods.path}/${name}/log`, { query, signal, silenceMs }));
    } catch (error) {
      // 400: its container has not been made. 404: it has gone since.
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
  let rest = Buffer.alloc(0);
  for await (const chunk of body) {
    const text = Buffer.concat([rest, chunk]);
    const end = text.lastIndexOf(NEWLINE);
    if (end >= 0) for (const line of text.toString("utf8", 0, end).split("\n")) yield* readLine(line);
    // An unfinished line is buffered only up to a length that is not shown whole, whatever its characters.
    rest = text.subarray(end + 1).subarray(0, 4 * MAX_LOG_LINE);
  }
  if (rest.length > 0) yield* readLine(rest.toString("utf8"));
}

/** None for what the kubelet writes itself, such as that the container has gone meanwhile. */
function readLine(line: string): readonly LogLine[] {
  const [all, at = ""] = TIMESTAMP.exec(line) ?? [];
  return all === undefined ? [] : [{ at, text: redactLine(line.slice(all.length)) }];
}
