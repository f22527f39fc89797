import { readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import * as z from "zod/mini";
import { createToolExecutor } from "../../../src/engine/tools/execute.ts";
import { toolInput } from "../../../src/engine/tools/tool-input.ts";
import { type Tool, type ToolContext, ToolFailed } from "../../../src/engine/tools/tool.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { unlimitedDisk } from "../../helpers/command-host.ts";

const logger = createLogger("test", "silent");
const tool = (run: Tool["run"]): Tool => ({
  name: "probe",
  description: "",
  input: toolInput(z.object({ n: z.optional(z.int()) })),
  readOnly: true,
  permission: "allow",
  resources: () => [],
  run,
});
const contextOf = (t: Test, signal = new AbortController().signal) =>
  ({ workspaceDir: t.testdir({}), toolCallId: "call/1", turnId: "turn", signal }) as ToolContext;

t.test("ToolFailed reaches the model with its message, other errors do not", async (t) => {
  const execute = createToolExecutor({ timeoutMs: 10_000, disk: unlimitedDisk(), logger });
  const failing = tool(() => Promise.reject(new ToolFailed("no such file")));
  t.same(await execute(failing, {}, contextOf(t)), { output: null, error: "no such file", failure: "tool_error" });
  const broken = tool(() => Promise.reject(new Error("password is hunter2")));
  t.same(await execute(broken, {}, contextOf(t)), {
    output: null,
    error: "the tool failed unexpectedly",
    failure: "internal_error",
  });
  t.same(
    await execute(
      tool(() => Promise.resolve(undefined)),
      {},
      contextOf(t),
    ),
    { output: null, error: null, failure: null },
  );
});

t.test("a tool that ignores its signal does not hold the turn", async (t) => {
  const execute = createToolExecutor({ timeoutMs: 20, disk: unlimitedDisk(), logger });
  const deaf = tool(() => new Promise(() => undefined));
  const holder = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(holder));
  t.match(await execute(deaf, {}, contextOf(t)), { output: null, error: /TIMEOUT/ });
});

t.test("a tool's own timeout counts, and its partial output is reported", async (t) => {
  const execute = createToolExecutor({ timeoutMs: 60_000, disk: unlimitedDisk(), logger });
  const heeds = (_input: object, { signal }: ToolContext) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => setTimeout(() => reject(new ToolFailed("half of it")), 50));
    });
  const holder = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(holder));
  const ownTime = { ...tool(heeds), timeoutMs: () => 20, exitTimeoutMs: 30_000 };
  t.same(await execute(ownTime, {}, contextOf(t)), {
    output: null,
    error: "TIMEOUT: the call took longer than 0.02 s; half of it",
    failure: "timeout",
  });
  const deaf = { ...tool(() => new Promise(() => undefined)), timeoutMs: () => 20, exitTimeoutMs: 20 };
  t.match(await execute(deaf, {}, contextOf(t)), { error: "TIMEOUT: the call took longer than 0.02 s" });
});

t.test("the end of the turn ends the call, with the turn's reason", async (t) => {
  const execute = createToolExecutor({ timeoutMs: 60_000, disk: unlimitedDisk(), logger });
  const abort = new AbortController();
  const running = execute(
    tool(() => new Promise(() => undefined)),
    {},
    contextOf(t, abort.signal),
  );
  abort.abort(new Error("cancelled"));
  await t.rejects(running, { message: "cancelled" });
});

t.test("long output goes to a file, and the model sees both ends and where it is", async (t) => {
  const execute = createToolExecutor({ timeoutMs: 10_000, disk: unlimitedDisk(), logger });
  const context = contextOf(t);
  const text = `start${"x".repeat(60_000)}end`;
  const { output } = await execute(
    tool(() => Promise.resolve(text)),
    {},
    context,
  );
  const shown = String(output);
  t.ok(shown.length < 25_000);
  t.match(shown, /^start/);
  t.match(shown, /end$/);
  const path = /full text in (\S+)\]/.exec(shown)?.[1] ?? "";
  t.equal(readFileSync(join(context.workspaceDir, path), "utf8"), text);
});

t.test("input is validated before the call, with a message", async (t) => {
  const probe = tool(() => Promise.resolve(1));
  t.match(probe.input.check({ n: 1 }), { kind: "valid", input: { n: 1 } });
  t.match(probe.input.check({ n: "1" }), { kind: "invalid", message: /n: expected/ });
  t.match(probe.input.check({ n: 1, m: 2 }), { kind: "invalid", message: /unknown argument m/ });
  t.match(probe.input.check([]), { kind: "invalid", message: /expected a JSON object/ });
});
