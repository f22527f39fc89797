import { text } from "node:stream/consumers";
import type { Command } from "commander";
import type { EngineHealth } from "../../src/contract/engine-api.ts";
import type { EngineRecord } from "../../src/contract/orchestrator-api.ts";
import { CliFailure } from "../exit-codes.ts";
import { openCall, pathSegment } from "../http.ts";
import { fields, safe } from "../output.ts";
import { example, sessionOf } from "../session.ts";
import type { Settings } from "../settings.ts";

export function healthCommand(program: Command, settings: Settings): void {
  program
    .command("health")
    .description("Whether the daemon, or with --engine an engine, is well")
    .option("--engine <user>", "an engine instead of the daemon")
    .addHelpText("after", example("orchctl health --engine alice"))
    .action(async (options: { engine?: string }, command: Command) => {
      const { client, print } = sessionOf(command, settings);
      if (options.engine === undefined) {
        const health = (await client.open("/health")) as { status: string; version: string; uptime_s: number };
        const ready = (await client.open("/ready")) as { status: string };
        return print.document(
          { ...health, ready: ready.status },
          () => `orchd ${health.version} is ${ready.status}, up ${health.uptime_s} s`,
        );
      }
      const { url } = (await client.platform(`/engines/${pathSegment(options.engine)}`)) as EngineRecord;
      const response = await openCall(url, { method: "GET", path: "/health", headers: {}, deadlineMs: 5000 });
      if (response.statusCode !== 200)
        throw new CliFailure("unavailable", `the engine answered ${response.statusCode}`);
      const health = JSON.parse(await text(response)) as EngineHealth;
      print.document(health, () =>
        fields(Object.entries(health).map(([name, value]) => [name, value === null ? null : safe(value)])),
      );
    });
}
