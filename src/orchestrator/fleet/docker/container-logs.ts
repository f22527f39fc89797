import { delay } from "../../../shared/clock.ts";
import { LineSplitter } from "../logs/line-splitter.ts";
import { redactLine } from "../logs/redact-line.ts";
import type { Containers } from "./containers.ts";
import type { DockerApi } from "./docker-api.ts";

const POLL_MS = 1000;
const HEADER_BYTES = 8;

/** The logs of an engine's containers: the running one, and the stopped ones that remain. */
export class ContainerLogs {
  readonly #api: DockerApi;
  readonly #containers: Containers;

  constructor(api: DockerApi, containers: Containers) {
    this.#api = api;
    this.#containers = containers;
  }

  /** The last lines, oldest first. */
  async tail(engine: string, lines: number): Promise<readonly string[]> {
    const found: string[] = [];
    if (lines === 0) return found;
    for (const { id } of await this.#containers.list({ engine })) {
      const missing = lines - found.length;
      if (missing > 0)
        found.unshift(...(await Array.fromAsync(this.#read(id, { tail: String(missing) }))).slice(-missing));
    }
    return found;
  }

  /** The last lines, then each new one, also of later containers, until the signal aborts or the engine has none left. */
  async *follow(
    engine: string,
    { lines, signal }: { readonly lines: number; readonly signal: AbortSignal },
  ): AsyncGenerator<string, void, undefined> {
    let followed: string | null = null;
    while (!signal.aborted) {
      const [newest] = await this.#containers.list({ engine });
      if (newest === undefined && followed !== null) return;
      if (newest !== undefined && newest.id !== followed) {
        const tail = followed === null ? String(lines) : "all";
        followed = newest.id;
        yield* this.#read(newest.id, { tail, follow: "true" }, signal);
      }
      if (!(await delay(POLL_MS, signal))) return;
    }
  }

  async *#read(id: string, options: Readonly<Record<string, string>>, signal?: AbortSignal): AsyncGenerator<string> {
    const query = { stdout: "true", stderr: "true", ...options };
    try {
      const body = await this.#api.stream(`/containers/${id}/logs`, { query, ...(signal && { signal }) });
      yield* logLines(body);
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    }
  }
}

/** The lines of Docker's multiplexed stream. A frame is a header (stream, length) and its payload. */
async function* logLines(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let buffer = Buffer.alloc(0);
  const outputs = [new LineSplitter(), new LineSplitter(), new LineSplitter()];
  for await (const chunk of body) {
    buffer = Buffer.concat([buffer, chunk]);
    while (buffer.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + buffer.readUInt32BE(4);
      if (buffer.length < end) break;
      const lines = outputs[buffer[0] ?? 0]?.push(buffer.subarray(HEADER_BYTES, end)) ?? [];
      yield* lines.map(redactLine);
      buffer = buffer.subarray(end);
    }
  }
  for (const output of outputs) yield* output.rest().map(redactLine);
}
