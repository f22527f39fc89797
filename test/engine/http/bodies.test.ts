import { connect } from "node:net";
import t, { type Test } from "tap";
import { startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

const MIB = 1024 * 1024;
/** The largest body is then that of a text. */
const WITHOUT_ATTACHMENTS = { policy: { attachments: { mb: 0, count: 0, kinds: [] } } };

/** A request that stops before the end of its body; what is answered. */
function unfinished(t: Test, url: string, { key = "", bytes }: { readonly key?: string; readonly bytes: number }) {
  const socket = connect(Number(new URL(url).port), "127.0.0.1").setEncoding("latin1");
  t.teardown(() => socket.destroy());
  let got = "";
  socket.on("data", (piece: string) => (got += piece)).on("error", () => undefined);
  socket.write(`POST /execute HTTP/1.1\r\nhost: localhost\r\nx-engine-key: ${key}\r\n`);
  socket.write(`content-length: ${bytes}\r\n\r\n${" ".repeat(bytes - 1)}`);
  return { socket, answer: () => got };
}

t.test("an engine holds so many bytes of unfinished bodies at most, and none without its key", async (t) => {
  const engine = await startEngine(t, WITHOUT_ATTACHMENTS);
  const strangers = Array.from({ length: 20 }, () => unfinished(t, engine.url, { bytes: MIB }));
  await until("strangers are answered", () => strangers.every(({ answer }) => answer().startsWith("HTTP/1.1 401")));
  const calls = Array.from({ length: 20 }, () => unfinished(t, engine.url, { key: engine.key, bytes: 2 * MIB }));
  const refused = () => calls.filter(({ answer }) => answer().startsWith("HTTP/1.1 503"));
  await until("some are refused", () => refused().length > 0);
  t.match(refused()[0]?.answer(), /\r\nRetry-After: 1\r\n.*"SERVICE_UNAVAILABLE"/s);
  for (const { socket } of [...strangers, ...calls]) socket.destroy();
  const frames = await until("there is room again", () => engine.turn("again", "/say here").catch(() => null));
  t.match(frames.at(-1), { data: { phase: "completed" } });
});

t.test("a body is bounded by its route, and by how many values it has", async (t) => {
  const engine = await startEngine(t, WITHOUT_ATTACHMENTS);
  const refusal = async (path: string, body: string) => (await engine.call(path, { method: "POST", body })).body;
  t.match(await refusal("/execute", " ".repeat(2 * MIB + 1)), { error: "PAYLOAD_TOO_LARGE", message: /2048 KiB/ });
  t.match(await refusal("/hitl/respond", " ".repeat(MIB + 1)), { error: "PAYLOAD_TOO_LARGE", message: /1024 KiB/ });
  t.match(await refusal("/execute/cancel", " ".repeat(70_000)), { error: "PAYLOAD_TOO_LARGE", message: /64 KiB/ });
  const message = "body: expected at most 10000 values";
  t.match(await refusal("/execute", `[${"0,".repeat(20_000)}0]`), { error: "INVALID_REQUEST", message });
});
