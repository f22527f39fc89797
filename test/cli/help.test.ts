import type { Command } from "commander";
import t from "tap";
import { commandsOfOrchctl } from "../helpers/commands-of-orchctl.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

function helpOf(command: Command): string {
  let help = "";
  command.configureOutput({ writeOut: (words) => (help += words) });
  command.outputHelp();
  return help;
}

t.test("every command says what it does, what its options do, and shows an example", async (t) => {
  const commands = commandsOfOrchctl();
  t.ok(commands.length > 20);
  const problems = commands.flatMap((command) => {
    const name = `${command.parent?.name()} ${command.name()}`;
    return [
      ...(command.description() === "" ? [`${name} has no description`] : []),
      ...command.options.filter(({ description }) => description === "").map(({ flags }) => `${name} ${flags}`),
      ...(/Example:\n {2}\$ .*orchctl /.test(helpOf(command)) ? [] : [`${name} has no example`]),
    ];
  });
  t.same(problems, []);
});

t.test("no option takes a key", async (t) => {
  const options = commandsOfOrchctl().flatMap((command) => command.options);
  const flags = options.map((option) => option.flags);
  t.same(
    flags.filter((one) => /key|secret|token|password/i.test(one)),
    [],
  );
});

t.test("the program's help names the exit codes and where keys come from", async (t) => {
  const { stdout } = await orchctlFor(t, { url: "http://127.0.0.1:1" })(["--help"]);
  t.match(stdout, /Exit codes:\n {4}0 {2}done\n/);
  t.match(stdout, /Keys come from ORCH_ADMIN_KEY/);
});
