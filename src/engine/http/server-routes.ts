import type { RequestHandler } from "express";
import { allowToolsRequest } from "../../contract/engine-api.ts";
import { EngineError } from "../engine-error.ts";
import type { ToolServers } from "../mcp/tool-servers.ts";
import { validateBody } from "../../shared/http/validate-body.ts";

export type Servers = Pick<ToolServers, "list" | "allow">;

/** The tool servers as they are at this moment. */
export const serversRoute =
  (servers: Servers): RequestHandler =>
  (_request, response) => {
    response.json(servers.list());
  };

/** A person has seen what changed. What has changed again since is not what they allowed. */
export const allowToolsRoute =
  (servers: Servers): RequestHandler =>
  (request, response) => {
    const { server, tool, definition } = validateBody(allowToolsRequest, request.body, response);
    if ((tool === undefined) !== (definition === undefined))
      throw new EngineError("INVALID_REQUEST", "definition: expected beside tool, and only there");
    const wish = tool === undefined || definition === undefined ? "all" : { tool, hash: definition };
    const answer = servers.allow(server, wish);
    switch (answer) {
      case "allowed":
        response.json({ allowed: true });
        return;
      case "unknown":
        throw new EngineError("NOT_FOUND", "no such tool of this server is held back");
      case "changed_again":
        throw new EngineError("INVALID_REQUEST", "definition: the tool has changed again; look at what it is now");
      default:
        answer satisfies never;
    }
  };
