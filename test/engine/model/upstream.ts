import { type IncomingHttpHeaders, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";

interface Test {
  teardown(handler: () => unknown): void;
}

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // Tests look into whatever came; a wrong shape fails the comparison.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  /** The body as it came. */
  readonly text: string;
  /** Whether the caller has gone, or the answer is out. */
  closed: boolean;
}

export type Behaviour = (response: ServerResponse) => unknown;

export interface Upstream {
  readonly url: string;
  readonly received: readonly Received[];
}

/** A provider on loopback: it meets each call with the next behaviour, and the last one ever after. */
export async function startUpstream(t: Test, ...behaviours: readonly Behaviour[]): Promise<Upstream> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const call: Received = {
      path: request.url ?? "",
      headers: request.headers,
      body: JSON.parse(text || "null"),
      text,
      closed: false,
    };
    response.on("close", () => (call.closed = true));
    const behaviour = behaviours[Math.min(received.length, behaviours.length - 1)];
    received.push(call);
    await behaviour?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, received };
}

/** Where nobody listens any more. */
export async function deadAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}

const openStream = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/event-stream" });

export type Frames = readonly (string | Buffer)[];

const bytesOf = (frames: Frames): Buffer => Buffer.concat(frames.map((frame) => Buffer.from(frame)));

/** A whole answer. */
export const streams =
  (frames: Frames, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    openStream(response).end(bytesOf(frames));
  };

/** Ends cleanly behind some frames, as if they were all. */
export const endsAfter = (count: number, frames: Frames): Behaviour => streams(frames.slice(0, count));

/** Cuts the socket behind some frames. */
export const cutsAfter =
  (count: number, frames: Frames): Behaviour =>
  (response) =>
    openStream(response).write(bytesOf(frames.slice(0, count)), () => response.destroy());

/** Says so much, and no more; the socket stays open. */
export const stallsAfter =
  (count: number, frames: Frames): Behaviour =>
  (response) =>
    void openStream(response).write(count === 0 ? ":\n\n" : bytesOf(frames.slice(0, count)));

/** Takes the call and never answers. */
export const silent: Behaviour = () => undefined;

export const refuses =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) =>
    response
      .writeHead(status, { "content-type": typeof body === "string" ? "text/html" : "application/json", ...headers })
      .end(typeof body === "string" ? body : JSON.stringify(body));
