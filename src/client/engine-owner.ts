import type { ServerAsset, SkillDraftRecord } from "./records.ts";
import * as routes from "./engine-routes.ts";
import { type CallOptions, isStream } from "./http-call.ts";
import type { Calls, OptionsOf } from "./route.ts";

export type AllowToolsOptions = OptionsOf<typeof routes.allowTools>;

export interface ImportOptions extends CallOptions {
  /** The time limit of upload and import; one hour by default. */
  readonly deadlineMs?: number | undefined;
}

/** The calls that the small module for browsers leaves out. All but `createTask` need the engine's key. */
export const ownerCalls = ({ call }: Calls) => ({
  /** Creates a task before its first message. */
  createTask: (given: OptionsOf<typeof routes.createTask> = {}) => call(routes.createTask, given),

  /** Needs no key. */
  health: (given: CallOptions = {}) => call(routes.health, given),

  servers: async (given: CallOptions = {}): Promise<readonly ServerAsset[]> =>
    (await call(routes.listServers, given)).servers,

  /** Allows tools that changed since they were first seen: all of a server, or one as `servers` shows it. */
  async allowTools(given: AllowToolsOptions): Promise<void> {
    await call(routes.allowTools, given);
  },

  /** The catalog in use, and what a reload of its files would find. */
  showCatalog: (given: CallOptions = {}) => call(routes.showCatalog, given),
  reloadCatalog: (given: CallOptions = {}) => call(routes.reloadCatalog, given),
  reloadCoreSoul: (given: CallOptions = {}) => call(routes.reloadCoreSoul, given),

  /** Imports lines of `exportMemory` in one transaction. Existing records stay unchanged. */
  importMemory: (body: Blob | string | ReadableStream<Uint8Array>, given: ImportOptions = {}) =>
    call(routes.importMemory, { ...given, body, repeatable: !isStream(body) }),

  /** Runs a learning batch and waits for it. Not retried after a lost response, which would start a second one. */
  triggerLearning: (given: CallOptions = {}) => call(routes.triggerLearning, given),

  /** Skills drafted by learning. The engine uses none before it is allowed. */
  skillDrafts: async (given: CallOptions = {}): Promise<readonly SkillDraftRecord[]> =>
    (await call(routes.listSkills, given)).skills,

  decideSkill: (id: string, decision: "allow" | "refuse", given: CallOptions = {}) =>
    call(routes.decideSkill, { ...given, id, decision }),

  /** The model calls of a turn, with their tokens by part of the context. Kept for 24 hours. */
  modelRequests: (turnId: string, given: CallOptions = {}) => call(routes.listRequests, { ...given, turnId }),

  /** One request as it was sent, without secrets. */
  modelRequest: (turnId: string, number: number, given: CallOptions = {}) =>
    call(routes.showRequest, { ...given, turnId, number: String(number) }),
});
