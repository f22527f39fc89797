import { once } from "node:events";
import { request as requestHttp } from "node:http";
import { type ServerOptions, createServer } from "node:https";
import type { Test } from "tap";

/** TLS in front of a daemon, as a reverse proxy has it. */
export async function startTlsFront(
  t: Test,
  { port, to, identity }: { readonly port: number; readonly to: number; readonly identity: ServerOptions },
): Promise<void> {
  const server = createServer(identity, (incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const passed = requestHttp({ host: "127.0.0.1", port: to, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => (server.closeAllConnections(), server.close()));
}
