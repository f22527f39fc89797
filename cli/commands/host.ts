import type { HostStatus } from "../../src/contract/orchestrator-api.ts";
import { describeStatus } from "../describe-status.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const statusCommand: CommandMaker = (program, settings) => {
  program
    .command("status")
    .description("The daemon's host: engines by state, ports, load, and what to see to")
    .addHelpText("after", example("orchctl status"))
    .action(async (_options, command) => {
      const { client, print } = sessionOf(command, settings);
      const status = await client.admin<HostStatus>("/admin/status");
      print.document(status, () => describeStatus(status));
    });
};

/** `drain` and `resume`, which say the opposite. */
const wishing =
  (verb: "drain" | "resume", description: string, words: (running: number) => string): CommandMaker =>
  (program, settings) => {
    program
      .command(verb)
      .description(description)
      .addHelpText("after", example(`orchctl ${verb}`))
      .action(async (_options, command) => {
        const { client, print } = sessionOf(command, settings);
        const status = await client.admin<HostStatus>(`/admin/${verb}`, { method: "POST", body: {} });
        print.document(status, () => words(status.engines.running + status.engines.unhealthy));
      });
  };

export const drainCommand = wishing(
  "drain",
  "Let the host take no new engines, also after a restart of the daemon; engines that run go on",
  (running) =>
    `The host takes no new engines; ${running} ${running === 1 ? "runs" : "run"} on. orchctl resume ends this.`,
);
export const resumeCommand = wishing(
  "resume",
  "Let the host take new engines again",
  () => "The host takes new engines.",
);
