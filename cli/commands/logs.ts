import { createInterface } from "node:readline";
import type { Command } from "commander";
import { pathSegment } from "../http.ts";
import { safe } from "../output.ts";
import { example, sessionOf } from "../session.ts";
import type { Settings } from "../settings.ts";
import { wholeNumber } from "./products.ts";

export function logsCommand(program: Command, settings: Settings): void {
  program
    .command("logs <user>")
    .description("Print an engine's log")
    .option("-n, --tail <lines>", "how many of the last lines", wholeNumber, 200)
    .option("-f, --follow", "go on with each new line", false)
    .addHelpText("after", example("orchctl logs alice -n 50 -f"))
    .action(async (user: string, options: { tail: number; follow: boolean }, command: Command) => {
      const { client, print } = sessionOf(command, settings);
      const response = await client.platformStream(
        `/engines/${pathSegment(user)}/logs?tail=${options.tail}&follow=${options.follow}`,
      );
      for await (const line of createInterface({ input: response }))
        print.line(print.json ? JSON.stringify({ line }) : safe(line));
    });
}
