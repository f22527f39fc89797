import type { RequestHandler } from "express";
import type { CatalogReloaded, CatalogShown, CoreSoulReloaded } from "../../contract/engine/catalog.ts";
import { allowToolsRequest, decideSkillRequest } from "../../contract/engine/requests.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import { EngineError } from "../engine-error.ts";
import type { Learning } from "../learning/learning.ts";
import type { SkillReview } from "../learning/skill-review.ts";
import type { ToolServers } from "../mcp/tool-servers.ts";
import { type Reloaded, refusal } from "./reload-refusal.ts";

export interface AdminParts {
  /** Reloads without a restart. */
  readonly catalog: {
    reload(): Promise<Reloaded<CatalogReloaded>>;
    reloadSoul(): Promise<Reloaded<CoreSoulReloaded>>;
    inspect(): Promise<CatalogShown>;
  };
  readonly servers: Pick<ToolServers, "list" | "allow" | "loginTargets" | "signedIn">;
  readonly learning: Pick<Learning, "trigger">;
  readonly skills: Pick<SkillReview, "list" | "decide">;
}

/** The calls that manage an engine's catalog, tool servers, learning and skills. */
export const adminRoutes = ({ catalog, servers, learning, skills }: AdminParts) =>
  ({
    async reloadCatalog(_request, response) {
      const outcome = await catalog.reload();
      if (outcome.kind === "refused")
        throw refusal("CATALOG_INVALID", "the previous catalog stays active", outcome.problems);
      response.json(outcome.answer);
    },
    async reloadCoreSoul(_request, response) {
      const outcome = await catalog.reloadSoul();
      if (outcome.kind === "refused")
        throw refusal("CORE_SOUL_INVALID", "the previous core soul stays active", outcome.problems);
      response.json(outcome.answer);
    },
    async showCatalog(_request, response) {
      response.json(await catalog.inspect());
    },
    listServers: (_request, response) => response.json(servers.list()),
    /** Allows the definition that the person has seen; a later change is refused. */
    allowTools(request, response) {
      const { server, tool, definition } = validateBody(allowToolsRequest, request.body, response);
      if ((tool === undefined) !== (definition === undefined))
        throw new EngineError("INVALID_REQUEST", "definition: expected together with tool");
      const selection = tool === undefined || definition === undefined ? "all" : { tool, hash: definition };
      const answer = servers.allow(server, selection);
      if (answer === "unknown") throw new EngineError("NOT_FOUND", "no such tool of this server is held back");
      if (answer === "changed_again")
        throw new EngineError(
          "INVALID_REQUEST",
          "definition: the tool has changed again; list the servers for its current definition",
        );
      response.json({ allowed: true });
    },
    async triggerLearning(_request, response) {
      response.json(await learning.trigger());
    },
    listSkills: (_request, response) => response.json({ skills: skills.list() }),
    async decideSkill(request, response) {
      const { id, decision } = validateBody(decideSkillRequest, request.body, response);
      response.json(await skills.decide(id, decision));
    },
  }) satisfies Record<string, RequestHandler>;
