import type { EngineEventData } from "../src/client/record-types.ts";
import type { Terminal } from "./terminal.ts";

type Question = Pick<EngineEventData["hitl_request"], "options" | "context">;

type Decision =
  | { readonly kind: "answer"; readonly answer: string }
  /** The person cancels the turn. */
  | { readonly kind: "cancel" }
  /** The person ends the turn and the conversation. */
  | { readonly kind: "exit" }
  /** The question no longer needs an answer. */
  | { readonly kind: "withdrawn" }
  /** There is no terminal for a prompt. */
  | { readonly kind: "nobody" };

export interface AnswerSources {
  /** Given on the command line, one for each question. */
  readonly scripted: string[];
  /** Selects the first option when no scripted answer is left. */
  readonly auto: boolean;
  /** Null if there is none. */
  readonly terminal: Terminal | null;
}

/** The answer to an engine's question: scripted, by rule, or from the terminal. */
export async function decide(
  question: Question,
  { scripted, auto, terminal }: AnswerSources,
  { signal, help }: { readonly signal: AbortSignal; readonly help: () => void },
): Promise<Decision> {
  const { options } = question;
  const given = scripted.shift() ?? (auto ? options[0] : undefined);
  if (given !== undefined) return { kind: "answer", answer: parseAnswer(question, given) ?? given };
  if (terminal === null) return { kind: "nobody" };
  for (;;) {
    const reply = await terminal.ask(options.length > 0 ? `answer (1-${options.length}): ` : "answer: ", signal);
    if (reply.kind === "withdrawn") return reply;
    if (reply.kind !== "line") return { kind: "cancel" };
    const isOption = options.includes(reply.text);
    if (!isOption && isExit(reply.text)) return { kind: "exit" };
    const answer = parseAnswer(question, reply.text);
    if (!isOption && reply.text === "/help") help();
    else if (answer !== null) return { kind: "answer", answer };
  }
}

/** The conversation's own commands to leave. */
export const isExit = (text: string): boolean => text === "/exit" || text === "/quit";

/** An option by its text or number, or free text if the question allows it; null if it is not an answer. */
export function parseAnswer({ options, context }: Question, text: string): string | null {
  if (options.includes(text)) return text;
  const numbered = /^\d+$/.test(text) ? options[Number(text) - 1] : undefined;
  if (numbered !== undefined) return numbered;
  const free = context["allow_free_text"] === true || options.length === 0;
  return free && text !== "" ? text : null;
}
