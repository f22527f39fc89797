import type { Command, Option } from "commander";
import { EXIT_CODES } from "../cli/exit-codes.ts";

interface ManPage {
  readonly program: Command;
  readonly version: string;
  /** Short forms by name, with the command that each stands for. */
  readonly shortForms: ReadonlyMap<string, string>;
}

/** The manual of a command line as roff, made from its commands. */
export function manPage({ program, version, shortForms }: ManPage): string {
  const name = program.name();
  const groups = program.commands.filter((command) => command.name() !== "help" && !shortForms.has(command.name()));
  return [
    `.TH ${name.toUpperCase()} 1 "" "orchd ${text(version)}"`,
    ".SH NAME",
    `${name} \\- ${text(lowerFirst(program.description()))}`,
    ".SH SYNOPSIS",
    `.B ${name}\n[options] command [arguments]`,
    ".SH DESCRIPTION",
    "Every command has a help with an example:",
    `.BR "${name} help command" .`,
    ".SH OPTIONS",
    "They are for every command.",
    ...program.options.map(describeOption),
    ".SH COMMANDS",
    ...groups.flatMap((command) => describeCommands(command, name)),
    ".SH SHORT FORMS",
    "They have the same arguments and options.",
    ...[...shortForms].map(([short, full]) => item(`${name} ${short}`, `${name} ${full}`)),
    ".SH EXIT STATUS",
    ...Object.values(EXIT_CODES).map(({ code, meaning }) => item(String(code), meaning)),
    ".SH ENVIRONMENT",
    ...Object.entries(ENVIRONMENT).map(([variable, meaning]) => item(variable, meaning)),
    ".SH FILES",
    item("~/.config/orchctl/credentials.json", "Stored keys, which only their owner can read."),
    item("/var/lib/orchd/admin-key", "The admin key of a daemon on this machine."),
    "",
  ].join("\n");
}

const ENVIRONMENT = {
  ORCH_ADMIN_KEY: "The admin key; ORCH_ADMIN_KEY_FILE names a file with it.",
  ORCH_PLATFORM_KEY: "A product's platform key; ORCH_PLATFORM_KEY_FILE names a file with it.",
  ORCH_ENGINE_KEY: "An engine's key.",
  ORCH_URL: "The daemon's address; otherwise ORCH_HOST and ORCH_PORT, as for the daemon.",
  ORCH_PRODUCT: "The product; otherwise the current one.",
  ORCH_DATA_DIR: "The data folder of a daemon on this machine, with its admin key.",
  ORCHCTL_CONFIG_DIR: "The folder of the stored keys.",
  NO_COLOR: "Set, it turns off colours.",
} as const;

function describeCommands(command: Command, path: string): readonly string[] {
  const name = `${path} ${command.name()}`;
  if (command.commands.length > 0) return command.commands.flatMap((child) => describeCommands(child, name));
  const words = command.registeredArguments.map((argument) => {
    const word = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? `<${word}>` : `[${word}]`;
  });
  return [
    `.SS ${text([name, ...words].join(" "))}`,
    `${text(command.description())}.`,
    ...command.options.map(describeOption),
  ];
}

function describeOption({ flags, description, argChoices, defaultValue }: Option): string {
  const choices = argChoices === undefined ? "" : ` (${argChoices.join(", ")})`;
  const isShown = defaultValue !== undefined && defaultValue !== false && defaultValue !== true;
  return item(flags, `${description}${choices}${isShown ? ` (default: ${String(defaultValue)})` : ""}`);
}

const item = (term: string, meaning: string): string => `.TP\n.B ${text(term)}\n${text(meaning)}`;

const lowerFirst = (words: string): string => words.slice(0, 1).toLowerCase() + words.slice(1);

/** Text of one line. A backslash, a hyphen, and a dot or quote at its start have a meaning in roff. */
const text = (words: string): string =>
  words.replaceAll(/\s+/g, " ").replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^[.']/, "\\&$&");
