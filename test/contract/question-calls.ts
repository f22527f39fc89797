import type { RouteName } from "../../src/contract/orchestrator/routes.ts";
import type { Route } from "../../src/contract/orchestrator/routes/route-row.ts";
import { ask } from "../helpers/api.ts";
import { until } from "../helpers/until.ts";
import type { ContractCaller } from "./contract-caller.ts";

const ALICE = { user_id: "alice" };
const UNKNOWN = "hitl-0198c1b2-7f3a-7c01-9d2e-5b6a7c8d9e0f";

/** Calls every route of open questions, for the engine of alice. `url` is the daemon's. */
export async function callQuestions(caller: ContractCaller<RouteName, Route>, url: string): Promise<void> {
  const call = caller.call.bind(caller);
  const { body: engine } = await call("rotateEngineKey", { path: ALICE, body: {}, expect: 200 });
  const headers = { "x-engine-key": engine.engine_api_key };
  const turn = new AbortController();
  const body = JSON.stringify({ task_id: "asks", message: "/ask Which one? | left | right" });
  const sent = { ...headers, "content-type": "application/json" };
  await fetch(`${url}/e/${engine.id}/execute`, { method: "POST", headers: sent, body, signal: turn.signal });
  turn.abort();
  const asked = await until("the question is listed", async () => {
    const { body: page } = await call("listQuestions", { query: "?limit=1&user_id=alice", expect: 200 });
    return page.data[0];
  });
  await call("listQuestions", { query: "?cursor=eng_1", expect: "INVALID_REQUEST" });
  await call("adminQuestions", { query: "?product_id=demo", expect: 200 });
  await call("adminQuestions", { query: "?product_id=nowhere", expect: "PRODUCT_NOT_FOUND" });
  const path = { ...ALICE, request_id: asked.request_id };
  const answer = (text: string) => ({ answer: text });
  await call("answerQuestion", { path, body: answer("up"), expect: "INVALID_REQUEST" });
  await call("answerQuestion", { path, body: {}, expect: "INVALID_REQUEST" });
  await call("answerQuestion", { path, body: answer("left"), expect: 200 });
  await call("answerQuestion", { path, body: answer("right"), expect: "QUESTION_ANSWERED" });
  await call("answerQuestion", {
    path: { ...ALICE, request_id: UNKNOWN },
    body: answer("left"),
    expect: "QUESTION_NOT_FOUND",
  });
  await call("answerQuestion", {
    path: { user_id: "nobody", request_id: UNKNOWN },
    body: answer("left"),
    expect: "ENGINE_NOT_FOUND",
  });
  await until("the turn has ended", async () => {
    const { body: events } = await ask(url, `/e/${engine.id}/health`, { headers });
    return events.active_turns === 0;
  });
}
