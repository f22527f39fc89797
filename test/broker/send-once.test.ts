import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import t from "tap";
import { sendOnce } from "../../src/broker/send-once.ts";

const noTls = () => Promise.reject(new Error("no call by TLS"));

t.test("a form is sent to addresses that may be called, and its whole answer comes back", async (t) => {
  const received: object[] = [];
  const server = createServer(async (request, response) => {
    const { method, url = "", headers } = request;
    received.push({ method, url, type: headers["content-type"], body: await text(request) });
    if (url === "/cut") return response.destroy();
    return response.writeHead(200, { "x-shown": "1" }).end("x".repeat(url === "/long" ? 300_000 : 3));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send = (path: string, private_hosts: readonly string[] = ["127.0.0.1"]) =>
    sendOnce({ id: "1", url: base + path, headers: { "content-type": "form" }, body: "a=b", private_hosts }, noTls);
  const answer = { kind: "answered", status: 200, headers: { "x-shown": "1" }, body: "eHh4" };
  t.match(await send("/token"), answer);
  t.same(received.splice(0), [{ method: "POST", url: "/token", type: "form", body: "a=b" }]);
  t.match(await send("/token", ["10.0.0.1"]), { kind: "failed" });
  t.match(await send("/token", []), { kind: "failed", reason: /private_hosts/ });
  t.same(received, [], "nothing was sent");
  t.match(await send("/cut"), { kind: "failed", reason: "ECONNRESET" });
  t.match(await send("/long"), { kind: "failed", reason: /more than/ });
});
