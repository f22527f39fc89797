import type { Command } from "commander";
import t from "tap";
import { createProgram } from "../../cli/program.ts";
import type { Settings } from "../../cli/settings.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const settings: Settings = {
  url: "http://127.0.0.1:1",
  adminKey: undefined,
  adminKeyFile: undefined,
  platformKey: undefined,
  platformKeyFile: undefined,
  engineKey: undefined,
  product: undefined,
  installDir: "/",
  dataDir: "/nowhere",
  configDir: "/nowhere",
  colour: false,
  environment: {},
};

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap((child) => leaves(child));

function helpOf(command: Command): string {
  let help = "";
  command.configureOutput({ writeOut: (words) => (help += words) });
  command.outputHelp();
  return help;
}

t.test("every command says what it does, what its options do, and shows an example", async (t) => {
  const commands = leaves(createProgram(settings, () => undefined));
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
  const options = leaves(createProgram(settings, () => undefined)).flatMap((command) => command.options);
  const flags = options.map((option) => option.flags);
  t.same(
    flags.filter((one) => /key|secret|token|password/i.test(one)),
    [],
  );
});

t.test("the program's help names the exit codes and where keys come from", async (t) => {
  const { stdout } = await orchctlFor(t, { url: settings.url })(["--help"]);
  t.match(stdout, /Exit codes:\n {4}0 {2}done\n/);
  t.match(stdout, /Keys come from ORCH_ADMIN_KEY/);
});
