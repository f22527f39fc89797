import t from "tap";
import { ENGINE_STATES, type EngineState } from "../../../src/contract/orchestrator/requests.ts";
import { type Adoption, type Observed, judgeAdoption } from "../../../src/orchestrator/rules/adoption.ts";

const SEEN: readonly Observed[] = [
  "answers",
  "draining",
  "estranged",
  "silent",
  "displaced",
  "gone",
  "rebooted",
  "unknown",
];

/** The adoption for each observation, in the order of `SEEN`. */
const RUNNING: readonly Adoption[] = [
  "adopt",
  "finish_drain",
  "finish_drain",
  "adopt_silent",
  "as_crashed",
  "as_crashed",
  "start_again",
  "ask_again",
];
const STARTING: readonly Adoption[] = [
  "adopt",
  "finish_drain",
  "finish_drain",
  "retry_start",
  "as_crashed",
  "retry_start",
  "start_again",
  "ask_again",
];
const always = (adoption: Adoption): readonly Adoption[] => SEEN.map(() => adoption);
const EXPECTED: Readonly<Record<EngineState, readonly Adoption[]>> = {
  provisioning: always("undo"),
  starting: STARTING,
  running: RUNNING,
  unhealthy: RUNNING,
  sleeping: [
    "adopt",
    "finish_sleep",
    "finish_sleep",
    "finish_sleep",
    "finish_sleep",
    "finish_sleep",
    "finish_sleep",
    "ask_again",
  ],
  backoff: SEEN.map((seen) => (seen === "unknown" ? "ask_again" : "start_when_due")),
  stopping: always("finish_stop"),
  stopped: always("none"),
  failed: always("none"),
  stop_failed: always("none"),
  destroying: always("finish_destroy"),
};

t.test("the adoption of an engine follows from its state and its observed process", async (t) => {
  for (const state of ENGINE_STATES) {
    const judged = SEEN.map((observed) => judgeAdoption({ state, provisioned: true, observed }));
    t.same(judged, EXPECTED[state], state);
  }
});

t.test("a provision whose caller never got the key is undone, even when its engine has come up", async (t) => {
  for (const observed of SEEN)
    t.equal(judgeAdoption({ state: "starting", provisioned: false, observed }), "undo", observed);
});
