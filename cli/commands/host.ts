import { describeStatus } from "../describe-status.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const statusCommand: CommandMaker = (program, settings) => {
  program
    .command("status")
    .description("Show the host: engines by state, ports, load, isolation and warnings")
    .addHelpText("after", example("orchctl status"))
    .action(async (_options, command) => {
      const { client, print } = sessionOf(command, settings);
      const status = await client.admin((admin) => admin.status());
      print.document(status, () => describeStatus(status));
    });
};

const drainingCommand =
  (verb: "drain" | "resume", description: string, describe: (running: number) => string): CommandMaker =>
  (program, settings) => {
    program
      .command(verb)
      .description(description)
      .addHelpText("after", example(`orchctl ${verb}`))
      .action(async (_options, command) => {
        const { client, print } = sessionOf(command, settings);
        const status = await client.admin((admin) => admin[verb]());
        print.document(status, () => describe(status.engines.running + status.engines.unhealthy));
      });
  };

export const drainCommand = drainingCommand(
  "drain",
  "Take no new engines, also after a restart of the daemon; running engines continue",
  (running) =>
    `The host takes no new engines; ${running} running ${running === 1 ? "engine continues" : "engines continue"}. orchctl resume ends this.`,
);
export const resumeCommand = drainingCommand("resume", "Take new engines again", () => "The host takes new engines.");
