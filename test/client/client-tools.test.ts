import t from "tap";
import { toolDefinitions } from "../../src/client/client-tools.ts";
import { createEngineClient } from "../../src/client/engine-client.ts";
import { startEngine } from "../helpers/engine.ts";
import { until } from "../helpers/until.ts";
import { QUICK, cuttingFetch, readAll } from "./wire.ts";

const results = (events: Awaited<ReturnType<typeof readAll>>["events"]) =>
  events.flatMap((event) => (event.event === "tool_result" ? [event.data] : []));
const add = {
  description: "Adds",
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  outputSchema: { type: "number" },
  run: ({ a, b }: Readonly<Record<string, unknown>>): unknown => Number(a) + Number(b),
};

t.test("only tools with a description are sent: the catalog has the others", async (t) => {
  t.equal(toolDefinitions({ declared: { run: () => 1 } }), undefined);
  t.same(toolDefinitions({ declared: { run: () => 1 }, look: { description: "Looks", run: () => 1 } }), [
    { name: "look", description: "Looks", input_schema: { type: "object" } },
  ]);
});

t.test("a client runs the tools of a turn", async (t) => {
  const engine = await startEngine(t);
  const clientOf = (cuts: readonly number[] = []) =>
    createEngineClient({ url: engine.url, key: engine.key, limits: QUICK, fetch: cuttingFetch(cuts) });
  const client = clientOf();

  await t.test("also of a message that was sent without reading its turn", async (t) => {
    const message = '/tool add {"a":1,"b":2}';
    const sent = await client.send({ taskId: "sent", message, whenBusy: "queue", clientTools: { add } });
    t.type(sent.turn_id, "string");
    const { events } = await readAll(
      client.resume({ taskId: "sent", turnId: sent.turn_id ?? "", clientTools: { add } }),
    );
    t.match(results(events), [{ output: 3, error: null }]);
  });

  await t.test("each call once, with its output, and what it throws as its error", async (t) => {
    const seen: string[] = [];
    const fails = {
      description: "Fails",
      run(_input: unknown, { toolCallId }: { readonly toolCallId: string }): unknown {
        seen.push(toolCallId);
        throw new Error("no printer");
      },
    };
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const turn = client.execute({
      taskId: "both",
      message: '/tool add {"a":1,"b":2}\n/tool fails {}\n/tool nothing {}\n/tool odd {}\n/say done',
      clientTools: {
        add,
        fails,
        nothing: { description: "Returns nothing", run: () => undefined },
        odd: { description: "Returns what is no JSON", run: () => circle },
      },
    });
    const { events, error } = await readAll(turn);
    t.equal(error, null);
    const byTool = Object.fromEntries(results(events).map((data) => [data.tool, data]));
    t.match(byTool, {
      add: { output: 3, error: null },
      fails: { output: null, error: "no printer" },
      nothing: { output: null, error: null },
      odd: { error: /circular/ },
    });
    t.equal(seen.length, 1);
    t.equal(byTool["fails"]?.tool_call_id, seen[0]);
  });

  await t.test("an output that the schema refuses is an error of the tool, and the turn goes on", async (t) => {
    const wrong = { ...add, run: () => "three" };
    const turn = client.execute({
      taskId: "wrong",
      message: '/tool add {"a":1,"b":2}\n/say on',
      clientTools: { add: wrong },
    });
    const { events } = await readAll(turn);
    t.match(results(events), [{ output: null, error: /the client's output was refused: output: / }]);
    t.match(await turn.text(), /on/);
  });

  await t.test("a stream that is cut anywhere runs no call twice", async (t) => {
    for (const bytes of [900, 1000, 1100, 1200, 1300, 1400]) {
      let runs = 0;
      const counted = { ...add, run: (input: Readonly<Record<string, unknown>>) => (runs++, add.run(input)) };
      const turn = clientOf([bytes, bytes / 2, 200]).execute({
        taskId: `cut-${bytes}`,
        message: '/say before\n/tool add {"a":1,"b":2}\n/say after',
        clientTools: { add: counted },
      });
      const { events, error } = await readAll(turn);
      t.equal(error, null);
      t.match(results(events), [{ output: 3 }]);
      t.equal(runs, 1, `cut after ${bytes} bytes`);
    }
  });

  await t.test("a program that restarts answers what was open, also behind the event it has read", async (t) => {
    const message = '/tool add {"a":1,"b":2}\n/tool add {"a":3,"b":4}\n/say done';
    const first = client.execute({
      taskId: "left",
      message,
      clientTools: { add: { ...add, run: () => new Promise(() => undefined) } },
    });
    let last = 0;
    let open = 0;
    for await (const event of first) {
      if ("seq" in event.data) last = Number(event.data.seq);
      if (event.event === "tool_call" && ++open === 2) break;
    }
    const pending = await client.pendingTools();
    t.match(pending, [{ tool: "add", input: { a: 1, b: 2 } }, { tool: "add" }]);
    const turn = client.resume({
      taskId: "left",
      turnId: first.turnId ?? "",
      after: last,
      clientTools: { add: { run: add.run } },
    });
    const { events } = await readAll(turn);
    t.same(new Set(results(events).map(({ output }) => output)), new Set([3, 7]));
  });

  await t.test("a call that another client answers is aborted", async (t) => {
    let signal: AbortSignal | undefined;
    const waits = {
      ...add,
      run: (_input: unknown, call: { readonly signal: AbortSignal }) => {
        signal = call.signal;
        return new Promise((resolve) => call.signal.addEventListener("abort", () => resolve(0), { once: true }));
      },
    };
    const turn = client.execute({
      taskId: "other",
      message: '/tool add {"a":1,"b":2}\n/say done',
      clientTools: { add: waits },
    });
    const all = readAll(turn);
    await until("the call runs", () => signal !== undefined);
    const [call] = await client.pendingTools();
    await client.respondTool(call?.tool_call_id ?? "", { output: 12 });
    await client.respondTool(call?.tool_call_id ?? "", { output: 12 });
    const { events, error } = await all;
    t.equal(error, null);
    t.match(results(events), [{ output: 12 }]);
    t.ok(signal?.aborted);
    await t.rejects(client.respondTool(call?.tool_call_id ?? "", { error: "late" }), { code: "TOOL_ALREADY_ANSWERED" });
  });
});
