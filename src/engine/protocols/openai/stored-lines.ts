import type { TaskMessages } from "../../../contract/engine/task.ts";
import type { TaskMessage } from "../../../contract/engine/task-message.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { askText } from "./ask.ts";
import { plain } from "../turn-message.ts";
import type { Line } from "./sent-conversation.ts";

/** A message of a stored conversation, as clients of these protocols were shown it. */
export interface StoredLine {
  readonly role: "user" | "assistant";
  readonly messageId: string;
  readonly turnId: string;
  /** Of the user. */
  readonly text: string;
  /** Of the agent, without white space. */
  readonly texts: readonly string[];
  /** The result of a turn with a schema. A client that has asked for one is shown no texts. */
  readonly output: string | null;
  /** Its questions, without white space. Calls that ask at once ask in another order than that of their calls. */
  readonly asks: readonly string[];
  /** Those of them that were answered: the answer goes on after a message of the user. */
  readonly answered: readonly string[];
  /** Of a turn that was cut off: a client may have seen less. */
  readonly isCut: boolean;
}

const PAGE = 200;
const MAX_PAGES = 50;

/** The messages of a task. Null for one that is longer than what is compared. */
export async function storedLines(calls: EngineCalls, taskId: string): Promise<readonly StoredLine[] | null> {
  const pages: (readonly TaskMessage[])[] = [];
  let before: string | null = null;
  do {
    if (pages.length === MAX_PAGES) return null;
    const query: Record<string, string> = { limit: String(PAGE), ...(before !== null && { before }) };
    const page: TaskMessages = await calls.call<TaskMessages>("listMessages", { path: { task_id: taskId }, query });
    pages.unshift(page.items);
    ({ before } = page);
  } while (before !== null);
  return pages.flat().map(lineOf);
}

function lineOf({ message_id: messageId, turn_id: turnId, role, status, output, parts }: TaskMessage): StoredLine {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const questions = parts.filter((part) => part.type === "question");
  return {
    role,
    messageId,
    turnId,
    text: role === "user" ? texts.join("\n") : "",
    texts: texts.map(plain),
    output: output === undefined ? null : plain(JSON.stringify(output)),
    asks: questions.map((part) => plain(askText(part))),
    answered: questions.filter(({ status }) => status === "answered").map((part) => plain(askText(part))),
    isCut: status === "errored",
  };
}

interface Covered {
  /** How many stored messages a client's history covers. */
  readonly count: number;
  /** Whether it ends within the last of them: at a question that has been answered since. */
  readonly endsWithin: boolean;
}

/** Compares a client's history with a stored conversation. Null when it is another one. */
export function covered(history: readonly Line[], stored: readonly StoredLine[]): Covered | null {
  let count = 0;
  let at = 0;
  while (at < history.length) {
    const [line, sent] = [stored[count], history[at]];
    if (line === undefined || line.role !== sent?.role) return null;
    count++;
    if (line.role === "user") {
      if (plain(sent.text) !== plain(line.text)) return null;
      at++;
      continue;
    }
    const next = afterAnswer(history, at, line);
    if (next === null) return null;
    if (next === "within") return { count, endsWithin: true };
    at = next;
  }
  return { count, endsWithin: false };
}

/**
 * Where a history goes on after an answer, which begins at this line of it. Answers to its questions are in between. Null
 * when it is another answer.
 */
function afterAnswer(history: readonly Line[], from: number, line: StoredLine): number | "within" | null {
  const { asks, answered, isCut } = line;
  const left: Left = { texts: [...line.texts], asks: [...asks], output: line.output };
  for (let at = from; at < history.length; at += 2) {
    let rest = plain(history[at]?.text ?? "");
    let goesOn = false;
    while (rest !== "") {
      const piece = takePiece(left, rest) ?? askedAgain(asks, rest);
      // A client that has left has seen the beginning.
      if (piece === null && isCut && left.texts[0]?.startsWith(rest)) return at + 1;
      if (piece === null) return null;
      goesOn = answered.includes(piece) || isAskedAgain(history, at, piece);
      rest = rest.slice(piece.length);
    }
    if (!goesOn && (isCut || isEmpty(left))) return at + 1;
  }
  return "within";
}

interface Left {
  texts: string[];
  readonly asks: string[];
  output: string | null;
}

const isEmpty = ({ texts, asks, output }: Left): boolean => texts.length + asks.length === 0 && output === null;

function takePiece(left: Left, rest: string): string | null {
  const { output } = left;
  if (output !== null && rest === output) {
    [left.texts, left.output] = [[], null];
    return output;
  }
  const ask = left.asks.find((one) => rest.startsWith(one));
  if (ask !== undefined) return left.asks.splice(left.asks.indexOf(ask), 1)[0] ?? null;
  return left.texts[0] !== undefined && rest.startsWith(left.texts[0]) ? (left.texts.shift() ?? null) : null;
}

/** An answer that fits none of the options is answered with the question again. */
const askedAgain = (asks: readonly string[], rest: string): string | null =>
  asks.find((ask) => rest.startsWith(ask)) ?? null;

const isAskedAgain = (history: readonly Line[], at: number, ask: string): boolean =>
  plain(history[at + 2]?.text ?? "") === ask;
