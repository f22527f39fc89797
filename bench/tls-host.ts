import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const tls = (name: string): string => join(import.meta.dirname, "../test/engine/model/tls", name);

export const CERTIFICATES = tls("ca.pem");

/** A host that tools call: `/WORDS/RATE` answers so many words, so many a second, each in a frame of its own. */
export async function startTlsHost() {
  const identity = { cert: readFileSync(tls("server.pem")), key: readFileSync(tls("server.key")) };
  const server = createServer(identity, async (request, response) => {
    const [, words = 1, rate = 1] = (request.url ?? "").split("/").map(Number);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const began = performance.now() + (Math.random() * 1000) / rate;
    for (let at = 0; at < words; at++) {
      const early = began + (at * 1000) / rate - performance.now();
      if (at > 0 && early > 0) await sleep(early);
      response.write(`data: {"choices":[{"index":0,"delta":{"content":"word ${at} "}}]}\n\n`);
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    place: `localhost:${port}`,
    url: `https://localhost:${port}`,
    close: () => (server.closeAllConnections(), server.close()),
  };
}
