import { isControlPath } from "../../contract/engine/control.ts";
import { ENGINE_ROUTES } from "../../contract/engine/routes.ts";

/** A call of an engine through the daemon: `/e/{engine_id}/…`. */
export interface GatewayPath {
  readonly engineId: string;
  /** The path and query for the engine. Never decoded or normalised, so that the daemon and the engine agree on it. */
  readonly target: string;
  /** Whether the engine answers only with its key. */
  readonly needsKey: boolean;
}

const PREFIX = "/e/";
const FORM = /^\/e\/(eng_[\w-]{1,64})(\/[^#]*|\?[^#]*)?$/;
/** Paths that need no key. */
const OPEN: ReadonlySet<string> = new Set(
  Object.values(ENGINE_ROUTES).flatMap(({ auth, path }) => (auth === "none" ? [path] : [])),
);

/** Whether the gateway answers: for an engine by its id, or by its user's token. */
export const isGatewayUrl = (url = ""): boolean => url.startsWith(PREFIX) || isEndUserUrl(url);

const END_USER = /^\/me(\/[^#]*|\?[^#]*)?$/;
/** A call of an end user's own engine, `/me/…`. */
export const isEndUserUrl = (url = ""): boolean => END_USER.test(url);

/** The path and query for the engine of such a call. Never decoded or normalised. */
export function endUserTarget(url = ""): string {
  const [, rest = ""] = END_USER.exec(url) ?? [];
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Null for a path without an engine, and for the engine's control API. */
export function readGatewayPath(url: string): GatewayPath | null {
  const [, engineId, rest = ""] = FORM.exec(url) ?? [];
  if (engineId === undefined) return null;
  const target = rest.startsWith("/") ? rest : `/${rest}`;
  const path = (target.split("?")[0] ?? "").toLowerCase();
  return isControlPath(path) ? null : { engineId, target, needsKey: !OPEN.has(path) };
}

/** The path at the engine of a call through the gateway. Empty for another. */
export function enginePath(url = ""): string {
  const target = isEndUserUrl(url) ? endUserTarget(url) : (readGatewayPath(url)?.target ?? "");
  return target.split("?")[0] ?? "";
}

/** The path of the engine's root, as the client of a call through the gateway knows it. */
export const engineRoot = (url = ""): string =>
  isEndUserUrl(url) ? "/me" : `${PREFIX}${readGatewayPath(url)?.engineId ?? ""}`;
