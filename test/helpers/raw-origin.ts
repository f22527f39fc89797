import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type TlsOptions, createServer } from "node:tls";
import type { Test } from "tap";

export interface RawOrigin {
  /** `host:port` */
  readonly authority: string;
  /** The requests, as they came. */
  readonly received: string[];
}

/** A host that answers each request with the bytes that `answer` makes of it, whatever HTTP says, and closes. */
export async function startRawOrigin(
  t: Test,
  identity: TlsOptions,
  answer: (request: string) => string | Buffer,
): Promise<RawOrigin> {
  const received: string[] = [];
  const server = createServer(identity, (socket) => {
    let request = "";
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      request += chunk.toString("latin1");
      if (!request.includes("\r\n\r\n")) return;
      received.push(request);
      socket.end(answer(request));
      request = "";
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  return { authority: `127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}
