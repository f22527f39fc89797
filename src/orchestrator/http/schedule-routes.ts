import { runRequest, schedulePatch, scheduleRequest } from "../../contract/orchestrator/schedule-requests.ts";
import { changeSchedule, createSchedule, deleteSchedule } from "../operations/change-schedule.ts";
import { runSchedule } from "../operations/run-schedule.ts";
import type { EngineHost, Service } from "../host-context.ts";
import { lookUpSchedule, pageOfRuns, pageOfSchedules } from "../status/look-up-schedule.ts";
import { type Call, type Handler, pageOf, pageParameters } from "./call.ts";
import { userParameter } from "./engine-routes.ts";

const addressOf = (call: Call) => ({ userId: userParameter(call), id: call.params["schedule_id"] ?? "" });

export function scheduleRoutes(host: EngineHost & Service) {
  return {
    createSchedule: async (call) => {
      const options = { userId: userParameter(call), request: call.body(scheduleRequest) };
      return { status: 201, body: await createSchedule(host, call.product, options) };
    },
    listSchedules: (call) => {
      const page = { userId: userParameter(call), ...pageParameters(call, "sch") };
      return call.list(async () => pageOf(await pageOfSchedules(host, call.product, page), page.limit));
    },
    showSchedule: async (call) => ({ status: 200, body: await lookUpSchedule(host, call.product, addressOf(call)) }),
    changeSchedule: async (call) => {
      const options = { address: addressOf(call), patch: call.body(schedulePatch) };
      return { status: 200, body: await changeSchedule(host, call.product, options) };
    },
    deleteSchedule: async (call) => {
      await deleteSchedule(host, call.product, addressOf(call));
      return { status: 200, body: { deleted: true } };
    },
    runSchedule: async (call) => {
      call.body(runRequest);
      return { status: 202, body: await runSchedule(host, call.product, addressOf(call)) };
    },
    listRuns: (call) => {
      const { userId, id } = addressOf(call);
      const page = { userId, owner: { column: "schedule_id", id } as const, ...pageParameters(call, "run") };
      return call.list(async () => pageOf(await pageOfRuns(host, call.product, page), page.limit));
    },
  } satisfies Record<string, Handler>;
}
