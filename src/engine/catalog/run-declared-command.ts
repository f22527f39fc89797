import { realpath } from "node:fs/promises";
import { commandEnvironment } from "../tools/command/command-environment.ts";
import type { CommandHost } from "../tools/command/run-command.ts";
import { runProgram } from "../tools/command/run-program.ts";
import { type ToolContext, ToolFailed } from "../tools/tool.ts";
import { type Values, fillText } from "./fill-in.ts";
import type { CommandAction } from "./tool-action.ts";

/** Runs a declared command without a shell: a value fills one argument or part of one. */
export async function runDeclaredCommand(
  { argv, env = {} }: CommandAction,
  {
    values,
    commands: { environment, folders, launcher, network, secrets },
    context,
  }: { readonly values: Values; readonly commands: CommandHost; readonly context: ToolContext },
): Promise<string> {
  const { workspaceDir, signal } = context;
  const cwd = await realpath(workspaceDir);
  // Before the arguments: a reference in one of them is a text like any other.
  const withSecrets = await secrets.environment(env, async () => (await network.access()).proxyPort);
  const own = Object.entries(withSecrets).flatMap(([name, template]) => {
    const value = fillText(template, values);
    return value === null ? [] : [[name, withoutNul(value)] as const];
  });
  const end = await runProgram(launcher, {
    argv: filledArguments(argv, values),
    cwd,
    env: { ...commandEnvironment(environment, { ...folders, workspace: cwd }), ...Object.fromEntries(own) },
    signal,
    onOutput: () => context.progress(),
  });
  if (end.exitCode !== 0)
    throw new ToolFailed(`the command ended with ${end.signal ?? `exit code ${end.exitCode}`}: ${end.output}`);
  return end.output;
}

function filledArguments(argv: CommandAction["argv"], values: Values): string[] {
  const filled: string[] = [];
  for (const element of argv) {
    const group = [element].flat().map((template) => argument(template, values, filled.includes("--")));
    const given = group.filter((text) => text !== null);
    if (given.length === group.length) filled.push(...given);
    else if (typeof element === "string") throw new ToolFailed("an argument that the command requires is missing");
  }
  return filled;
}

/** Null if a value is missing. Refuses a string that the program would parse as an option. */
function argument(template: string, values: Values, afterSeparator: boolean): string | null {
  const filled = fillText(template, values);
  if (filled === null) return null;
  const [, first = ""] = /^\{\{([^{}]*)\}\}/.exec(template) ?? [];
  const isText = typeof values.get(first.trim()) === "string";
  if (isText && filled.startsWith("-") && !afterSeparator)
    throw new ToolFailed(`${first.trim()}: expected text that does not start with a hyphen`);
  return withoutNul(filled);
}

function withoutNul(text: string): string {
  if (text.includes("\0")) throw new ToolFailed("expected no NUL character");
  return text;
}
