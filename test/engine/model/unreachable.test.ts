import { type AddressInfo, createServer } from "node:net";
import t, { type Test } from "tap";
import { failureOf } from "../../../src/engine/model/provider-failure.ts";
import { KEY, adapterTo, partsOf, requestTo } from "./adapter.ts";
import { deadAddress } from "./upstream.ts";
import { REMOTES, type Remote } from "./wire-formats.ts";

/** How a call to an address ends. */
async function ending(remote: Remote, baseUrl: string) {
  const request = requestTo(remote);
  const last = (await partsOf(adapterTo(remote, baseUrl), request)).at(-1);
  if (last?.kind !== "failed" || last.failure.kind === "aborted") throw new Error("it did not fail");
  return { ...last.failure, model: request.model };
}

/** A server that answers whatever it is sent with these bytes. */
async function answering(t: Test, bytes: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

t.test("an unreachable model is reported with cause, address and model", async (t) => {
  for (const remote of REMOTES) {
    const url = await deadAddress();
    const { message, model, kind } = await ending(remote, url);
    t.equal(message, `connect ECONNREFUSED ${new URL(url).host} (${remote}, ${model})`);
    t.equal(kind, "transient");
  }
  const { message } = await ending("openai-compatible", "http://no-such-host.invalid/v1");
  t.match(message, /^getaddrinfo E\w+ no-such-host\.invalid \(openai-compatible, any\)$/);
});

t.test("a connection failure without a code is reported with its message", async (t) => {
  const badPort = await ending("openai-compatible", "http://127.0.0.1:9/v1");
  t.equal(badPort.message, "port 9 is blocked by fetch; use another port (openai-compatible, any)");
  t.equal(badPort.kind, "permanent");
  const host = await answering(t, "220 mail ready\r\n");
  const noHttp = await ending("openai-compatible", `http://${host}/v1`);
  t.match(noHttp.message, `the connection to ${host} failed: Response does not match the HTTP/1.1 protocol`);
  const gone = await answering(t, "");
  t.match((await ending("openai-compatible", `http://${gone}/v1`)).message, new RegExp(`${gone}.*UND_ERR_SOCKET`));
});

t.test("an invalid response is reported without internal class names", async (t) => {
  const page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 13\r\n\r\n<html></html>";
  for (const remote of REMOTES) {
    const { message } = await ending(remote, `http://${await answering(t, page)}/v1`);
    t.match(message, /ended early or could not be read.*LLM_BASE_URL|ended its answer early$/, remote);
    t.notMatch(message, /AI_|Error/, remote);
  }
});

t.test("a request that cannot be sent is not retried, and its error quotes neither key nor body", async (t) => {
  const read = (error: unknown) => failureOf(error, { provider: "someone", model: "m", now: 0 });
  const key = new TypeError(`Headers.append: "Bearer ${KEY}\\n" is an invalid header value.`);
  t.match(read(key), { kind: "permanent", message: /see LLM_API_KEY \(someone, m\)$/ });
  const credentials = new TypeError(
    "Request cannot be constructed from a URL that includes credentials: http://u:pw@h/",
  );
  t.match(read(credentials), { kind: "permanent", message: /see LLM_BASE_URL/ });
  t.match(read(Object.assign(new Error("x"), { name: "AI_LoadAPIKeyError" })), { message: /see LLM_API_KEY/ });
  t.match(read(Object.assign(new Error("x"), { name: "AI_NoSuchModelError" })), { message: /see LLM_MODEL/ });
  const quoting = Object.assign(new Error(`Cannot connect to API: ${KEY}`), {
    name: "AI_APICallError",
    url: `https://u:${KEY}@host.example/v1?key=${KEY}`,
    requestBodyValues: { messages: ["SECRET"] },
    cause: new Error(`no route for ${KEY} SECRET-question-of-more-than-twenty`),
  });
  for (const error of [key, credentials, quoting]) {
    const { message } = { message: "", ...read(error) };
    t.notMatch(message, /AI_|u:pw|SECRET/);
    t.notMatch(message, KEY);
  }
  t.match(read(quoting), { kind: "transient", message: "the connection to host.example failed (someone, m)" });
});
