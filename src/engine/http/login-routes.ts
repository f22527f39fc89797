import type { RequestHandler } from "express";
import type { EngineStatus } from "../../contract/engine/status.ts";
import { controlLoginRequest } from "../../contract/engine/tool-login.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import type { ToolServers } from "../mcp/tool-servers.ts";
import type { HumanRequests } from "../turns/human-requests.ts";

export interface LoginParts {
  readonly humanRequests: HumanRequests;
  readonly servers: Pick<ToolServers, "list" | "allow" | "loginTargets" | "signedIn">;
  readonly status: () => EngineStatus;
}

/** The daemon's calls for logins of the user at tool servers. */
export const loginRoutes = ({ humanRequests, servers, status }: LoginParts) =>
  ({
    loginTargets(_request, response) {
      response.json({ servers: servers.loginTargets() });
    },
    loginEnded(request, response) {
      const { server, outcome } = validateBody(controlLoginRequest, request.body, response);
      if (outcome === "signed_in") servers.signedIn(server);
      humanRequests.answerLogins(server, outcome);
      response.json(status());
    },
  }) satisfies Record<string, RequestHandler>;
