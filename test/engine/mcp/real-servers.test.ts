import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { real, serverBench } from "./tool-server-bench.ts";

t.test("the reference server's tools are listed, offered and called", async (t) => {
  const bench = serverBench(t);
  await bench.load({ everything: real("everything") });
  const { transport, tools, protocol_version: version } = await bench.status("everything", "ready");
  t.equal(transport, "stdio");
  t.match(version, /^20\d\d-\d\d-\d\d$/);
  t.match(
    tools.find(({ tool }) => tool === "echo"),
    { name: "mcp__everything__echo", status: "offered", permission: "ask", description: /[Ee]cho/ },
  );
  t.match(
    tools.find(({ tool }) => tool === "simulate-research-query"),
    { status: "left_out", reason: /MCP task/ },
  );
  t.same(await bench.call("mcp__everything__echo", { message: "hello" }), { output: "Echo: hello", error: null });
  t.match(await bench.call("mcp__everything__get-sum", { a: 2, b: "x" }), { output: null, error: /-32602|[Ii]nvalid/ });
  const image = await bench.call("mcp__everything__get-tiny-image");
  t.match(image, { output: /\[image of \d+ bytes, image\/png; not shown\]/, error: null });
  const weather = await bench.call("mcp__everything__get-structured-content", { location: "Chicago" });
  t.match(weather, { output: { temperature: Number, conditions: String }, error: null });
  const links = await bench.call("mcp__everything__get-resource-links", { count: 2 });
  t.match(links.output, /\[link to .* at .*\]/);
  let signs = 0;
  const long = { duration: 1, steps: 4 };
  const worked = await bench.call("mcp__everything__trigger-long-running-operation", long, { progress: () => signs++ });
  t.match(worked, { output: /completed/, error: null });
  t.ok(signs >= 3, "its progress counts as life");
});

t.test("a cancelled call ends at once, and the server keeps running", async (t) => {
  const bench = serverBench(t);
  await bench.load({ everything: real("everything") });
  await bench.status("everything", "ready");
  const cancel = new AbortController();
  const long = { duration: 120, steps: 60 };
  const running = bench.call("mcp__everything__trigger-long-running-operation", long, { signal: cancel.signal });
  setTimeout(() => cancel.abort(new Error("cancelled by a test")), 200);
  await t.rejects(running, { message: "cancelled by a test" });
  t.match(await bench.call("mcp__everything__echo", { message: "still here" }), { output: "Echo: still here" });
  t.ok(
    bench.log.some((line) => line.includes("notifications/cancelled")),
    "the server was told",
  );
});

t.test("a form of the reference server is elicited field by field", async (t) => {
  const bench = serverBench(t);
  await bench.load({ everything: real("everything") });
  await bench.status("everything", "ready");
  const questions: string[] = [];
  const { output, error } = await bench.call(
    "mcp__everything__trigger-elicitation-request",
    {},
    {
      async ask({ question, options, allowFreeText }) {
        questions.push(question);
        if (!allowFreeText) return options[0] ?? "decline";
        return options.includes("skip") ? "skip" : "Ada";
      },
    },
  );
  t.equal(error, null);
  t.ok(questions.length >= 3, `${questions.length} fields`);
  t.match(output, /Ada/);
});

t.test("the filesystem server reads and writes only in its folder", async (t) => {
  const bench = serverBench(t);
  await bench.load({ files: real("filesystem", bench.workspaceDir) });
  const { tools } = await bench.status("files", "ready");
  t.match(
    tools.find(({ tool }) => tool === "read_text_file"),
    { read_only: true },
  );
  t.match(
    tools.find(({ tool }) => tool === "write_file"),
    { read_only: false },
  );
  t.equal(bench.tool("mcp__files__read_text_file").readOnly, true);
  const path = join(bench.workspaceDir, "note.txt");
  t.match(await bench.call("mcp__files__write_file", { path, content: "kept" }), { error: null });
  t.equal(readFileSync(path, "utf8"), "kept");
  const read = await bench.call("mcp__files__read_text_file", { path });
  t.same(read, { output: "kept", error: null }, "it says so twice, and the model reads it once");
  t.match(await bench.call("mcp__files__read_text_file", { path: "/etc/hostname" }), { error: /[Aa]ccess denied/ });
});

t.test("the memory server keeps state between calls", async (t) => {
  const bench = serverBench(t);
  const env = { MEMORY_FILE_PATH: join(bench.workspaceDir, "graph.json") };
  await bench.load({ memory: { ...real("memory"), env } });
  await bench.status("memory", "ready");
  const entities = [{ name: "Ada", entityType: "person", observations: ["writes programs"] }];
  t.match(await bench.call("mcp__memory__create_entities", { entities }), { error: null });
  t.match(JSON.stringify((await bench.call("mcp__memory__search_nodes", { query: "programs" })).output), /Ada/);
  t.match(readFileSync(env.MEMORY_FILE_PATH, "utf8"), /writes programs/);
});

t.test("a reload restarts only the changed server", async (t) => {
  const bench = serverBench(t);
  const env = { MEMORY_FILE_PATH: join(bench.workspaceDir, "graph.json") };
  writeFileSync(env.MEMORY_FILE_PATH, "");
  await bench.load({ memory: { ...real("memory"), env }, files: real("filesystem", bench.workspaceDir) });
  await bench.status("memory", "ready");
  await bench.status("files", "ready");
  const before = bench.servers.tools();
  t.equal(bench.servers.tools(), before, "the same array while nothing changes");
  const kept = bench.tool("mcp__memory__read_graph");
  await bench.load({ memory: { ...real("memory"), env }, everything: real("everything") });
  t.equal(bench.tool("mcp__memory__read_graph"), kept, "the very tool");
  await bench.status("everything", "ready");
  t.notOk(bench.servers.tools().some(({ name }) => name.startsWith("mcp__files__")));
  await bench.load({});
  t.same(bench.servers.tools(), []);
  t.same(bench.servers.list(), { servers: [] });
});
