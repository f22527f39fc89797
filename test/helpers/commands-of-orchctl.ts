import type { Command } from "commander";
import { createProgram } from "../../cli/program.ts";
import type { Settings } from "../../cli/settings.ts";

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

/** Every command of `orchctl` that runs, without the groups. No daemon is called. */
export const commandsOfOrchctl = (): readonly Command[] => leaves(createProgram(settings, () => undefined));
