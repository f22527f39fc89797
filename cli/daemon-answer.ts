import type { IncomingMessage } from "node:http";
import { type About, adviceFor } from "./advice.ts";
import { CliFailure, exitOfStatus } from "./exit-codes.ts";
import { readText } from "./http.ts";
import { safe } from "./output.ts";

export const NOT_OURS = "the answer is not the daemon's; is ORCH_URL right?";

/** What a call was about, to be named when it is refused. */
export interface Target extends About {
  readonly url: string;
  /** The variable that its key came from. */
  readonly variable?: string | undefined;
}

/** Every route of one engine has its user in the path, those that make one in the body. */
export function userOf(path: string, body: unknown): string | undefined {
  if (typeof body === "object" && body !== null && "user_id" in body) return String(body.user_id);
  const [, segment] = /^\/engines\/([^/?]+)/.exec(path) ?? [];
  return segment === undefined ? undefined : decodeURIComponent(segment);
}

/** The same of the routes of one product. */
export function productOf(path: string, body: unknown): string | undefined {
  if (typeof body === "object" && body !== null && "slug" in body) return String(body.slug);
  const [, segment] = /^\/products\/([^/?]+)/.exec(path) ?? [];
  return segment === undefined ? undefined : decodeURIComponent(segment);
}

/** The answer's JSON; an error body is thrown as a {@link CliFailure}. */
export async function readAnswer(response: IncomingMessage, target: Target): Promise<unknown> {
  const { url, user, product, variable } = target;
  const answer = await readText(response);
  const { statusCode: status = 0 } = response;
  const { value, code, message } = understand(answer);
  if (status === 200 || status === 201) {
    if (typeof value === "object" && value !== null) return value;
    throw new CliFailure("unexpected", `${url}: ${NOT_OURS}`);
  }
  const id = response.headers["x-request-id"];
  const details = [
    code ?? `status ${status}`,
    user === undefined ? "" : `user ${safe(user)}`,
    product === undefined ? "" : `product ${safe(product)}`,
    variable === undefined ? "" : `key of ${variable}`,
    url,
    id === undefined ? "" : `request ${String(id)}`,
  ];
  const words = `${message} (${details.filter(Boolean).join(", ")})`;
  throw new CliFailure(exitOfStatus(status), words, code, adviceFor(code, { user, product }));
}

function understand(answer: string): { value?: unknown; code: string | null; message: string } {
  try {
    const value = JSON.parse(answer) as { error?: { code?: string; message?: string } } | null;
    return { value, code: value?.error?.code ?? null, message: value?.error?.message ?? "refused without a word" };
  } catch {
    return { code: null, message: NOT_OURS };
  }
}
