import * as z from "zod/mini";
import type { HostContext } from "../host-context.ts";
import type { LoginChecks, TokenSource, Tokens } from "../identity/tool-login.ts";
import type { ConnectionKey } from "../store/connections.ts";

/** What is sealed of a connection. It names its row: what was sealed for one is worth nothing in another. */
export interface SealedTokens extends TokenSource {
  readonly engineId: string;
  readonly name: string;
  readonly accessToken: string;
  readonly refreshToken: string | null;
}

/** What must be known of a login when the browser comes back. */
export interface LoginFlow extends TokenSource {
  readonly checks: LoginChecks;
  readonly scopes: readonly string[];
}

const FLOW = "login flow ";
const TOKENS = "login tokens ";
const record = z.looseObject({});

type Box = Pick<HostContext, "box">;

export const sealFlow = ({ box }: Box, flow: LoginFlow): Buffer => box.seal(FLOW + JSON.stringify(flow));

export const openFlow = (host: Box, sealed: Buffer): LoginFlow => opened(host, FLOW, sealed) as unknown as LoginFlow;

export const sealTokens = (
  { box }: Box,
  { engineId, server: name }: ConnectionKey,
  { server, client, resource, accessToken, refreshToken }: TokenSource & Pick<Tokens, "accessToken" | "refreshToken">,
): Buffer => box.seal(TOKENS + JSON.stringify({ engineId, name, server, client, resource, accessToken, refreshToken }));

/** Throws when they are of another row. */
export function openTokens(host: Box, { engineId, server }: ConnectionKey, sealed: Buffer): SealedTokens {
  const tokens = opened(host, TOKENS, sealed) as unknown as SealedTokens;
  if (tokens.engineId !== engineId || tokens.name !== server) throw new Error("these tokens are of another connection");
  return tokens;
}

/** Texts of other kinds are sealed with the same key. */
function opened({ box }: Box, kind: string, sealed: Buffer): Readonly<Record<string, unknown>> {
  const text = box.open(sealed);
  if (!text.startsWith(kind)) throw new Error(`expected sealed ${kind.trim()}`);
  return z.parse(record, JSON.parse(text.slice(kind.length)));
}
