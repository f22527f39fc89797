import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { HookAnswer, ToolHookRules } from "../../../src/contract/engine/tool-hook.ts";
import type { ModelMessage, ModelProvider, ModelRequest } from "../../../src/engine/model/model-provider.ts";
import { type Store, openStore } from "../../../src/engine/store/open-store.ts";
import type { Tool } from "../../../src/engine/tools/tool.ts";
import { type Parts, calls, engineParts, says, testTool } from "../../helpers/engine-parts.ts";
import { until } from "../../helpers/until.ts";

const TASK = "task";
const byText = (left: string, right: string) => left.localeCompare(right);

/** A real store that keeps a copy of itself as it is after each write. */
function recordingStore(folder: string): { readonly store: Store; readonly copies: string[]; stop: () => void } {
  const inner = openStore(folder);
  const copies: string[] = [];
  let on = true;
  const wrote = () => {
    if (!on || inner.db.isTransaction) return;
    const copy = join(folder, `copy-${copies.length}.db`);
    inner.db.exec(`vacuum into '${copy}'`);
    copies.push(copy);
  };
  const db = new Proxy(inner.db, {
    get(target, name) {
      if (name !== "prepare") {
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      }
      return (sql: string) => {
        const statement = target.prepare(sql);
        if (!/^\s*(insert|update|delete)/i.test(sql)) return statement;
        return new Proxy(statement, {
          get: (inside, method) => {
            const member = Reflect.get(inside, method) as (...values: unknown[]) => unknown;
            return (...values: unknown[]) => {
              const result = member.apply(inside, values);
              wrote();
              return result;
            };
          },
        });
      };
    },
  });
  const transaction: Store["transaction"] = (work, how) => {
    const result = inner.transaction(work, how);
    wrote();
    return result;
  };
  return { store: { ...inner, db, transaction, close: () => inner.close() }, copies, stop: () => (on = false) };
}

/** Which calls began to run, and after how many writes. */
type Run = { readonly id: string; readonly readOnly: boolean; readonly at: number; readonly n: unknown };

const answersSoFar = (messages: readonly ModelMessage[]) => messages.filter(({ role }) => role === "assistant").length;

/** Decides from the conversation alone, as a model does, and gives the same ids again and again, as some servers do. */
function model(requests: ModelRequest[]): ModelProvider {
  const script = [
    calls(["call_0", "look", { n: 1 }], ["call_1", "change", { n: 1 }], ["call_2", "permitted", { n: 1 }]),
    calls(["call_0", "permitted", { n: 2 }], ["call_1", "ask", {}], ["call_2", "nothing_like_it", {}]),
    calls(["call_0", "change", { n: 2 }], ["call_1", "change", "{broken"], ["call_2", "look", { n: 2 }]),
    says("all done"),
  ];
  return {
    name: "scripted",
    async *stream(request, signal) {
      requests.push(request);
      for (const part of script[answersSoFar(request.messages)]?.() ?? says("beyond the end")()) {
        await new Promise(setImmediate);
        yield signal.aborted ? { kind: "failed", failure: { kind: "aborted" }, usage: null } : part;
        if (signal.aborted) break;
      }
    },
  };
}

function tools(ran: Run[], writes: () => number): Tool[] {
  const tool = (name: string, more: Partial<Tool>) =>
    testTool(
      name,
      async (input, context) => {
        ran.push({
          id: context.toolCallId,
          readOnly: more.readOnly ?? true,
          at: writes(),
          n: more.readOnly === false && input["n"],
        });
        await new Promise(setImmediate);
        return more.asksHuman
          ? context.ask({ question: "Well?", options: ["yes"], allowFreeText: false })
          : `${name} done`;
      },
      more,
    );
  return [
    tool("look", {}),
    tool("change", { readOnly: false, resources: () => ["shared"] }),
    tool("permitted", { readOnly: false, permission: "ask" }),
    tool("ask", { asksHuman: true }),
  ];
}

const HOOK: ToolHookRules = { tools: ["change", "permitted"], timeout_ms: 5000, on_error: "deny" };

/** Answers whatever is asked, until the turn is over. The product raises the numbers of the first calls by ten. */
async function answering(parts: Parts, over: () => boolean): Promise<void> {
  await until("the turn is over", () => {
    for (const { turn_id: turnId, tool_call_id: toolCallId, attempt, input } of parts.toolHook.waiting(0)) {
      const changed: HookAnswer = { verdict: "change", input: { n: Number(input["n"]) + 10 } };
      parts.toolHook.answer({ turnId, toolCallId, attempt }, input["n"] === 1 ? changed : { verdict: "allow" });
    }
    for (const { request_id: id, options } of parts.humanRequests.pending())
      parts.humanRequests.answer(id, options.includes("allow_once") ? "allow_once" : "yes");
    return over();
  });
}

function pairingFault({ messages }: ModelRequest): string | null {
  const seen = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const asked =
      before?.role === "assistant" ? before.content.flatMap((part) => (part.kind === "tool_use" ? part.id : [])) : [];
    const given = message.role === "tool" ? message.results.map(({ id }) => id) : [];
    if (asked.join() !== given.join()) return `${asked.join()} answered by ${given.join()}`;
    if (asked.some((id) => seen.has(id))) return `an id twice: ${asked.join()}`;
    for (const id of asked) seen.add(id);
  }
  return null;
}

function eventFault(events: readonly { event: string; data: Record<string, unknown> }[]): string | null {
  let open: unknown = null;
  let last = -1;
  const told: unknown[] = [];
  const given: unknown[] = [];
  for (const { event, data } of events) {
    if (event === "content_block_start") {
      if (open !== null || Number(data["block_index"]) <= last) return `block ${String(data["block_index"])} begins`;
      open = data["block_index"];
      last = Number(open);
    } else if (event === "content_block_stop") {
      if (data["block_index"] !== open) return `block ${String(data["block_index"])} ends`;
      open = null;
    } else if (event === "tool_call") told.push(data["tool_call_id"]);
    else if (event === "tool_result") given.push(data["tool_call_id"]);
  }
  if (new Set(told).size !== told.length) return `ids told twice: ${told.join()}`;
  if (told.map(String).sort(byText).join() !== given.map(String).sort(byText).join())
    return `calls ${told.join()} have results ${given.join()}`;
  const ends = events.filter(({ event, data }) => event === "thread_lifecycle" && data["phase"] !== "started");
  return ends.length === 1 && events.at(-1)?.data["phase"] === "completed" ? null : "it does not end once, and well";
}

t.test("a turn interrupted at any point resumes to its end, with complete pairs and nothing run twice", async (t) => {
  const folder = t.testdir();
  const recording = recordingStore(folder);
  const ran: Run[] = [];
  const first = engineParts(t, {
    store: recording.store,
    dataDir: folder,
    hook: HOOK,
    provider: model([]),
    tools: tools(ran, () => recording.copies.length),
  });
  let over = false;
  const whole = first.turn(TASK, "go").finally(() => (over = true));
  await answering(first, () => over);
  const events = await whole;
  recording.stop();
  t.equal(eventFault(events), null);
  t.equal(ran.length, 7);
  t.ok(recording.copies.length > 25, `${recording.copies.length} writes`);

  for (const [at, copy] of recording.copies.entries()) {
    const dataDir = join(folder, `cut-${at}`);
    mkdirSync(dataDir, { recursive: true });
    copyFileSync(copy, join(dataDir, "engine.db"));
    const requests: ModelRequest[] = [];
    const again: Run[] = [];
    const parts = engineParts(t, { hook: HOOK, dataDir, provider: model(requests), tools: tools(again, () => 0) });
    const turnId = String(events[0]?.data["turn_id"]);
    const row = () => parts.store.db.prepare("select state from turns where turn_id = ?").get(turnId);
    if (row() === undefined) continue;
    parts.runner.recover();
    await answering(parts, () => row()?.["state"] !== "running");
    const fault =
      requests.map(pairingFault).find((found) => found !== null) ??
      eventFault(parts.events(turnId)) ??
      // A call that ran between this write and the next may have been done by the one who was killed.
      twice([...ran.filter((run) => run.at <= at + 1), ...again]);
    if (fault !== null) t.fail(`cut after write ${at}: ${fault}`);
    t.equal(parts.slots.size, 0);
    if (again.some(({ n }) => n === 1)) t.fail(`cut after write ${at}: a changed input was lost`);
  }
});

function twice(runs: readonly Run[]): string | null {
  const changes = runs.filter(({ readOnly }) => !readOnly).map(({ id }) => id);
  const again = changes.find((id, index) => changes.indexOf(id) !== index);
  return again === undefined ? null : `${again} ran twice`;
}
