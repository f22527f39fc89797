import type { RequestHandler } from "express";
import { allowToolsRequest } from "../../contract/engine-api.ts";
import { EngineError } from "../engine-error.ts";
import type { ToolServers } from "../mcp/tool-servers.ts";
import { validateBody } from "../../shared/http/validate-body.ts";

export type Servers = Pick<ToolServers, "list" | "allow">;

/** The current state of the MCP servers. */
export const serversRoute =
  (servers: Servers): RequestHandler =>
  (_request, response) => {
    response.json(servers.list());
  };

/** Allows the definition that the person has seen; a later change is refused. */
export const allowToolsRoute =
  (servers: Servers): RequestHandler =>
  (request, response) => {
    const { server, tool, definition } = validateBody(allowToolsRequest, request.body, response);
    if ((tool === undefined) !== (definition === undefined))
      throw new EngineError("INVALID_REQUEST", "definition: expected together with tool");
    const selection = tool === undefined || definition === undefined ? "all" : { tool, hash: definition };
    const answer = servers.allow(server, selection);
    switch (answer) {
      case "allowed":
        response.json({ allowed: true });
        return;
      case "unknown":
        throw new EngineError("NOT_FOUND", "no such tool of this server is held back");
      case "changed_again":
        throw new EngineError(
          "INVALID_REQUEST",
          "definition: the tool has changed again; list the servers for its current definition",
        );
      default:
        answer satisfies never;
    }
  };
