import t from "tap";
import { type LiveEngine, LiveEngines } from "../../../src/orchestrator/fleet/live-engines.ts";
import { whenAwake } from "../../../src/orchestrator/operations/when-awake.ts";
import { SerialLanes } from "../../../src/shared/serial-lanes.ts";

type WhenAwake = Parameters<typeof whenAwake<string>>;

/** A host with one running engine, whose state never changes. */
function hostOf(stopping = new AbortController().signal) {
  const live = new LiveEngines();
  live.add({ id: "eng_1", url: "http://engine", isStopping: false } as LiveEngine);
  let listeners = 0;
  const onChange = () => {
    listeners++;
    return () => listeners--;
  };
  const host = { lanes: new SerialLanes(), live, stopping, states: { onChange } } as unknown as WhenAwake[0];
  return { host, listeners: () => listeners };
}
const isReachable: WhenAwake[1] = { find: async () => ({ kind: "reachable", url: "http://engine", held: true }) };
const signal = new AbortController().signal;

// The waits of the daemon do not keep a process alive.
const alive = setInterval(() => undefined, 60_000);
t.teardown(() => clearInterval(alive));

t.test("an engine that runs and does not answer is called again, although its state does not change", async (t) => {
  const { host, listeners } = hostOf();
  let calls = 0;
  const call = async () => (++calls === 1 ? "asleep" : "answered");
  t.equal(await whenAwake(host, isReachable, { engineId: "eng_1", signal, call }), "answered");
  t.same([calls, listeners()], [2, 0]);
});

t.test("a wait goes on while the database is unavailable", async (t) => {
  const { host } = hostOf();
  let finds = 0;
  const find = async () => {
    finds++;
    throw new Error("no database");
  };
  const call = async () => (finds === 0 ? "asleep" : "answered");
  t.equal(await whenAwake(host, { find }, { engineId: "eng_1", signal, call }), "answered");
});

t.test("it ends with the daemon", async (t) => {
  const stop = new AbortController();
  const { host } = hostOf(stop.signal);
  const call = async () => {
    stop.abort();
    return "asleep" as const;
  };
  t.equal(await whenAwake(host, isReachable, { engineId: "eng_1", signal, call }), null);
});
