import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Test } from "tap";
import { createEngineClient } from "../../src/client/engine-client.ts";
import { type Answer, ask } from "../helpers/api.ts";
import { openStream } from "../helpers/engine.ts";
import { until } from "../helpers/until.ts";

const MIB = 1024 ** 2;
const REVOKED_MS = 1000;

export interface FrontDoor {
  /** The daemon's address. Nothing here calls an engine's own. */
  readonly base: string;
  readonly user: string;
  readonly engine: { readonly id: string; readonly key: string };
  /** A call with the platform key. */
  readonly platform: (method: string, path: string, body?: object) => Promise<Answer>;
  readonly setPolicy: (policy: object) => Promise<unknown>;
}

/** Files, end users and notifications of an engine, on any backend. Returns where the product is told of the ends of which tasks. */
export async function frontDoorCases(t: Test, { base, user, engine, platform, setPolicy }: FrontDoor) {
  const told: string[] = [];
  const service = createServer(async (request, response) => {
    told.push((JSON.parse(await text(request)) as { data: { task_id: string } }).data.task_id);
    response.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  t.teardown(() => (service.closeAllConnections(), service.close()));
  const address = `127.0.0.1:${(service.address() as AddressInfo).port}`;
  await setPolicy({ private_hosts: [address] });

  await t.test("files go up and down through the daemon", async (t) => {
    const { files } = createEngineClient({ url: `${base}/e/${engine.id}`, key: engine.key });
    const content = Buffer.alloc(4 * MIB, "0123456789");
    t.match(await files.write("data/large.bin", content), { created: true, bytes: content.length });
    const read = async (range?: string) => {
      const { chunks } = await files.read({ path: "data/large.bin", range });
      return Buffer.concat(await Array.fromAsync(chunks));
    };
    t.ok((await read()).equals(content));
    t.equal((await read("bytes=10-13")).toString(), "0123");
    const archive = await Array.fromAsync((await files.archive({ path: "data", format: "zip" })).chunks);
    t.equal(Buffer.concat(archive).subarray(0, 2).toString(), "PK");
    const body = { path: "data/large.bin", ttl_s: 60 };
    const headers = { "x-engine-key": engine.key };
    const { link } = (await ask(`${base}/e/${engine.id}`, "/files/links", { method: "POST", headers, body })).body;
    t.equal((await ask(base, link)).text, content.toString());
  });

  await t.test("an end user runs a turn, and a revocation cuts the streams within a second", async (t) => {
    const { body: made } = await platform("POST", `/engines/${user}/tokens`, {});
    const headers = { authorization: `Bearer ${made.token}` };
    const stream = await openStream(`${base}/me`, "/execute/replay?follow=true", {
      headers: { ...headers, accept: "text/event-stream" },
    });
    const turn = await openStream(`${base}/me`, "/execute", { headers, body: { task_id: "mine", message: "/say hi" } });
    t.match((await turn.all()).at(-1), { data: { phase: "completed" } });
    await stream.first("text_delta");
    t.equal((await platform("POST", `/engines/${user}/tokens/revoke`)).status, 200);
    const at = performance.now();
    await until("the stream is cut", () => stream.ended);
    t.ok(performance.now() - at < REVOKED_MS);
    t.equal((await ask(`${base}/me`, "/tasks", { headers })).status, 401);
  });

  await t.test("the product is told of the end of a turn", async (t) => {
    const endpoint = { url: `http://${address}/`, events: ["turn.completed"] };
    t.equal((await platform("POST", "/notifications/endpoints", endpoint)).status, 201);
    const headers = { "x-engine-key": engine.key };
    const body = { task_id: "told", message: "/say hi" };
    await (await openStream(`${base}/e/${engine.id}`, "/execute", { headers, body })).all();
    await until("the message came", () => told.includes("told"));
  });
  return { told, address };
}
