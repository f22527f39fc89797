import { VERSION } from "../../src/shared/version.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { fields } from "../table.ts";

export const versionCommand: CommandMaker = (program, settings) => {
  program
    .command("version")
    .description("Show the versions of orchctl and of the daemon")
    .addHelpText("after", example("orchctl version"))
    .action(async (_options, command) => {
      const { client, print, settings: found } = sessionOf(command, settings);
      const own = { orchctl: VERSION, node: process.versions.node };
      const show = (daemon: string | null, remark: string) =>
        print.document({ ...own, orchd: daemon }, (columns) =>
          fields(
            [
              ["orchctl", `${own.orchctl} on Node.js ${own.node}`],
              ["orchd", remark],
            ],
            columns,
          ),
        );
      try {
        const { version } = await client.open((daemon) => daemon.health());
        show(version, `${safe(version)} at ${found.url}`);
      } catch (error) {
        // Prints orchctl's own version first, also when the call fails.
        show(null, "unknown");
        throw error;
      }
    });
};
