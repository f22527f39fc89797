import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { startEngine } from "../../helpers/engine.ts";
import { calls, engineParts, says, scriptedProvider } from "../../helpers/engine-parts.ts";
import { until } from "../../helpers/until.ts";

/** Processes of this machine with such words among their arguments. */
const processesWith = (word: string) =>
  readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      return false; // It has ended meanwhile.
    }
  });

t.test("a cancelled turn's commands and their descendants are gone before its last event", async (t) => {
  const engine = await startEngine(t);
  const seconds = `${process.pid}.4711`;
  const command = `touch begun; (sleep ${seconds} & setsid sleep ${seconds} & wait) & sleep ${seconds}`;
  const body = { task_id: "tree", message: `/tool run_command ${JSON.stringify({ command })}` };
  const stream = await engine.execute(body);
  const { data } = await stream.first("hitl_request");
  await engine.call("/hitl/respond", { body: { request_id: data.request_id, answer: "allow_once" } });
  await until("the command runs", () => existsSync(join(engine.dataDir, "workspace/begun")));
  await until("with its children", () => processesWith(seconds).length >= 3);
  t.match(await engine.call("/execute/cancel", { body: { task_id: "tree" } }), { body: { cancelled: true } });
  const frames = await stream.all();
  t.strictSame(processesWith(seconds), []);
  t.match(frames.at(-1), { event: "error", data: { error: "CANCELLED" } });
  t.equal(frames.filter(({ event }) => event === "tool_result").length, 1);
});

t.test("text and tool results before a cancel stay in the conversation", async (t) => {
  const talking = async function* (_request: unknown, signal: AbortSignal) {
    yield* calls(["a", "none", {}])().slice(0, -1);
    yield { kind: "block_start", block: "text" } as const;
    yield { kind: "text", text: "half a sent" } as const;
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    yield { kind: "failed", failure: { kind: "aborted" }, usage: null } as const;
  };
  const provider = scriptedProvider(talking, says("as I said"));
  const parts = engineParts(t, { provider });
  const over = parts.turn("half");
  await until("it speaks", () => parts.journal.read({ taskId: "half", types: ["text_delta"], limit: 1 }).length > 0);
  t.ok(parts.runner.cancel("half"));
  await over;
  await parts.turn("half", "go on");
  t.match(provider.requests[1]?.messages, [
    { role: "user", text: "go" },
    { role: "assistant", content: [{ kind: "tool_use" }, { kind: "text", text: "half a sent" }] },
    { role: "tool", results: [{ isError: true }] },
    { role: "user", text: "go on" },
  ]);
});
