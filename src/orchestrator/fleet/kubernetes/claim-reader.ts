import { type IncomingMessage, request as httpRequest } from "node:http";
import { text } from "node:stream/consumers";
import { formatCursor, type UsageCursor } from "../../../contract/engine/metered-usage.ts";
import { delay } from "../../../shared/clock.ts";
import { Deadline } from "../../../shared/deadline.ts";
import { untrustedText } from "../../../shared/untrusted-text.ts";
import type { ReadOutcome, StorageReader, UncollectedOutcome } from "../engine-storage.ts";
import { engineUrl } from "../../engine-calls/engine-url.ts";
import { LaunchFailed } from "../launch-failed.ts";
import { takeAll } from "../folders/read-folder.ts";
import { MAX_UNCOLLECTED_BYTES, parseUncollected } from "../folders/read-uncollected.ts";
import type { Claim } from "./claim-spec.ts";
import { PORT } from "../containers/container-launch.ts";
import type { KnownPods } from "./known-pods.ts";
import { stateOf } from "./pod-state.ts";
import type { PodWatch } from "./pod-watch.ts";
import type { PodIdentity, Pods } from "./pods.ts";
import { type ReadFrom, type ReaderOptions, readerSecret, readerSpec } from "./reader-spec.ts";
import { reasonOf } from "./kube-errors.ts";
import { running } from "./start-pod.ts";

/** How long the reader program may take to listen. */
const LISTEN_MS = 10_000;
const POLL_MS = 100;
/** The timeout without data. A hostile user can stall the reading. */
const SILENCE_MS = 60_000;
const UNCOLLECTED_MS = 20_000;
const MAX_NOTES = 4000;
const NOTES_TRAILER = "x-notes";

/** Reads the files of volume claims, each through a short-lived pod that serves them to this daemon only. */
export class ClaimReader {
  readonly #pods: Pods;
  readonly #known: KnownPods;
  readonly #watch: PodWatch;
  readonly #options: ReaderOptions & { readonly startMs: number };

  constructor(
    { pods, known, watch }: { readonly pods: Pods; readonly known: KnownPods; readonly watch: PodWatch },
    options: ReaderOptions & { readonly startMs: number },
  ) {
    this.#pods = pods;
    this.#known = known;
    this.#watch = watch;
    this.#options = options;
  }

  /** Reads all files. Errors of the cluster are in the notes. Throws what `take` throws. */
  async archive(from: Omit<ReadFrom, "node">, { signal, take }: StorageReader): Promise<ReadOutcome> {
    const thrown: { error?: unknown } = {};
    try {
      return await this.#ask(from, "/archive", signal, async (answer) => {
        const failure = await takeAll(answer, take).catch((error: unknown) => {
          thrown.error = error;
          throw error;
        });
        const left = Buffer.from(answer.trailers[NOTES_TRAILER] ?? "", "base64").toString("utf8");
        return { kind: "read", notes: untrustedText([failure, left.trim()].filter(Boolean).join("; "), MAX_NOTES) };
      });
    } catch (error) {
      signal.throwIfAborted();
      if (thrown.error !== undefined) throw thrown.error;
      return { kind: "read", notes: `its volume cannot be read: ${why(error)}` };
    }
  }

  async uncollected(
    claim: Claim,
    engine: string,
    known: UsageCursor | null,
    signal: AbortSignal,
  ): Promise<UncollectedOutcome> {
    const path = `/uncollected?${new URLSearchParams({ known: formatCursor(known) }).toString()}`;
    try {
      return await this.#ask({ claim, engine }, path, signal, async (answer) => {
        const timer = setTimeout(
          () => answer.destroy(new Unreadable("the store was not read in time")),
          UNCOLLECTED_MS,
        );
        return parseUncollected(await text(bounded(answer)).finally(() => clearTimeout(timer)));
      });
    } catch (error) {
      signal.throwIfAborted();
      return { kind: "failed", reason: why(error) };
    }
  }

  /** Deletes reader pods that an earlier daemon left, or whose engine is about to start. */
  async clear(readers: readonly { readonly metadata: PodIdentity }[]): Promise<void> {
    for (const { metadata } of readers) await this.#pods.delete(metadata, 1);
  }

  async #ask<T>(
    { claim, engine }: Omit<ReadFrom, "node">,
    path: string,
    signal: AbortSignal,
    use: (answer: IncomingMessage) => Promise<T>,
  ): Promise<T> {
    await this.clear((await this.#known.all()).readers.filter((pod) => stateOf(pod).kind === "ended"));
    const node = engine === null ? null : await this.#nodeOf(engine);
    const created = await this.#pods.create(readerSpec({ claim, engine, node }, this.#options));
    this.#known.note(created);
    const { metadata } = created;
    try {
      const { token, secret } = readerSecret(this.#options.deployment, metadata);
      await this.#pods.createSecret(secret);
      const pod = await running({ pods: this.#pods, watch: this.#watch }, metadata, this.#options.startMs);
      const answer = await ask(`${engineUrl(pod.ip, PORT)}${path}`, token, signal);
      try {
        return await use(answer);
      } finally {
        answer.destroy();
      }
    } finally {
      // A pod that cannot be deleted now exits by itself, and is deleted before the next reading.
      await this.#pods.delete(metadata, 1).catch(() => undefined);
    }
  }

  async #nodeOf(engine: string): Promise<string | null> {
    const { engines } = await this.#known.ofEngine(engine);
    return engines.find((pod) => stateOf(pod).kind !== "ended")?.spec.nodeName ?? null;
  }
}

class Unreadable extends Error {
  override readonly name = "Unreadable";
}

const why = (error: unknown): string =>
  error instanceof Unreadable || error instanceof LaunchFailed ? error.message : reasonOf(error);

async function ask(url: string, token: string, signal: AbortSignal): Promise<IncomingMessage> {
  for (const end = new Deadline(LISTEN_MS); ;) {
    try {
      const answer = await get(url, token, signal);
      if (answer.statusCode === 200) return answer;
      answer.destroy();
      throw new Unreadable(`its reader has answered ${answer.statusCode}`);
    } catch (error) {
      const isRefused = (error as NodeJS.ErrnoException).code === "ECONNREFUSED";
      if (!isRefused || end.isOver || !(await delay(POLL_MS, signal))) throw error;
    }
  }
}

const get = (url: string, token: string, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(url, { headers: { authorization: `Bearer ${token}` }, agent: false, signal });
    request.setTimeout(SILENCE_MS, () => request.destroy(new Unreadable(`no data for ${SILENCE_MS / 1000} s`)));
    request.once("error", reject);
    request.once("response", resolve);
    request.end();
  });

async function* bounded(answer: IncomingMessage): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_UNCOLLECTED_BYTES) throw new Unreadable("the answer is too long");
    yield chunk;
  }
}
