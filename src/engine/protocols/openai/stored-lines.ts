import type { TaskMessages } from "../../../contract/engine/task.ts";
import type { TaskMessage } from "../../../contract/engine/task-message.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { askText } from "./ask.ts";
import { type Line, plain } from "./sent-conversation.ts";

/** A line of a stored conversation, as clients of these protocols were shown it. */
export interface StoredLine extends Line {
  readonly messageId: string;
  readonly turnId: string;
  /** An answer to a question, of which a client may have sent another wording. */
  readonly isAnswer: boolean;
  /** Of a turn that was cut off: a client may have seen less. */
  readonly isCut: boolean;
  /** The last line of its message. */
  readonly isLast: boolean;
}

const PAGE = 200;
const MAX_PAGES = 50;

/** The lines of a task. Null for one that is longer than what is compared. */
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
  return pages.flat().flatMap(linesOf);
}

function linesOf(message: TaskMessage): readonly StoredLine[] {
  const { message_id: messageId, turn_id: turnId, role, status, output } = message;
  const lines: Line[] = [];
  const open: string[] = [];
  if (role === "user") lines.push({ role, text: textsOf(message).join("\n") });
  else {
    for (const part of message.parts) {
      if (part.type === "text" && output === undefined) open.push(part.text);
      if (part.type !== "question") continue;
      lines.push({ role, text: [...open.splice(0), askText(part)].join("\n\n") });
      if (part.status === "answered") lines.push({ role: "user", text: part.answer ?? "" });
    }
    if (output !== undefined) open.push(JSON.stringify(output));
    if (open.length > 0 || lines.at(-1)?.role !== "assistant") lines.push({ role, text: open.join("\n\n") });
  }
  return lines.map((line, index) => ({
    ...line,
    messageId,
    turnId,
    isAnswer: role === "assistant" && line.role === "user",
    isCut: status === "errored",
    isLast: index === lines.length - 1,
  }));
}

const textsOf = ({ parts }: TaskMessage): readonly string[] =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : []));

/** How many stored lines a client's history covers. Null when it is another conversation. */
export function covered(history: readonly Line[], stored: readonly StoredLine[]): number | null {
  let at = 0;
  for (let index = 0; index < history.length; index++) {
    const sent = history[index];
    const line = stored[at];
    if (sent === undefined) return null;
    // An answer that fitted none of the options was answered with the question again.
    const [asked, again] = [stored[at - 1], history[index + 1]];
    const isAskedAgain = sent.role === "user" && asked?.role === "assistant" && endsWithText(asked.text, again?.text);
    if (isAskedAgain) index++;
    else if (line?.role === sent.role && isSame(sent, line)) at++;
    else return null;
  }
  return at;
}

function isSame({ text }: Line, line: StoredLine): boolean {
  if (line.isAnswer) return true;
  const [sent, stored] = [plain(text), plain(line.text)];
  return sent === stored || (line.isCut && line.role === "assistant" && stored.startsWith(sent));
}

const endsWithText = (text: string, end = ""): boolean => end.trim() !== "" && plain(text).endsWith(plain(end));
