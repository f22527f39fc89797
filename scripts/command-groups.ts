import type { Command, Option } from "commander";
import { fieldOptions } from "../cli/policy-field-options.ts";

/** The options that set a policy, by their flags: commands that have them all are many columns wide otherwise. */
const POLICY_FLAGS: ReadonlySet<string> = new Set(
  fieldOptions().flatMap(({ options }) => options.map(({ flags }) => flags)),
);

/** A command with its words as they are typed. */
export interface TypedCommand {
  readonly typed: string;
  readonly command: Command;
}

/** Each command without subcommands, by the heading of the help under which it is, such as `Products and engines`. */
export function commandsByGroup(commands: readonly Command[]): ReadonlyMap<string, readonly TypedCommand[]> {
  const named = commands.flatMap((command) => {
    const group = command.helpGroup().replace(/:$/, "");
    return leavesOf(command, [command.name()]).map((leaf) => ({ group, leaf }));
  });
  const groups = new Map<string, readonly TypedCommand[]>();
  for (const { group, leaf } of named) groups.set(group, [...(groups.get(group) ?? []), leaf]);
  return groups;
}

function leavesOf(command: Command, path: readonly string[]): readonly TypedCommand[] {
  if (command.commands.length > 0) return command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
  const words = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [{ typed: [...path, ...words].join(" "), command }];
}

/** A command with more of them sets a policy; `stop` has one of them, which is its own. */
const FEW = 5;

/** The options of a command; those of a policy are one entry. */
export function optionsOf({ command }: TypedCommand): readonly string[] {
  const others = command.options.filter(({ flags }) => !POLICY_FLAGS.has(flags));
  const hasPolicy = command.options.length - others.length > FEW;
  const own = hasPolicy ? others : command.options;
  return [...own.map(codeOf), ...(hasPolicy ? ["[those of a policy](#options-of-a-policy)"] : [])];
}

const codeOf = ({ flags }: Option): string => `\`${flags}\``;
