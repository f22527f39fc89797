import { connectEngine } from "../connect-engine.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const acpCommand: CommandMaker = (program, settings) => {
  program
    .command("acp <user>")
    .description("Connect an editor to a user's engine: the Agent Client Protocol on standard input and output")
    .addHelpText("after", example("orchctl acp alice"))
    .action(async (user: string, _options: object, command) => {
      const session = sessionOf(command, settings);
      await using connected = await connectEngine(session, user);
      const { engine } = connected;
      const { serveAcp } = await import("../acp/serve-acp.ts");
      const { stdin: input, stdout: output } = process;
      await serveAcp({ engine, input, output, note: (text) => session.print.note(text) });
    });
};
