import type { Endpoint } from "./endpoint.ts";

/** Method and path of every route of the engine. Imports no schema: the daemon's control calls use it. */
export const ENGINE_PATHS = {
  health: { method: "GET", path: "/health" },
  execute: { method: "POST", path: "/execute" },
  replay: { method: "GET", path: "/execute/replay" },
  cancel: { method: "POST", path: "/execute/cancel" },
  respond: { method: "POST", path: "/hitl/respond" },
  pending: { method: "GET", path: "/hitl/pending" },
  searchMemory: { method: "POST", path: "/memory/knowledge/search" },
  listServers: { method: "GET", path: "/assets/servers" },
  allowTools: { method: "POST", path: "/assets/servers/allow" },
  listEpisodes: { method: "GET", path: "/memory/episodes" },
  listKnowledge: { method: "GET", path: "/memory/knowledge" },
  listSocial: { method: "GET", path: "/memory/social" },
  listWorking: { method: "GET", path: "/memory/working" },
  listTrajectories: { method: "GET", path: "/memory/trajectories" },
  exportMemory: { method: "GET", path: "/memory/export" },
  importMemory: { method: "POST", path: "/memory/import" },
  eraseMemory: { method: "DELETE", path: "/memory" },
  listSkills: { method: "GET", path: "/memory/skills" },
  decideSkill: { method: "POST", path: "/memory/skills/decide" },
  triggerLearning: { method: "POST", path: "/admin/lc/trigger" },
  reloadCatalog: { method: "POST", path: "/admin/reload-catalog" },
  reloadCoreSoul: { method: "POST", path: "/admin/reload-core-soul" },
  openapi: { method: "GET", path: "/openapi.json" },
  docs: { method: "GET", path: "/docs" },
  setKeys: { method: "POST", path: "/control/keys" },
  drain: { method: "POST", path: "/control/drain" },
  status: { method: "GET", path: "/control/status" },
} as const satisfies Record<string, Endpoint>;
export type EngineRouteName = keyof typeof ENGINE_PATHS;
