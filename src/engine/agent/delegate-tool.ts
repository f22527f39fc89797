import * as z from "zod/mini";
import { type Tool, ToolFailed } from "../tools/tool.ts";
import { toolInput } from "../tools/tool-input.ts";
import { WORKSPACE } from "../tools/workspace-resource.ts";

export const DELEGATE = "delegate";
/** Longer than any tool of the sub-agent needs to end its processes. */
const EXIT_TIMEOUT_MS = 6000;

/**
 * Tool that delegates a task to one of `agents`; an empty list when there are none. A sub-agent that may need a human
 * runs alone, one whose tools write runs exclusively in the workspace, others run in parallel.
 */
export function delegateTool(agents: readonly string[], toolsOf: (agent: string) => readonly Tool[]): readonly Tool[] {
  const [first, ...rest] = agents.toSorted();
  if (first === undefined) return [];
  const mayChange = (agent: string) =>
    toolsOf(agent).some(({ readOnly, bookkeeping = false }) => !readOnly && !bookkeeping);
  const tool: Tool<{ agent: string; task: string }> = {
    name: DELEGATE,
    description:
      "Gives a task to another agent and waits for its report. The agent knows only what you write, not this conversation. You see only its report. It works in the same workspace, with no more rights than you. To run several in parallel, call them together.",
    input: toolInput(
      z.object({
        agent: z.enum([first, ...rest]).check(z.describe("Name of the agent")),
        task: z
          .string()
          .check(
            z.minLength(1),
            z.maxLength(100_000),
            z.describe("What to do, all that it must know, and what to report"),
          ),
      }),
    ),
    // Safe to call again after a restart: the sub-agent resumes from its own step log.
    readOnly: true,
    permission: "allow",
    // The sub-agent's calls are steps of their own.
    returns: "own",
    bookkeeping: true,
    delegates: true,
    exitTimeoutMs: EXIT_TIMEOUT_MS,
    mayAskHuman: ({ agent }) =>
      toolsOf(agent).some(({ permission, asksHuman }) => permission === "ask" || asksHuman === true),
    resources: ({ agent }) => (mayChange(agent) ? [WORKSPACE] : []),
    reads: () => [WORKSPACE],
    subject: ({ agent, task }) => `${agent}: ${task}`,
    async run(order, context) {
      if (context.delegate === undefined) throw new ToolFailed("delegation is not available to this agent");
      return context.delegate(order);
    },
  };
  return [tool];
}
