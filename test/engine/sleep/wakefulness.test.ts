import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import t from "tap";
import type { Follower } from "../../../src/engine/sleep/followers.ts";
import { Wakefulness, type WakefulnessParts } from "../../../src/engine/sleep/wakefulness.ts";

const SOCKET = { destroyed: false } as Socket;
const response = () => new EventEmitter() as unknown as ServerResponse;

function engine(parts: Partial<WakefulnessParts> = {}) {
  const none: Follower[] = [];
  const seen = {
    now: 1000,
    followers: none,
    sinceEvent: Infinity,
    turns: 0,
    overdue: false,
    streams: 0,
    toolCalls: 0,
    due: false,
    running: false,
    started: 0,
    closed: 0,
  };
  const wakefulness = new Wakefulness({
    turns: () => seen.turns,
    isStartOverdue: () => seen.overdue,
    streams: () => seen.streams,
    toolCalls: () => seen.toolCalls,
    learning: {
      get running() {
        return seen.running;
      },
      get isDue() {
        return seen.due;
      },
      get dueInMs() {
        return seen.due ? 60_000 : null;
      },
      runDue: () => void seen.started++,
    },
    sinceLastEventMs: () => seen.sinceEvent,
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
  t.equal(wakefulness.status().idle_ms, 1000);
  t.same(wakefulness.sleep(1001, SOCKET), ["recent_work"]);
  t.same(wakefulness.sleep(1000, SOCKET), []);
});

t.test("a learning batch that is due is started before the sleep, and keeps nothing awake until then", async (t) => {
  const { seen, wakefulness } = engine();
  seen.due = true;
  seen.turns = 1;
  t.same(wakefulness.sleep(0, SOCKET), ["turn"]);
  t.equal(seen.started, 0);
  seen.turns = 0;
  t.match(wakefulness.status(), { idle_since: /^20/, awake: [], learning_due_at: /^20/ });
  t.same(wakefulness.sleep(5000, SOCKET), ["recent_work"]);
  t.equal(seen.started, 0);
  t.same(wakefulness.sleep(0, SOCKET), ["learning"]);
  t.equal(seen.started, 1);
  seen.running = true;
  t.match(wakefulness.status(), { idle_since: /^20/, awake: ["learning"] });
  t.same(wakefulness.sleep(0, SOCKET), ["learning"]);
  t.equal(seen.started, 1);
  seen.running = false;
  seen.due = false;
  t.same(wakefulness.sleep(0, SOCKET), []);
});

t.test("an idle follower neither counts as a stream nor as a request, and is told of the sleep", async (t) => {
  const { seen, wakefulness } = engine();
  const socket = {} as Socket;
  let told = 0;
  const reading = { isIdle: false };
  const follower = {
    socket,
    get isIdle() {
      return reading.isIdle;
    },
    sleep: () => void told++,
  } satisfies Follower;
  seen.streams = 1;
  const call = response();
  wakefulness.countRequest(call);
  wakefulness.followers.add(call, follower);
  t.same(wakefulness.sleep(0, SOCKET), ["stream", "request"], "it still reads");
  reading.isIdle = true;
  t.match(wakefulness.status(), { idle_since: /^20/, awake: [] });
  wakefulness.countRequest(response());
  t.same(wakefulness.sleep(0, SOCKET), ["request"], "another call");
  t.equal(told, 0);
  const idle = engine({ stopAccepting: (_own, ending) => ending.has(socket) });
  idle.wakefulness.followers.add(response(), follower);
  t.same(idle.wakefulness.sleep(0, SOCKET), []);
  t.equal(told, 1);
});

t.test("events count as work, whatever the system's time is", async (t) => {
  const { seen, wakefulness } = engine();
  seen.now = 9000;
  seen.sinceEvent = 500;
  t.equal(wakefulness.status().idle_ms, 500);
  t.same(wakefulness.sleep(501, SOCKET), ["recent_work"]);
  const now = Date.now;
  t.teardown(() => void (Date.now = now));
  Date.now = () => now() - 3_600_000;
  t.equal(wakefulness.status().idle_ms, 500, "the system's time went back an hour");
  t.same(wakefulness.sleep(500, SOCKET), []);
});

t.test("another connection, or a daemon that is gone, keeps it awake", async (t) => {
  const { wakefulness } = engine({ stopAccepting: () => false });
  t.same(wakefulness.sleep(0, SOCKET), ["request"]);
  t.same(engine().wakefulness.sleep(0, { destroyed: true } as Socket), ["request"]);
});
