import { spawn } from "node:child_process";
import type { ServerResponse } from "node:http";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import t, { type Test } from "tap";
import { engine, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";
import { until } from "../helpers/until.ts";

const program = resolve(import.meta.dirname, "../../bin/orchctl.js");
// util-linux's script(1) is what gives a program a terminal here.
const skip = existsSync("/usr/bin/script") ? false : "needs script(1)";

/** Runs orchctl on a terminal of its own; what is typed is sent when the words before it have been seen. */
async function onTerminal(
  t: Test,
  env: Readonly<Record<string, string>>,
  args: string,
  steps: readonly (readonly [string, string | (() => string)])[],
  { columns }: { readonly columns?: number } = {},
) {
  const size = columns === undefined ? "" : `stty columns ${columns}; `;
  // exec: a shell in between would die of the Ctrl-C that is meant for orchctl.
  const command = `${size}exec "${process.execPath}" "${program}" ${args}`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], { env: { ...env, TERM: "xterm" } });
  t.teardown(() => child.kill("SIGKILL"));
  let seen = "";
  let from = 0;
  child.stdout.on("data", (chunk: Buffer) => (seen += chunk.toString()));
  for (const [words, typed] of steps) {
    await until(`orchctl says ${JSON.stringify(words)} after ${JSON.stringify(seen)}`, () =>
      seen.includes(words, from),
    );
    from = seen.indexOf(words, from) + words.length;
    child.stdin.write(typeof typed === "string" ? typed : typed());
  }
  await until("orchctl ends", () => child.exitCode !== null, 20_000);
  return { code: child.exitCode, seen };
}

t.test("a secret is asked for without being shown", { skip }, async (t) => {
  const server = await startFakeServer(t);
  server.on("GET /products", { body: { data: [], next_cursor: null } });
  const { code, seen } = await onTerminal(t, orchctlFor(t, server).env, "products list", [
    ["Admin key: ", "typed-secret\r"],
  ]);
  t.equal(code, 0, seen);
  t.equal(server.calls[0]?.headers["x-admin-key"], "typed-secret");
  t.notMatch(seen, /typed-secret/);
});

t.test("destroying is asked for, and no is the answer unless it is yes", { skip }, async (t) => {
  const server = await startFakeServer(t);
  const env = { ...orchctlFor(t, server).env, ORCH_PLATFORM_KEY: "orchp_x" };
  server.on("GET /engines/alice", { body: engine() });
  server.on("DELETE /engines/alice", { body: { destroyed: true } });
  const ask = (typed: string) => onTerminal(t, env, "engines destroy alice", [["[y/N] ", typed]]);
  t.equal((await ask("\r")).code, 2);
  t.equal((await ask("\u0003")).code, 130, "Ctrl-C");
  t.equal((await ask("\u0004")).code, 2, "Ctrl-D");
  t.notOk(server.calls.some(({ method }) => method === "DELETE"));
  t.equal((await ask("yes\r")).code, 0);
  t.equal(server.calls.at(-1)?.path, "/engines/alice?keep_data=false");
});

t.test(
  "a conversation: messages, a question answered by its number, Ctrl-C for a turn, Ctrl-D for the end",
  { skip },
  async (t) => {
    const server = await startFakeServer(t);
    const env = { ...orchctlFor(t, server).env, ORCH_PLATFORM_KEY: "orchp_x", ORCH_ENGINE_KEY: "sk-orch-x" };
    server.on("GET /engines/alice", { body: engine({ url: server.url }) });
    const frame = (event: string, data: object) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    const question = {
      request_id: "hitl-1",
      kind: "question",
      question: "Which?",
      context: {},
      options: ["one", "two"],
    };
    server.on("POST /execute", ({ body: { message } }, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "x-turn-id": "turn_1" });
      if (message === "ask") response.write(frame("hitl_request", { ...question, seq: 1 }));
      else response.write(frame("text_delta", { text: "working", seq: 1 }));
      server.on("POST /hitl/respond", ({ body: { answer } }) => {
        response.end(
          frame("text_delta", { text: `you chose ${answer}`, seq: 2 }) +
            frame("thread_lifecycle", { phase: "completed", seq: 3 }),
        );
        return { body: {} };
      });
      server.on("POST /execute/cancel", () => {
        response.end(frame("error", { error: "CANCELLED", message: "cancelled", seq: 2 }));
        return { body: { cancelled: true } };
      });
    });
    const { code, seen } = await onTerminal(t, env, "chat alice", [
      ["> ", "ask\r"],
      ["answer (1-2): ", "3\r"],
      ["answer (1-2): ", "2\r"],
      ["> ", "go on\r"],
      ["working", "\u0003"],
      ["> ", "\u0003"],
    ]);
    t.equal(code, 130, "Ctrl-C where no turn runs");
    t.match(seen, /you chose two/);
    t.match(seen, /the turn failed: cancelled \(CANCELLED, user alice, http:\S+\)/);
  },
);

t.test("a conversation knows /help, /attach and /exit, and wraps text at the terminal's width", { skip }, async (t) => {
  const server = await startFakeServer(t);
  const env = { ...orchctlFor(t, server).env, ORCH_PLATFORM_KEY: "orchp_x", ORCH_ENGINE_KEY: "sk-orch-x" };
  server.on("GET /engines/alice", { body: engine({ url: server.url }) });
  const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");
  server.on("POST /execute", (_call, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "x-turn-id": "turn_1" });
    response.write(`event: text_delta\ndata: ${JSON.stringify({ text: words, seq: 1 })}\n\n`);
    response.end(`event: thread_lifecycle\ndata: {"phase":"completed","seq":2}\n\n`);
  });
  // A terminal without a size has none to wrap at.
  const { code, seen } = await onTerminal(
    t,
    env,
    "chat alice",
    [
      ["> ", "/help\r"],
      ["/exit", "/attach /nowhere\r"],
      ["cannot be attached", `/attach ${join(t.testdir({ "a.txt": "text" }), "a.txt")}\r`],
      ["next message: a.txt", "hi\r"],
      ["turn completed", "/exit\r"],
    ],
    {
      columns: 40,
    },
  );
  t.equal(code, 0, seen);
  const sent = server.calls.filter(({ path }) => path.startsWith("/execute")).map(({ body }) => body.message);
  const file = { type: "file", data: "dGV4dA==", name: "a.txt" };
  t.same(sent, [[{ type: "text", text: "hi" }, file]], "no command is sent as a message");
  // oxlint-disable-next-line no-control-regex
  const lines = seen.replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, "").split(/\r?\n/);
  const said = lines.filter((line) => /^word\d/.test(line));
  t.ok(said.length > 8, "on several lines");
  for (const line of said) t.ok(line.length <= 40 && /word\d+$/.test(line.trimEnd()), line);
});

/** An engine of alice that asks a question in each turn; `resolve` answers the open one from elsewhere. */
async function withQuestion(t: Test) {
  const server = await startFakeServer(t);
  const env = { ...orchctlFor(t, server).env, ORCH_PLATFORM_KEY: "orchp_x", ORCH_ENGINE_KEY: "sk-orch-x" };
  server.on("GET /engines/alice", { body: engine({ url: server.url }) });
  const frame = (event: string, data: object) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  const question = { request_id: "hitl-1", kind: "question", question: "Which?", context: { allow_free_text: true } };
  let resolve = () => {};
  server.on("POST /execute", (_call, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "x-turn-id": "turn_1" });
    response.write(frame("hitl_request", { ...question, options: ["one", "two"], seq: 1 }));
    resolve = () =>
      response.end(
        frame("hitl_resolved", { request_id: "hitl-1", answer: "two", seq: 2 }) +
          frame("thread_lifecycle", { phase: "completed", seq: 3 }),
      );
    server.on("POST /execute/cancel", () => {
      response.end(frame("error", { error: "CANCELLED", message: "cancelled", seq: 2 }));
      return { body: { cancelled: true } };
    });
  });
  return { server, env, resolve: () => resolve() };
}

const PROMPT = "answer (1-2): ";

t.test("--timeout closes the prompt of an open question and ends the program", { skip }, async (t) => {
  const { env } = await withQuestion(t);
  const { code, seen } = await onTerminal(t, env, "chat alice hi --timeout 1", [[PROMPT, ""]]);
  t.equal(code, 8, seen);
  t.match(seen, /\norchctl: the turn did not end within 1 s/, "on a line of its own");
});

t.test("an answer from elsewhere closes the prompt, and the next prompt echoes once", { skip }, async (t) => {
  const { env, server, resolve } = await withQuestion(t);
  const elsewhere = () => {
    resolve();
    return "";
  };
  const { code, seen } = await onTerminal(t, env, "chat alice", [
    ["> ", "hi\r"],
    [PROMPT, elsewhere],
    ["turn completed", ""],
    ["> ", "unique-words\r"],
    [PROMPT, "\u0003"],
    ["> ", "\u0004"],
  ]);
  t.equal(code, 0, seen);
  t.match(seen, /\n\S* {2}answered: two/, "the event begins on a line of its own");
  t.equal(seen.split("unique-words").length, 2, seen);
  t.same(
    server.calls
      .filter(({ path }) => path.startsWith("/execute") && path !== "/execute/cancel")
      .map(({ body }) => body.message),
    ["hi", "unique-words"],
  );
});

t.test("/help and /exit are commands at an open question", { skip }, async (t) => {
  const { env, server } = await withQuestion(t);
  const { code, seen } = await onTerminal(t, env, "chat alice", [
    ["> ", "hi\r"],
    [PROMPT, "/help\r"],
    ["/exit ", ""],
    [PROMPT, "/exit\r"],
  ]);
  t.equal(code, 0, seen);
  t.notOk(
    server.calls.some(({ path }) => path === "/hitl/respond"),
    "no command is sent as an answer",
  );
  t.same(server.calls.at(-1)?.path, "/execute/cancel");
});

t.test("two open questions are asked one after the other", { skip }, async (t) => {
  const server = await startFakeServer(t);
  const env = { ...orchctlFor(t, server).env, ORCH_PLATFORM_KEY: "orchp_x", ORCH_ENGINE_KEY: "sk-orch-x" };
  server.on("GET /engines/alice", { body: engine({ url: server.url }) });
  const frame = (event: string, data: object) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  const ask = (id: string, question: string, seq: number) =>
    frame("hitl_request", { request_id: id, kind: "question", question, options: [], context: {}, seq });
  server.on("POST /execute", (_call, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "x-turn-id": "turn_1" });
    response.write(ask("hitl-1", "First?", 1) + ask("hitl-2", "Second?", 2));
    let seq = 3;
    server.on("POST /hitl/respond", ({ body }) => {
      response.write(frame("hitl_resolved", { ...body, seq: seq++ }));
      if (seq === 5) response.end(frame("thread_lifecycle", { phase: "completed", seq }));
      return { body: { request_id: body.request_id, status: "resolved" } };
    });
  });
  const { code, seen } = await onTerminal(t, env, "chat alice hi", [
    ["answer: ", "one\r"],
    ["? Second?", ""],
    ["answer: ", "two\r"],
  ]);
  t.equal(code, 0, seen);
  t.same(
    server.calls.filter(({ path }) => path === "/hitl/respond").map(({ body }) => body),
    [
      { request_id: "hitl-1", answer: "one" },
      { request_id: "hitl-2", answer: "two" },
    ],
  );
});

t.test("a slow call shows what it waits for, and Ctrl-C ends it with 130", { skip }, async (t) => {
  const server = await startFakeServer(t);
  const env = { ...orchctlFor(t, server).env, ORCH_PLATFORM_KEY: "orchp_x" };
  server.on("POST /engines/alice/stop", () => new Promise<void>(() => undefined));
  const { code, seen } = await onTerminal(t, env, "stop alice", [
    ["stopping alice after its running turns … 2 s", "\u0003"],
  ]);
  t.equal(code, 130, seen);
});

t.test("a list fits a narrow terminal", { skip }, async (t) => {
  const server = await startFakeServer(t);
  const env = { ...orchctlFor(t, server).env, ORCH_PLATFORM_KEY: "orchp_x" };
  server.on("GET /engines", { body: { data: [engine({ user_id: "x".repeat(50) })], next_cursor: null } });
  const { seen } = await onTerminal(t, env, "ls", [], { columns: 30 });
  t.match(seen, /^USER +STATE +\S*\r?\nx{5,}… +running/m);
  for (const line of seen.split(/\r?\n/)) t.ok(line.length <= 30, line);
});

t.test("what is typed during a turn steers with Enter and queues with Alt-Enter", { skip }, async (t) => {
  const server = await startFakeServer(t);
  const env = { ...orchctlFor(t, server).env, ORCH_PLATFORM_KEY: "orchp_x", ORCH_ENGINE_KEY: "sk-orch-x" };
  server.on("GET /engines/alice", { body: engine({ url: server.url }) });
  const frame = (event: string, data: object) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  const sent: { message: string; when_busy?: string; message_id?: string }[] = [];
  let first: ServerResponse | undefined;
  let seq = 0;
  server.on("POST /execute", ({ body, headers }, response) => {
    sent.push(body);
    if (headers.accept !== "text/event-stream") {
      const isQueued = body.when_busy === "queue";
      response.writeHead(202, { "content-type": "application/json" });
      response.end(JSON.stringify({ message_id: body.message_id, position: isQueued ? 1 : 0, turn_id: null }));
      if (!isQueued) first?.write(frame("message_taken", { message_id: body.message_id, how: "steer", seq: ++seq }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", "x-turn-id": `turn_${sent.length}` });
    response.write(frame("text_delta", { text: `answer to ${body.message}`, seq: ++seq }));
    if (first === undefined) first = response;
    else response.end(frame("thread_lifecycle", { phase: "completed", seq: ++seq }));
  });
  server.on("GET /tasks/t1/inbox", () => {
    // What is printed while a line is written comes after it.
    first?.write(frame("text_delta", { text: "held back", seq: ++seq }));
    const [, , { message_id: id, message: text } = { message_id: "", message: "" }] = sent;
    return { body: { messages: [{ message_id: id, position: 1, when_busy: "queue", text, agent: "default" }] } };
  });
  const { code, seen } = await onTerminal(t, env, "chat alice --task t1", [
    ["> ", "go\r"],
    ["answer to go", "hurry\r"],
    ["the agent has your message", "later\u001b\r"],
    ["it waits as message 1", "/inbox\r"],
    ["1. later", "x\u007f"],
    ["» \u001b[3Gx", "discarded\u001b"],
    [
      "» \u001b[3Gdiscarded\u001b[1G",
      () => {
        first?.end(frame("thread_lifecycle", { phase: "completed", seq: ++seq }));
        return "";
      },
    ],
    ["answer to later", ""],
    ["> ", "\u0004"],
  ]);
  t.equal(code, 0, seen);
  const [, steered, queued, shown] = sent;
  t.match(steered, { message: "hurry", when_busy: "steer" });
  t.match(queued, { message: "later", when_busy: "queue" });
  t.same(shown, queued, "the turn of the same message is shown");
  t.equal(sent.length, 4, "a discarded line is not sent");
});
