import type { SessionRole } from "../../console/session-limits.ts";
import type { EngineErrorCode } from "../errors.ts";
import type { EngineRoute } from "../route-row.ts";
import type { Scope } from "../scopes.ts";

/** An error as every protocol's form of it is made of. */
export interface ProtocolError {
  readonly code: EngineErrorCode;
  readonly message: string;
  readonly status: number;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** A route of a protocol that others have specified. Its bodies are the protocol's, so it is no part of the OpenAPI document. */
export interface ProtocolRouteRow extends Pick<EngineRoute, "method" | "path" | "auth" | "summary"> {
  readonly auth: "engine";
  readonly role: SessionRole;
  /** What each call of the route needs. An operation of the engine's interface that the call leads to needs its own scope too. */
  readonly scope: Scope;
  /** The body is no JSON: the handler gets its bytes. */
  readonly takesBytes?: true;
}

/** A protocol that an engine speaks beside its own interface. */
export interface Protocol {
  /** The protocol's name, as its own documents write it. */
  readonly title: string;
  /** The version that is spoken. */
  readonly version: string;
  /** The body of a refused call. */
  readonly errorBody: (error: ProtocolError) => object;
  /** By names that no other protocol's routes have. */
  readonly routes: Readonly<Record<string, ProtocolRouteRow>>;
}

export const route = (
  place: `${ProtocolRouteRow["method"]} /${string}`,
  summary: string,
  scope: Scope,
  options: Pick<ProtocolRouteRow, "takesBytes"> = {},
): ProtocolRouteRow => {
  const [method, path] = place.split(" ") as [ProtocolRouteRow["method"], string];
  return { method, path, auth: "engine", role: "operator", scope, summary, ...options };
};
