import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { fixture, serverBench } from "./tool-server-bench.ts";

t.test("results reach the model, with a description of content that is not text", async (t) => {
  const bench = serverBench(t);
  const permissions = { "*": "ask", reads: "allow", malformed: "deny" };
  await bench.load({ shows: { ...fixture("shows"), permissions } });
  const { tools } = await bench.status("shows", "ready");
  const call = (name: string) => bench.call(`mcp__shows__${name}`);
  t.same(await call("fails"), { output: null, error: "no such city" });
  t.match(await call("fails_silently"), { output: null, error: /failed without a message/ });
  t.same(await call("structured"), { output: { a: 1, b: [1, 2] }, error: null });
  t.same(await call("both"), { output: { text: "It is warm.", structured_content: { degrees: 31 } }, error: null });
  const kinds = await call("kinds");
  t.same(String(kinds.output).split("\n"), [
    "See:",
    "[image of 1000 bytes, image/png; not shown]",
    "[audio of 1000 bytes, audio/wav; not shown]",
    "[resource file:///a.txt, text/plain]",
    "within",
    "[resource file:///b.bin of 1000 bytes, of unknown type; not shown]",
    "[link to more at https://example.com/more: text/html, 12 bytes]",
  ]);
  const long = String((await call("long")).output);
  const path = /(\.orch\/outputs\/\S+?)[\s\]]/.exec(long)?.[1] ?? "";
  t.equal(
    readFileSync(join(bench.workspaceDir, path), "utf8").length,
    60_000,
    "long output goes to a file, as for all",
  );

  t.match(bench.tool("mcp__shows__reads"), { readOnly: true, permission: "allow" });
  t.match(bench.tool("mcp__shows__both"), { readOnly: false, permission: "ask" });
  t.same(bench.tool("mcp__shows__both").resources({}), ["server:shows"], "what may change something runs in order");
  t.throws(() => bench.tool("mcp__shows__malformed"), "a denied tool is not offered");
  t.match(
    tools.find(({ tool }) => tool === "malformed"),
    { status: "denied", permission: "deny" },
  );
});

t.test("structured content that repeats the text is omitted", async (t) => {
  const bench = serverBench(t);
  await bench.load({ shows: fixture("shows") });
  await bench.status("shows", "ready");
  const output = async (name: string) => (await bench.call(`mcp__shows__${name}`)).output;
  t.same(await output("repeated"), "line one\n42");
  t.same(await output("repeated_items"), 'one\n2\n{"a":3}');
  t.same(await output("repeated_blocks"), "[image of 1000 bytes, image/png; not shown]");
  t.same(await output("repeated_in_part"), {
    text: "It is warm.",
    structured_content: { words: "It is warm.", degrees: 31 },
  });
});

t.test("a tool that runs only as an MCP task is not offered, and the list says why", async (t) => {
  const bench = serverBench(t);
  await bench.load({ shows: fixture("shows") });
  const { tools } = await bench.status("shows", "ready");
  const found = (name: string) => tools.find(({ tool }) => tool === name);
  t.match(found("needs_task"), { status: "left_out", reason: /MCP task/ });
  t.match(found("may_use_task"), { status: "offered" });
  t.throws(() => bench.tool("mcp__shows__needs_task"), "it is not offered");
});

t.test("an invalid result fails its call with the reason", async (t) => {
  const bench = serverBench(t);
  await bench.load({ shows: fixture("shows") });
  await bench.status("shows", "ready");
  t.match(await bench.call("mcp__shows__malformed"), { output: null, error: /the tool server shows failed: / });
  t.match(await bench.call("mcp__shows__both"), { error: null });
});

t.test("progress restarts the timeout of a call", async (t) => {
  const bench = serverBench(t, { timeoutMs: 1500 });
  await bench.load({ works: fixture("tells-progress") });
  await bench.status("works", "ready");
  let signs = 0;
  const worked = await bench.call("mcp__works__work", { steps: 8, ms: 400 }, { progress: () => signs++ });
  t.same(worked, { output: "worked", error: null });
  t.ok(signs >= 6);
  t.match(await bench.call("mcp__works__work", { steps: 1, ms: 20_000 }), { error: /TIMEOUT/ });
});

t.test("a form without fields is accept or decline; one outside a call is cancelled", async (t) => {
  const bench = serverBench(t);
  await bench.load({ asks: fixture("asks") });
  await bench.status("asks", "ready");
  const asking = (answer: string) => ({ ask: () => Promise.resolve(answer) });
  t.match(await bench.call("mcp__asks__confirm", {}, asking("accept")), { output: '{"action":"accept","content":{}}' });
  t.match(await bench.call("mcp__asks__order", {}, asking("decline")), { output: '{"action":"decline"}' });
  t.match(await bench.call("mcp__asks__confirm"), { output: '{"action":"cancel"}' }, "nobody could be asked");
});

t.test("a server of the newest protocol elicits in its result, and is called again with the answer", async (t) => {
  const bench = serverBench(t);
  await bench.load({ newest: fixture("newest") });
  t.match(await bench.status("newest", "ready"), { protocol_version: "2026-07-28" });
  const { output, error } = await bench.call("mcp__newest__order", {}, { ask: () => Promise.resolve("blue") });
  t.equal(error, null);
  t.match(JSON.parse(String(output)), [{ first: { action: "accept", content: { colour: "blue" } } }, "kept"]);
});
