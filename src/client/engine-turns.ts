import type { ModelRequestRecord, ModelRequests, TurnPage, TurnRecord } from "../contract/turn-records.ts";
import { queryOf } from "./address.ts";
import type { ListOptions } from "./engine-memory.ts";
import { type CallOptions, type Service, callJson } from "./http-call.ts";

export interface ListTurnsOptions extends ListOptions {
  readonly taskId?: string | undefined;
}

/** The calls that read an engine's turns and their requests to models. */
export function turnCalls(service: Service) {
  const get = <T>(path: string, { signal }: CallOptions) => callJson<T>(service, { method: "GET", path, signal });
  const pathOf = (turnId: string) => `/turns/${encodeURIComponent(turnId)}`;

  return {
    /** One page of turns, the newest first. */
    listTurns: ({ taskId, limit, cursor, ...call }: ListTurnsOptions = {}) =>
      get<TurnPage>(`/turns${queryOf({ task_id: taskId, limit, cursor })}`, call),

    turn: (turnId: string, call: CallOptions = {}) => get<TurnRecord>(pathOf(turnId), call),

    /** The model calls of a turn, with their tokens by part of the context. Kept for 24 hours. */
    modelRequests: (turnId: string, call: CallOptions = {}) => get<ModelRequests>(`${pathOf(turnId)}/requests`, call),

    /** One request as it was sent, without secrets. */
    modelRequest: (turnId: string, number: number, call: CallOptions = {}) =>
      get<ModelRequestRecord>(`${pathOf(turnId)}/requests/${number}`, call),
  };
}
