import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import t from "tap";
import { Wakefulness, type WakefulnessParts } from "../../../src/engine/sleep/wakefulness.ts";

const SOCKET = { destroyed: false } as Socket;
const response = () => new EventEmitter() as unknown as ServerResponse;

function engine(parts: Partial<WakefulnessParts> = {}) {
  const seen = { now: 1000, turns: 0, streams: 0, toolCalls: 0, due: false, running: false, started: 0, closed: 0 };
  const wakefulness = new Wakefulness({
    turns: () => seen.turns,
    streams: () => seen.streams,
    toolCalls: () => seen.toolCalls,
    learning: {
      get running() {
        return seen.running;
      },
      get isDue() {
        return seen.due;
      },
      runDue: () => void seen.started++,
    },
    lastEventAt: () => 0,
    stopAccepting() {
      seen.closed++;
      return true;
    },
    now: () => seen.now,
    ...parts,
  });
  return { seen, wakefulness };
}

t.test("each kind of work keeps an engine awake, and it accepts calls as before", async (t) => {
  const { seen, wakefulness } = engine();
  for (const [work, reason] of [
    ["turns", "turn"],
    ["streams", "stream"],
    ["toolCalls", "tool_call"],
  ] as const) {
    seen[work] = 1;
    t.same(wakefulness.sleep(0, SOCKET), [reason]);
    t.match(wakefulness.status(), { idle_since: null, awake: [reason] });
    seen[work] = 0;
  }
  const call = response();
  wakefulness.countRequest(call);
  t.same(wakefulness.sleep(0, SOCKET), ["request"]);
  call.emit("close");
  t.equal(seen.closed, 0);
  t.same(wakefulness.sleep(0, SOCKET), []);
  t.equal(seen.closed, 1);
  await wakefulness.asleep;
});

t.test("the last work counts from its end, and its start from the engine's", async (t) => {
  const { seen, wakefulness } = engine();
  seen.now = 5000;
  t.same(wakefulness.sleep(4001, SOCKET), ["recent_work"]);
  const call = response();
  wakefulness.noteWork(call);
  seen.now = 9000;
  call.emit("close");
  seen.now = 10_000;
  t.equal(wakefulness.status().idle_since, new Date(9000).toISOString());
  t.same(wakefulness.sleep(1001, SOCKET), ["recent_work"]);
  t.same(wakefulness.sleep(1000, SOCKET), []);
});

t.test("a learning batch that is due is started once nothing else keeps the engine awake", async (t) => {
  const { seen, wakefulness } = engine();
  seen.due = true;
  seen.turns = 1;
  t.same(wakefulness.sleep(0, SOCKET), ["turn", "learning"]);
  t.equal(seen.started, 0);
  seen.turns = 0;
  t.match(wakefulness.status(), { idle_since: /^1970/, awake: ["learning"] }, "it is idle, and may be asked to sleep");
  t.same(wakefulness.sleep(0, SOCKET), ["learning"]);
  t.equal(seen.started, 1);
  seen.running = true;
  t.match(wakefulness.status(), { idle_since: null, awake: ["learning"] });
  seen.running = false;
  seen.due = false;
  t.same(wakefulness.sleep(0, SOCKET), []);
});

t.test("another connection, or a daemon that is gone, keeps it awake", async (t) => {
  const { wakefulness } = engine({ stopAccepting: () => false });
  t.same(wakefulness.sleep(0, SOCKET), ["request"]);
  t.same(engine().wakefulness.sleep(0, { destroyed: true } as Socket), ["request"]);
});
