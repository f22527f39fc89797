import { Command } from "commander";
import { EXIT_CODES } from "../cli/exit-codes.ts";
import { createProgram } from "../cli/program.ts";
import { readSettings } from "../cli/settings.ts";
import { addShortForms } from "../cli/short-forms.ts";
import type { DocumentTable } from "./document-tables.ts";

const FILE = "docs/command-line.md";
const settings = readSettings("/");

/** The tables of the documentation of `orchctl`. */
export function commandTables(): readonly DocumentTable[] {
  const shortForms = addShortForms(new Command(), settings);
  const full = createProgram(settings, () => undefined).commands.filter((command) => !shortForms.has(command.name()));
  return [
    {
      file: FILE,
      marker: "commands",
      head: ["command", "purpose", "options"],
      rows: full.flatMap((command) => commandRows(command, [command.name()])),
    },
    {
      file: FILE,
      marker: "short forms",
      head: ["short form", "full form"],
      rows: [...shortForms].map(([short, long]) => [`\`${short}\``, `\`${long}\``]),
    },
    {
      file: FILE,
      marker: "exit codes",
      head: ["exit code", "meaning"],
      rows: Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]),
    },
  ];
}

/** Each command with its arguments, as it is typed. */
function commandRows(command: Command, path: readonly string[]): readonly (readonly string[])[] {
  if (command.commands.length > 0)
    return command.commands.flatMap((child) => commandRows(child, [...path, child.name()]));
  const words = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  const options = command.options.map(({ flags }) => `\`${flags}\``);
  return [[`\`${[...path, ...words].join(" ")}\``, command.description(), options.join(", ")]];
}
