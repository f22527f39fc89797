import {
  ENGINE_STATES,
  provisionRequest,
  rotateKeyRequest,
  sleepRequest,
  startRequest,
  stopRequest,
  userId,
} from "../../contract/orchestrator/requests.ts";
import { WAIT_TIMEOUT_S } from "../../contract/orchestrator/routes/engine.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { admitEngine } from "../operations/admit-engine.ts";
import type { AutoProvision } from "../operations/auto-provision.ts";
import { destroyEngine } from "../operations/destroy-engine.ts";
import { lookUpEngine, pageOfEngines, waitForEngine } from "../status/look-up-engine.ts";
import type { EngineHost, Service } from "../host-context.ts";
import { provisionEngine } from "../operations/provision-engine.ts";
import { rotateEngineKey } from "../operations/rotate-engine-key.ts";
import { putEngineToSleep } from "../operations/sleep-engine.ts";
import { startEngine } from "../operations/start-engine.ts";
import { stopEngine } from "../operations/stop-engine.ts";
import { choiceParameter, flagParameter, integerParameter } from "../../shared/http/parameters.ts";
import { type Answer, type Call, type Handler, pageOf, pageParameters } from "./call.ts";

export function engineRoutes(host: EngineHost & Service, autoProvision: AutoProvision) {
  return {
    provisionEngine: async (call) => {
      const { record, apiKey } = await provisionEngine(host, call.product, call.body(provisionRequest));
      return withKey(201, record, apiKey);
    },
    admitEngine: async (call) => {
      const { product, chargeRest } = call;
      const { record, apiKey } = await admitEngine(host, product, call.body(provisionRequest), chargeRest);
      return withKey(apiKey === null ? 200 : 201, record, apiKey);
    },
    listEngines: (call) => {
      const page = pageParameters(call, "eng");
      const state = choiceParameter(call, "state", ENGINE_STATES);
      return call.list(async () => pageOf(await pageOfEngines(host, call.product, { ...page, state }), page.limit));
    },
    showEngine: async (call) => {
      const user = userParameter(call);
      if (!flagParameter(call, "auto_provision")) {
        return { status: 200, body: await lookUpEngine(host, call.product, user) };
      }
      const { record, apiKey } = await autoProvision.lookUp(call.product, { user_id: user });
      return apiKey === null ? { status: 200, body: record } : withKey(201, record, apiKey);
    },
    destroyEngine: async (call) => {
      const options = { userId: userParameter(call), keepData: flagParameter(call, "keep_data") };
      await destroyEngine(host, call.product, options);
      return { status: 200, body: { destroyed: true } };
    },
    startEngine: async (call) => {
      call.body(startRequest);
      return { status: 200, body: await startEngine(host, call.product, userParameter(call)) };
    },
    sleepEngine: async (call) => {
      call.body(sleepRequest);
      return { status: 200, body: await putEngineToSleep(host, call.product, userParameter(call)) };
    },
    stopEngine: async (call) => {
      const { drain_s: drainS, force } = call.body(stopRequest);
      const { record, result } = await stopEngine(host, call.product, {
        userId: userParameter(call),
        options: { drainS, force },
      });
      return { status: 200, body: { ...record, stop_result: result } };
    },
    rotateEngineKey: async (call) => {
      const { grace_s: graceS = 0 } = call.body(rotateKeyRequest);
      const rotated = await rotateEngineKey(host, call.product, { userId: userParameter(call), graceS });
      const expires = { previous_key_expires_at: rotated.previousExpiresAt.toISOString() };
      return withKey(200, { ...rotated.record, ...expires }, rotated.apiKey);
    },
    waitForEngine: async (call) => {
      const record = await waitForEngine(host, call.product, {
        userId: userParameter(call),
        state: choiceParameter(call, "state", ENGINE_STATES) ?? "running",
        timeoutS: integerParameter(call, "timeout_s", WAIT_TIMEOUT_S),
        signal: call.clientGone,
      });
      return { status: 200, body: record };
    },
  } satisfies Record<string, Handler>;
}

export function userParameter(call: Call): string {
  const user = call.params["user_id"] ?? "";
  const checked = userId.safeParse(user);
  if (!checked.success) throw new InvalidInput("user_id", checked.error.issues[0]?.message ?? "invalid");
  return user;
}

const withKey = (status: number, record: object, apiKey: string | null): Answer => ({
  status,
  body: { ...record, engine_api_key: apiKey },
  secret: apiKey !== null,
});
