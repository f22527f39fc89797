import { ToolFailed } from "../tools/tool.ts";
import { type Values, fillJson, fillText } from "./fill-in.ts";
import type { HttpAction } from "./tool-file.ts";

const MAX_RESPONSE_BYTES = 1024 * 1024;
const MAX_ERROR_CHARACTERS = 2000;

/**
 * Sends the request of an HTTP tool. The catalog's author chose the host, so private addresses are allowed. Arguments
 * fill placeholders after the host, and redirects are not followed, so that secrets reach no other server.
 */
export async function callHttp(action: HttpAction, values: Values, signal: AbortSignal): Promise<string> {
  const { method = "GET", body } = action;
  const sent = body === undefined ? undefined : JSON.stringify(fillJson(body, values));
  const headers = headersOf(action, values);
  if (sent !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
  const response = await fetch(urlOf(action, values), {
    method,
    headers,
    redirect: "manual",
    signal,
    ...(sent !== undefined && { body: sent }),
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new ToolFailed(`the call failed: ${cause instanceof Error ? cause.message : String(cause)}`);
  });
  const text = await textOf(response);
  if (response.status >= 300 && response.status < 400)
    throw new ToolFailed(
      `the server redirects (${response.status}) to ${response.headers.get("location") ?? "nowhere"}`,
    );
  if (!response.ok)
    throw new ToolFailed(`HTTP ${response.status}: ${text.slice(0, MAX_ERROR_CHARACTERS).toWellFormed()}`);
  return text;
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
  if (filled !== template && ["", ".", ".."].includes(filled))
    throw new ToolFailed("an argument is not a valid path segment of the URL");
  return filled;
}

function requireGiven(text: string | null): string {
  if (text === null) throw new ToolFailed("an argument that the URL requires is missing");
  return text;
}

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

function headersOf({ headers = {} }: HttpAction, values: Values): Headers {
  const filled = new Headers();
  for (const [name, template] of Object.entries(headers)) {
    const value = fillText(template, values);
    if (value === null) continue;
    if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value))
      throw new ToolFailed(`an argument is not valid in the header ${name}`);
    filled.set(name, value);
  }
  return filled;
}

async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new ToolFailed(`the response is larger than ${MAX_RESPONSE_BYTES} bytes`);
    parts.push(part);
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}
