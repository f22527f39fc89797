import { PassThrough, Readable, Writable } from "node:stream";
import { type Stream, ndJsonStream } from "@agentclientprotocol/sdk";
import { serveAcp } from "../../cli/acp/serve-acp.ts";
import { createEngineClient } from "../../src/client/engine-client.ts";
import type { TestEngine } from "./engine.ts";

/** `orchctl acp` without its process: the editor's end of its streams. */
export function acpStreams({ url, key }: Pick<TestEngine, "url" | "key">): {
  readonly stream: Stream;
  readonly input: PassThrough;
  readonly output: PassThrough;
  /** Resolves when it has ended. */
  readonly served: Promise<void>;
} {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const engine = createEngineClient({ url, key, limits: { retryBusy: false } });
  const served = serveAcp({ engine, input, output, note: () => {} });
  const [write, read] = [Writable.toWeb(input), Readable.toWeb(output)];
  return {
    get stream() {
      return ndJsonStream(write as WritableStream<Uint8Array>, read as ReadableStream<Uint8Array>);
    },
    input,
    output,
    served,
  };
}
