import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import t, { type Test } from "tap";
import { ask } from "../helpers/api.ts";
import { openStream } from "../helpers/engine.ts";
import { BACKENDS, type Product, root, startBackend, startProduct, withoutPython } from "./backends.ts";

/** What both backends do, through their own interface alone. */
async function behaves(t: Test, program: readonly [string, ...string[]], product: Product, user: string) {
  const backend = await startBackend(t, program, { product });
  const headers = { "x-user": user };
  const post = (path: string, body: unknown, more = headers) =>
    ask(backend.url, path, { method: "POST", headers: more, body });
  const turn = (body: unknown) => openStream(backend.url, "/api/messages", { headers, body });

  const first = await turn({ task: "t1", message: "/say Hello" });
  t.equal(first.status, 200);
  t.match(first.headers["content-type"], "text/event-stream");
  const frames = await first.all();
  t.match(frames.at(0)?.data, { phase: "started" });
  t.equal(frames.find(({ event }) => event === "text_delta")?.data.text, "Hello");
  t.match(frames.at(-1)?.data, { phase: "completed" });
  t.equal(statSync(backend.keysFile).mode & 0o777, 0o600, "the engine's key is stored for this user alone");

  const asking = await turn({ task: "t2", message: "/ask Which? | this | that" });
  const { data: question } = await asking.first("hitl_request");
  const path = `/api/turns?task=t2&turn=${question.turn_id}&after=${question.seq - 1}`;
  asking.cut();
  const resumed = await openStream(backend.url, path, { headers });
  t.match((await resumed.first("hitl_request")).data, { request_id: question.request_id });
  const answered = await post("/api/answers", { request_id: question.request_id, answer: "that" });
  t.match(answered, { status: 200, body: { answered: true } });
  t.match((await resumed.all()).at(-1)?.data, { phase: "completed" }, "a turn goes on without its first reader");

  const endless = await turn({ task: "t3", message: "/fail silent" });
  await endless.first("thread_lifecycle");
  const busy = await post("/api/messages", { task: "t3", message: "again" });
  t.match(busy, { status: 409, body: { error: "TASK_BUSY" } });
  t.match((await post("/api/cancel", { task: "t3" })).body, { cancelled: true });
  t.match((await endless.all()).at(-1)?.data, { error: "CANCELLED" });

  const rotate = () =>
    ask(product.daemon.url, `/engines/${user}/rotate-key`, {
      method: "POST",
      headers: { "x-platform-key": product.platformKey },
    });
  await rotate();
  t.match((await (await turn({ task: "t1", message: "/say Hello" })).all()).at(-1)?.data, { phase: "completed" });
  await rotate();
  t.match(await post("/api/cancel", { task: "t1" }), { status: 200 }, "a key that is refused is dropped");

  t.equal((await post("/api/messages", { task: "t1", message: "x" }, {} as never)).status, 401);
  t.equal((await post("/api/messages", { task: "t1" })).status, 400);
  t.equal((await post("/api/messages", "nonsense")).status, 400);
  t.equal((await ask(backend.url, "/../../package.json")).status, 404);
  for (const page of ["/", "/page.js", "/chat.js", "/style.css"]) t.equal((await ask(backend.url, page)).status, 200);

  await backend.stop();
  const { keysFile } = backend;
  const known = readFileSync(keysFile, "utf8");
  const restarted = await startBackend(t, program, { product, keysFile });
  const say = (url: string) =>
    openStream(url, "/api/messages", { headers, body: { task: "t1", message: "/say Again" } });
  t.equal((await (await say(restarted.url)).all()).length > 0, true);
  t.equal(readFileSync(keysFile, "utf8"), known, "the stored key is used again");
  await restarted.stop();

  rmSync(keysFile);
  const forgetful = await startBackend(t, program, { product, keysFile });
  t.match((await (await say(forgetful.url)).all()).at(-1)?.data, { phase: "completed" }, "a lost key is replaced");
  t.not(readFileSync(keysFile, "utf8"), known);
}

t.test("the examples of a backend", async (t) => {
  const product = await startProduct(t);
  await t.test("in TypeScript", (t) => behaves(t, BACKENDS.typescript, product, "alice"));
  await t.test("in Python", { skip: withoutPython() }, (t) => behaves(t, BACKENDS.python, product, "bob"));
});

t.test("the examples in TypeScript pass the type checker", async (t) => {
  const dir = t.testdir();
  const compilerOptions = {
    module: "nodenext",
    target: "es2024",
    lib: ["es2024"],
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
    strict: true,
    noEmit: true,
    noUnusedLocals: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  };
  const files = ["typescript", "browser-chat"].map((name) => join(root, "examples", name, "server.ts"));
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const compiler = [join(root, "node_modules/typescript/bin/tsc"), "-p", dir];
  let problems = "";
  try {
    execFileSync(process.execPath, compiler, { encoding: "utf8" });
  } catch (error) {
    problems = (error as { readonly stdout: string }).stdout;
  }
  t.equal(problems, "");
});
