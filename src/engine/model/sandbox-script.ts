import { SEARCH_KNOWLEDGE } from "../../contract/engine/tool-names.ts";
import { readToolInput } from "./block-sequence.ts";

/**
 * A script for the sandbox model. A line that begins with a slash is a command; any other line is output as text.
 * Commands run in order; those after a `/tool` or `/ask` run when its result is back.
 *
 * /say TEXT             one text block                    /think TEXT          one thinking block
 * /stream N [RATE]      N text deltas, RATE a second      /slow MS             wait
 * /tool NAME {JSON}     call a tool; neighbours run together
 * /ask QUESTION | OPTION | OPTION                         ask the human
 * /fail rate-limited [SECONDS]                            /fail provider       /fail mid-stream
 * /fail silent          no more parts, until the turn is cancelled or expires
 * /fail too-long        the conversation does not fit
 * /compact              the same, until the conversation has been compacted; then continues
 * /usage IN OUT CACHED  report these tokens
 * /attachments          a line for each attachment of the conversation, as the model received it
 * /context              a line for each item of context of the conversation, as the model received it
 * /cite QUESTION        search the product's knowledge, then answer with what was found and its sources
 * /end                  end the answer; what follows runs when the engine asks for the result
 */
export type SandboxCommand =
  | { readonly kind: "say" | "think"; readonly text: string }
  | { readonly kind: "stream"; readonly count: number; readonly perSecond: number | null }
  | { readonly kind: "slow"; readonly ms: number }
  | {
      readonly kind: "tool";
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>> | null;
      readonly rawInput: string;
    }
  | { readonly kind: "fail"; readonly how: SandboxFailure; readonly retryAfterS: number | null }
  | { readonly kind: "compact" }
  | { readonly kind: "attachments" }
  | { readonly kind: "context" }
  | { readonly kind: "cite" }
  | { readonly kind: "end" }
  | { readonly kind: "usage"; readonly input: number; readonly output: number; readonly cached: number };

const FAILURES = ["rate-limited", "provider", "mid-stream", "silent", "too-long"] as const;
type SandboxFailure = (typeof FAILURES)[number];

/** Null if the message has no command: then the demonstration runs. */
export function readScript(message: string): readonly SandboxCommand[] | null {
  const lines = message.split("\n");
  if (!lines.some((line) => line.startsWith("/"))) return null;
  return lines.filter((line) => line.trim() !== "").flatMap(readLine);
}

function readLine(line: string): SandboxCommand | readonly SandboxCommand[] {
  if (!line.startsWith("/")) return { kind: "say", text: line };
  const [word = "", ...rest] = line.slice(1).split(" ");
  const text = rest.join(" ");
  const number = (index: number, fallback: number) => {
    const value = Number(rest[index]);
    return rest[index] !== undefined && Number.isFinite(value) && value >= 0 ? value : fallback;
  };
  switch (word) {
    case "say":
    case "think":
      return { kind: word, text };
    case "stream":
      return {
        kind: "stream",
        count: Math.min(number(0, 10), 1_000_000),
        perSecond: rest[1] === undefined ? null : number(1, 0) || null,
      };
    case "slow":
      return { kind: "slow", ms: Math.min(number(0, 1000), 600_000) };
    case "tool":
      return readTool(rest[0] ?? "", rest.slice(1).join(" "));
    case "ask": {
      const [question = "", ...options] = text.split("|").map((part) => part.trim());
      const input = { question: question || "Well?", ...(options.length > 0 && { options }) };
      return { kind: "tool", tool: "ask_human", input, rawInput: JSON.stringify(input) };
    }
    case "cite": {
      const input = { query: text.trim() || "help" };
      return [{ kind: "tool", tool: SEARCH_KNOWLEDGE, input, rawInput: JSON.stringify(input) }, { kind: "cite" }];
    }
    case "fail": {
      const how = FAILURES.find((failure) => failure === rest[0]) ?? "provider";
      return { kind: "fail", how, retryAfterS: rest[1] === undefined ? null : number(1, 1) };
    }
    case "usage":
      return { kind: "usage", input: number(0, 0), output: number(1, 0), cached: number(2, 0) };
    case "compact":
    case "attachments":
    case "context":
    case "end":
      return { kind: word };
    default:
      return {
        kind: "say",
        text: `The sandbox model knows no command /${word}; it knows /say, /think, /stream, /slow, /tool, /ask, /fail, /compact, /usage, /attachments, /context, /cite and /end.`,
      };
  }
}

function readTool(tool: string, rawInput: string): SandboxCommand {
  return { kind: "tool", tool, input: readToolInput(rawInput), rawInput };
}
