import type { IncomingMessage } from "node:http";
import { VERSION } from "../../shared/version.ts";
import { ToolFailed } from "../tools/tool.ts";
import { secretsIn } from "../secrets/secret-references.ts";
import type { ProgramSecrets } from "../tools/command/program-secrets.ts";
import { type GuardedRequest, type Network, brokeredRequest, guardedRequest } from "../tools/web/guarded-request.ts";
import { type Values, fillJson, fillText } from "./fill-in.ts";
import type { HttpAction } from "./tool-action.ts";

const MAX_RESPONSE_BYTES = 1024 * 1024;
const MAX_ERROR_CHARACTERS = 2000;

/**
 * Sends the request of an HTTP tool to a host that the policy permits: a product writes its catalog, but an operator
 * decides what its tools reach. Arguments fill placeholders after the host, and redirects are not followed, so that
 * secrets reach no other server. `token`: the identity token of this call.
 */
export async function callHttp(
  declared: HttpAction,
  values: Values,
  {
    network,
    secrets,
    signal,
    token,
  }: {
    readonly network: Network;
    readonly secrets: ProgramSecrets;
    readonly signal: AbortSignal;
    readonly token: string | null;
  },
): Promise<string> {
  const action = withPlaceholders(declared, secrets);
  const { method = "GET", body } = action;
  const sent = body === undefined ? undefined : JSON.stringify(fillJson(body, values));
  const headers = headersOf(action, values);
  if (token !== null) headers.set("authorization", `Bearer ${token}`);
  if (sent !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
  const fail = (error: NodeJS.ErrnoException): never => {
    signal.throwIfAborted();
    if (error instanceof ToolFailed) throw error;
    // An AggregateError of several addresses has a code and no message.
    throw new ToolFailed(`the call failed: ${error.message || error.code}`);
  };
  const request = { method, headers: Object.fromEntries(headers), body: sent, network, signal };
  const response = await send(urlOf(action, values), request, action === declared ? null : secrets).catch(fail);
  const text = await textOf(response).catch(fail);
  const { statusCode: status = 0 } = response;
  if (status >= 300 && status < 400)
    throw new ToolFailed(`the server redirects (${status}) to ${response.headers.location ?? "nowhere"}`);
  if (status < 200 || status >= 300)
    throw new ToolFailed(`HTTP ${status}: ${text.slice(0, MAX_ERROR_CHARACTERS).toWellFormed()}`);
  return text;
}

/** The same action when no secret of the vault is in it. */
function withPlaceholders(action: HttpAction, secrets: ProgramSecrets): HttpAction {
  const { headers = {}, query = {} } = action;
  if (secretsIn([...Object.values(headers), ...Object.values(query)]).length === 0) return action;
  return { ...action, headers: secrets.fill(headers), query: secrets.fill(query) };
}

/** A request with secrets goes through the broker, which decides about its host. */
function send(url: URL, request: GuardedRequest, secrets: ProgramSecrets | null): Promise<IncomingMessage> {
  if (secrets === null) return guardedRequest(url, request);
  const route = secrets.route(url);
  return brokeredRequest(route.url, { ...request, headers: { ...request.headers, ...route.headers } });
}

function urlOf({ url, query = {} }: HttpAction, values: Values): URL {
  const [path = "", search = ""] = url.split("?", 2);
  const address = new URL(
    path
      .split("/")
      .map((segment) => pathSegment(segment, values))
      .join("/"),
  );
  address.search = requireGiven(fillText(search, values, encoded));
  for (const [name, template] of Object.entries(query)) {
    const value = fillText(template, values);
    if (value !== null) address.searchParams.append(name, value);
  }
  return address;
}

/** Fills one path segment; slashes and dot segments cannot change the path. */
function pathSegment(template: string, values: Values): string {
  const filled = requireGiven(fillText(template, values, encoded));
  // The URL's parser takes `%2e` for a dot.
  if (filled !== template && ["", ".", ".."].includes(filled.replaceAll(/%2e/gi, ".")))
    throw new ToolFailed("an argument is not a valid path segment of the URL");
  return filled;
}

function requireGiven(text: string | null): string {
  if (text === null) throw new ToolFailed("an argument that the URL requires is missing");
  return text;
}

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

function headersOf({ headers = {} }: HttpAction, values: Values): Headers {
  const filled = new Headers({ accept: "*/*", "user-agent": `orchd/${VERSION}` });
  for (const [name, template] of Object.entries(headers)) {
    const value = fillText(template, values);
    if (value === null) continue;
    if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value))
      throw new ToolFailed(`a value is not valid in the header ${name}: expected one line of Latin-1 characters`);
    filled.set(name, value);
  }
  return filled;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop closes the connection.
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new ToolFailed(`the response is larger than ${MAX_RESPONSE_BYTES} bytes`);
    parts.push(part);
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}
