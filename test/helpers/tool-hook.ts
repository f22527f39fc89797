import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Test } from "tap";

export interface HookCall {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface HookService {
  readonly url: string;
  /** For `private_hosts`. */
  readonly host: string;
  readonly calls: HookCall[];
  /** How it answers from now on. */
  answer: (response: ServerResponse, call: HookCall) => void;
}

export const decides =
  (verdict: unknown): HookService["answer"] =>
  (response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(verdict));

export const hangs: HookService["answer"] = () => undefined;

/** A product's own service that decides about calls of tools. It allows everything at first. */
export async function startHook(t: Test): Promise<HookService> {
  const service = { calls: [] as HookCall[], answer: decides({ verdict: "allow" }), url: "", host: "" };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const call = { headers: request.headers, body, data: JSON.parse(body) };
    service.calls.push(call);
    service.answer(response, call);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  service.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  service.url = `http://${service.host}/tools`;
  return service;
}
