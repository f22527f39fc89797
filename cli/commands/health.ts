import { createHealthClient } from "../../src/client/health-client.ts";
import type { HostReadiness } from "../../src/client/records.ts";
import { toCliFailure } from "../client-failure.ts";
import { CliFailure } from "../exit-codes.ts";
import { nodeFetch } from "../node-fetch.ts";
import { safe } from "../output.ts";
import { fields } from "../table.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";

const DEADLINE_MS = 5000;

export const healthCommand: CommandMaker = (program, settings) => {
  program
    .command("health")
    .description("Show the health of the daemon, or with --engine of an engine")
    .option("--engine <user>", "an engine instead of the daemon")
    .addHelpText("after", example("orchctl health --engine alice"))
    .action(async ({ engine }: { engine?: string }, command) => {
      const session = sessionOf(command, settings);
      await (engine === undefined ? daemonHealth(session) : engineHealth(session, engine));
    });
};

async function daemonHealth({ client, print }: Session): Promise<void> {
  const health = await client.open((daemon) => daemon.health());
  const ready = await client
    .open((daemon) => daemon.ready())
    .catch((error: unknown) => {
      if (!(error instanceof CliFailure)) throw error;
      const message = `orchd ${health.version} is up ${health.uptime_s} s, but not ready: ${error.message}`;
      throw new CliFailure(error.exit, message, error.code);
    });
  print.document(
    { ...health, ready: ready.status === "ready" },
    () => `orchd ${health.version} is ${ready.status}, up ${health.uptime_s} s${follows(ready)}`,
  );
}

const follows = ({ role, leader }: HostReadiness): string => (role === "follower" ? `, and follows ${leader}` : "");

async function engineHealth({ client, print }: Session, user: string): Promise<void> {
  const { url } = await client.platform((orchestrator) => orchestrator.get(user), { user });
  const limits = { retries: 0, deadlineMs: DEADLINE_MS };
  try {
    const health = await createHealthClient({ url, fetch: nodeFetch, limits }).health<Record<string, unknown>>();
    print.document(health, (columns) => fields(Object.entries(health).flatMap(rows), columns));
  } catch (error) {
    throw toCliFailure(error, { user, url });
  }
}

/** A field as one row; an object's own fields as one row each: `model.status`. */
function rows([name, value]: readonly [string, unknown]): readonly (readonly [string, string | null])[] {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, one === null ? null : safe(one)]);
  }
  return [[name, value === null ? null : safe(value)]];
}
