import t from "tap";
import { ENGINE_STATES, type EngineState } from "../../../src/contract/orchestrator/requests.ts";
import {
  isAsleep,
  isTransient,
  isRunning,
  mayMove,
  maySleep,
  mayStart,
  mayStop,
} from "../../../src/orchestrator/rules/engine-lifecycle.ts";

t.test("destroy is legal in every state, and only a failed stop leaves destroying", async (t) => {
  for (const state of ENGINE_STATES) {
    if (state !== "destroying") t.ok(mayMove(state, "destroying"), state);
    t.equal(mayMove("destroying", state), state === "stop_failed", `destroying -> ${state}`);
  }
});

t.test("every state can be left", async (t) => {
  for (const state of ENGINE_STATES)
    t.ok(
      ENGINE_STATES.some((next) => next !== state && mayMove(state, next)),
      state,
    );
});

t.test("only a running engine counts as running", async (t) => {
  t.same(ENGINE_STATES.filter(isRunning), ["running", "unhealthy"]);
  t.same(ENGINE_STATES.filter(isTransient), ["provisioning", "starting", "stopping", "destroying"]);
});

t.test("a sleeping engine without a process is asleep", async (t) => {
  t.same([isAsleep({ state: "sleeping", handle: null }), isAsleep({ state: "sleeping", handle: {} })], [true, false]);
  t.notOk(isAsleep({ state: "stopped", handle: null }));
});

t.test("start, stop and sleep return the right error code in each state", async (t) => {
  const start: Record<EngineState, string> = {
    provisioning: "OPERATION_IN_PROGRESS",
    starting: "OPERATION_IN_PROGRESS",
    running: "ENGINE_ALREADY_RUNNING",
    unhealthy: "ENGINE_ALREADY_RUNNING",
    sleeping: "go",
    backoff: "go",
    stopping: "OPERATION_IN_PROGRESS",
    stopped: "go",
    failed: "go",
    stop_failed: "OPERATION_IN_PROGRESS",
    destroying: "OPERATION_IN_PROGRESS",
  };
  const stop: Record<EngineState, string> = {
    provisioning: "OPERATION_IN_PROGRESS",
    starting: "go",
    running: "go",
    unhealthy: "go",
    sleeping: "go",
    backoff: "go",
    stopping: "OPERATION_IN_PROGRESS",
    stopped: "ENGINE_NOT_RUNNING",
    failed: "ENGINE_NOT_RUNNING",
    stop_failed: "go",
    destroying: "OPERATION_IN_PROGRESS",
  };
  const sleep: Record<EngineState, string> = {
    provisioning: "OPERATION_IN_PROGRESS",
    starting: "OPERATION_IN_PROGRESS",
    running: "go",
    unhealthy: "ENGINE_NOT_RUNNING",
    sleeping: "already",
    backoff: "ENGINE_NOT_RUNNING",
    stopping: "OPERATION_IN_PROGRESS",
    stopped: "ENGINE_NOT_RUNNING",
    failed: "ENGINE_NOT_RUNNING",
    stop_failed: "ENGINE_NOT_RUNNING",
    destroying: "OPERATION_IN_PROGRESS",
  };
  for (const state of ENGINE_STATES) {
    t.equal(maySleep(state), sleep[state], `sleep in ${state}`);
    t.equal(mayStart(state), start[state], `start in ${state}`);
    t.equal(mayStop(state), stop[state], `stop in ${state}`);
  }
});
