import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import * as z from "zod/mini";
import { CONTROL_PATHS, CONTROL_TOKEN_HEADER } from "../../contract/engine/control.ts";
import type { KnowledgeVersion } from "../../contract/engine/launch.ts";
import { askEngine } from "./ask-engine.ts";
import type { ControlTarget } from "./engine-control.ts";

const TOLD_MS = 5000;
/** A file of the largest size, over a slow network. */
const SENT_MS = 120_000;

const used = z.object({ missing: z.boolean() });

/** `unsupported`: an engine of an earlier release. `missing`: it cannot read the file of the version. */
type KnowledgeOutcome =
  | { readonly kind: "told" | "missing" | "unsupported" }
  | { readonly kind: "failed"; readonly reason: string };

/** Tells an engine which version of its product's knowledge to search. */
export async function setEngineKnowledge(
  { url, token }: ControlTarget,
  { version, digest }: KnowledgeVersion,
): Promise<KnowledgeOutcome> {
  const headers = { [CONTROL_TOKEN_HEADER]: token };
  const body = { version, digest };
  const call = { url: url + CONTROL_PATHS.knowledge, method: "POST", headers, body, timeoutMs: TOLD_MS } as const;
  const answer = await askEngine(call);
  if (answer.kind === "failed") return answer;
  if (answer.status === 404) return { kind: "unsupported" };
  const told = used.safeParse(answer.body);
  if (answer.status === 200 && told.success) return { kind: told.data.missing ? "missing" : "told" };
  return { kind: "failed", reason: `the engine answered ${answer.status} to POST ${CONTROL_PATHS.knowledge}` };
}

/** Sends the file of a version to an engine that shares no folder with this host. Null, or why it has failed. */
export async function sendEngineKnowledge(
  { url, token }: ControlTarget,
  digest: string,
  file: string,
): Promise<string | null> {
  const path = CONTROL_PATHS.knowledgeFile.replace("{digest}", digest);
  const { size } = await stat(file);
  const headers = { [CONTROL_TOKEN_HEADER]: token, "content-length": size, "content-type": "application/octet-stream" };
  const call = request(url + path, { method: "PUT", headers, signal: AbortSignal.timeout(SENT_MS) });
  const answered = promisify((done: (error: Error | null, answer?: IncomingMessage) => void) => {
    call.once("response", (response) => done(null, response)).on("error", done);
  })();
  try {
    const [response] = await Promise.all([answered, pipeline(createReadStream(file), call)]);
    response?.resume();
    return response?.statusCode === 200 ? null : `the engine answered ${response?.statusCode} to PUT ${path}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
