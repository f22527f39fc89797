import type { EngineCalls } from "../engine-calls.ts";
import { type ProtocolHandler, sendJson } from "../protocol.ts";

/** An engine has one environment: its workspace. */
export const ENVIRONMENT_ID = "env_workspace";
const NO_PACKAGES = { type: "packages", apt: [], cargo: [], gem: [], go: [], npm: [], pip: [] };
const ENVIRONMENT = {
  id: ENVIRONMENT_ID,
  type: "environment",
  name: "workspace",
  description: "The workspace of the engine. The product's policy says what its tools reach.",
  config: { type: "cloud", networking: { type: "unrestricted" }, packages: NO_PACKAGES },
  metadata: {},
  created_at: "1970-01-01T00:00:00.000Z",
  updated_at: "1970-01-01T00:00:00.000Z",
  archived_at: null,
};

export const listEnvironments: ProtocolHandler = async ({ response }) =>
  sendJson(response, { data: [ENVIRONMENT], next_page: null });

export const showEnvironment: ProtocolHandler = async ({ request, response, calls }) => {
  requireEnvironment(calls, String(request.params["environment_id"]));
  sendJson(response, ENVIRONMENT);
};

export const createEnvironment: ProtocolHandler = async ({ calls }) => {
  const message = `an engine has one environment, ${ENVIRONMENT_ID}; creating others is not supported`;
  throw calls.error("POLICY_DENIED", message, { error_code: "environment_create_disabled" });
};

export const changeEnvironment: ProtocolHandler = async ({ request, calls }) => {
  requireEnvironment(calls, String(request.params["environment_id"]));
  const message = "changing the environment of an engine is not supported";
  throw calls.error("POLICY_DENIED", message, { error_code: "environment_update_disabled" });
};

export function requireEnvironment(calls: EngineCalls, id: string): void {
  if (id !== ENVIRONMENT_ID)
    throw calls.error("NOT_FOUND", `no environment has this id; the engine's is ${ENVIRONMENT_ID}`, {
      error_code: "environment_not_found",
    });
}
