import type { EngineRecord } from "../../src/contract/orchestrator-api.ts";
import { CliFailure } from "../exit-codes.ts";
import { enginePath, openCall, readText } from "../http.ts";
import { jsonObjectOf } from "../option-values.ts";
import { fields, safe } from "../output.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";

const DEADLINE_MS = 5000;

export const healthCommand: CommandMaker = (program, settings) => {
  program
    .command("health")
    .description("Whether the daemon, or with --engine an engine, is well")
    .option("--engine <user>", "an engine instead of the daemon")
    .addHelpText("after", example("orchctl health --engine alice"))
    .action(async ({ engine }: { engine?: string }, command) => {
      const session = sessionOf(command, settings);
      await (engine === undefined ? daemonHealth(session) : engineHealth(session, engine));
    });
};

async function daemonHealth({ client, print }: Session): Promise<void> {
  const health = await client.open<{ status: string; version: string; uptime_s: number }>("/health");
  const ready = await client.open<{ status: string }>("/ready").catch((error: unknown) => {
    if (!(error instanceof CliFailure)) throw error;
    const words = `orchd ${health.version} is up ${health.uptime_s} s, but not ready: ${error.message}`;
    throw new CliFailure(error.exit, words, error.code);
  });
  print.document(
    { ...health, ready: ready.status === "ready" },
    () => `orchd ${health.version} is ${ready.status}, up ${health.uptime_s} s`,
  );
}

async function engineHealth({ client, print }: Session, user: string): Promise<void> {
  const { url } = await client.platform<EngineRecord>(enginePath(user));
  const call = { method: "GET", path: "/health", headers: {}, deadlineMs: DEADLINE_MS, idleMs: DEADLINE_MS };
  const response = await openCall(url, call);
  const answer = await readText(response);
  const health = jsonObjectOf(answer);
  if (response.statusCode !== 200 || health === null) {
    const what = response.statusCode === 200 ? "with what is no health" : String(response.statusCode);
    throw new CliFailure("unavailable", `the engine of ${safe(user)} at ${safe(url)} answered ${what}`);
  }
  print.document(health, () => fields(Object.entries(health).flatMap(rows)));
}

/** A field as one row; what it holds itself as one row each: `model.status`. */
function rows([name, value]: readonly [string, unknown]): readonly (readonly [string, string | null])[] {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, one === null ? null : safe(one)]);
  }
  return [[name, value === null ? null : safe(value)]];
}
