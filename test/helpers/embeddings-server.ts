import { once } from "node:events";
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { Test } from "tap";

/** A call that arrived, and the status of its answer: null while there is none. */
interface EmbeddingCall {
  readonly model: string;
  readonly texts: readonly string[];
  readonly authorization: string | undefined;
  status: number | null;
}

/** How an endpoint answers a call. */
export type Endpoint = (call: EmbeddingCall, response: ServerResponse) => unknown;

export interface EmbeddingsServer {
  /** The address of an endpoint that behaves on its own. */
  url(name: string): string;
  set(name: string, endpoint: Endpoint): void;
  calls(name: string): readonly EmbeddingCall[];
}

/** A server with the protocol of `/v1/embeddings`. Every endpoint answers well until it is set otherwise. */
export async function startEmbeddingsServer(t: Test): Promise<EmbeddingsServer> {
  const endpoints = new Map<string, Endpoint>();
  const calls = new Map<string, EmbeddingCall[]>();
  const callsOf = (name: string) => calls.get(name) ?? calls.set(name, []).get(name) ?? [];
  const server = createServer(async (request, response) => {
    const [, name = "", ...rest] = (request.url ?? "").split("/");
    if (rest.join("/") !== "v1/embeddings") {
      response.writeHead(404).end();
      return;
    }
    const { model, input } = (await json(request)) as { readonly model: string; readonly input: readonly string[] };
    const call: EmbeddingCall = { model, texts: input, authorization: request.headers.authorization, status: null };
    callsOf(name).push(call);
    response.once("finish", () => (call.status = response.statusCode));
    await (endpoints.get(name) ?? answersWell)(call, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo;
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}/v1`,
    set: (name, endpoint) => void endpoints.set(name, endpoint),
    calls: callsOf,
  };
}

/** One vector for each text: boats lie together, in English and in German. */
export const answersWell: Endpoint = ({ texts }, response) => answerWith(response, texts.map(vectorOf));

export function answerWith(response: ServerResponse, vectors: readonly unknown[]): void {
  const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ object: "list", data, usage: { total_tokens: 7 * vectors.length } }));
}

const DIMENSIONS = 256;

export function vectorOf(text: string): readonly number[] {
  const isBoat = /sloop|segelboot/i.test(text);
  let state = 1;
  for (const letter of text) state = (Math.imul(state, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  return Array.from({ length: DIMENSIONS }, (_, at) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
    const other = (state >> 16) / 2 ** 15;
    return isBoat ? (at % 3 === 0 ? 1 : -0.5) + other / 10 : other;
  });
}
