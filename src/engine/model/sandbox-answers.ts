import type { KnowledgeResult } from "../../contract/engine/knowledge-result.ts";
import { SEARCH_KNOWLEDGE, SUBMIT_RESULT } from "../../contract/engine/tool-names.ts";
import { digestOf } from "../attachments/check-file.ts";
import type { FilePart, ModelMessage, ModelRequest, ToolOutcome } from "./model-provider.ts";
import { sampleObject } from "./sandbox-sample.ts";
import type { SandboxCommand } from "./sandbox-script.ts";
import { isSummary } from "./summary-message.ts";

/** Results that the answer to `/cite` names. */
const CITED = 3;

type Statement = readonly [pattern: RegExp, predicate: string | null, text: (object: string) => string];

const NAME = String.raw`(\p{Lu}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]*)*)`;
/** A null predicate stands for the first group of the pattern. */
const STATEMENTS: readonly Statement[] = [
  [new RegExp(`\\b[Mm]y name is ${NAME}`, "gu"), "name", (name) => `The user's name is ${name}.`],
  [new RegExp(`\\bI live in ${NAME}`, "gu"), "lives in", (place) => `The user lives in ${place}.`],
  [new RegExp(`\\bI work (?:at|for) ${NAME}`, "gu"), "works at", (employer) => `The user works at ${employer}.`],
  [/\b[Mm]y (favou?rite \w+) is ([^.,;!?\n]+)/gu, null, (object) => `The user's ${object}.`],
];

interface ShownRound {
  readonly turn: string;
  readonly user: string;
}

const tool = (name: string, input: Readonly<Record<string, unknown>>): SandboxCommand => ({
  kind: "tool",
  tool: name,
  input,
  rawInput: JSON.stringify(input),
});
const say = (text: string): SandboxCommand => ({ kind: "say", text });
const think = (text: string): SandboxCommand => ({ kind: "think", text });

const quoted = (text: string): string => `“${text.trim().replaceAll(/\s+/g, " ").slice(0, 80)}”`;

/**
 * The sandbox model's answer to a message without commands. The first of a conversation shows every kind of event:
 * thinking if it is asked for, text, a tool call, a question and an answer that uses them. Later ones quote the
 * conversation.
 */
export function demonstration(
  request: ModelRequest,
  message: string,
  outcomes: readonly ToolOutcome[],
): readonly SandboxCommand[] {
  const shown = demonstrated(request, message, outcomes);
  const submit = request.tools.find(({ name }) => name === SUBMIT_RESULT);
  const isOver = submit !== undefined && shown.every(({ kind }) => kind !== "tool");
  return isOver ? [...shown, tool(SUBMIT_RESULT, sampleObject(submit.inputSchema))] : shown;
}

function demonstrated(
  { messages, tools, thinking }: ModelRequest,
  message: string,
  outcomes: readonly ToolOutcome[],
): readonly SandboxCommand[] {
  const earlier = earlierMessages(messages);
  const has = (name: string) => tools.some((offered) => offered.name === name);
  if (earlier.length > 0) {
    return [
      say(
        `You said ${quoted(message)}. Before that you said ${quoted(earlier.at(-1) ?? "")}; I have the whole conversation. (Still the sandbox model.)`,
      ),
    ];
  }
  const listed = outcomes.find((outcome) => outcome.tool === "list_files");
  const asked = outcomes.find((outcome) => outcome.tool === "ask_human");
  if (asked !== undefined || (listed !== undefined && !has("ask_human"))) {
    return [
      say(
        `${answerTo(asked)} You asked ${quoted(message)}; ${findings(listed)}. A real model would now do the work. That was a whole turn: thinking, text, a tool call, a question and this answer.`,
      ),
    ];
  }
  if (listed !== undefined) {
    return [tool("ask_human", { question: "Shall the answer be short or detailed?", options: ["short", "detailed"] })];
  }
  const thought = think(
    `The user says ${quoted(message)}. I should look at the workspace first, then ask how they would like the answer.`,
  );
  const opening = [
    ...(thinking ? [thought] : []),
    say("I am the sandbox model: I need no key and no network, and I answer by rules. Let me look at your workspace."),
  ];
  return has("list_files") ? [...opening, tool("list_files", { path: "." })] : opening;
}

function answerTo(asked: ToolOutcome | undefined): string {
  if (asked === undefined) return "";
  if (asked.isError) return "You gave no answer to my question.";
  const answer = (asked.output as { answer?: unknown } | null)?.answer;
  return answer === "short" ? "Short, then." : `You answered ${quoted(String(answer))}.`;
}

function findings(listed: ToolOutcome | undefined): string {
  const entries = (listed?.output as { entries?: unknown } | null | undefined)?.entries;
  if (listed?.isError !== false || !Array.isArray(entries)) return "I could not look at the workspace";
  if (entries.length === 0) return "your workspace is empty";
  return `your workspace holds ${entries.slice(0, 5).join(", ")}${entries.length > 5 ? " and more" : ""}`;
}

/** The user's messages before the current one. */
function earlierMessages(messages: readonly ModelMessage[]): readonly string[] {
  return messages
    .flatMap((entry) =>
      entry.role === "user" && entry.ofEngine !== true && !isSummary(entry.text) ? [entry.text] : [],
    )
    .slice(0, -1);
}

/**
 * The sandbox model's answer to a question of a learning batch: it recognises a few plain sentences, and writes a profile
 * page with a line for each fact.
 */
export function sandboxLearning({ messages }: ModelRequest): string {
  const [prompt] = messages;
  const text = prompt?.role === "user" ? prompt.text : "";
  const { rounds = [], facts } = JSON.parse(text.slice(text.indexOf("{"))) as {
    readonly rounds?: readonly ShownRound[];
    readonly facts?: readonly { readonly number: number; readonly text: string }[];
  };
  if (facts !== undefined)
    return JSON.stringify({ lines: facts.map(({ number, text: words }) => ({ ...lineOf(words), facts: [number] })) });
  return JSON.stringify({ rounds: rounds.map(({ turn, user }) => ({ turn, facts: factsIn(user), people: [] })) });
}

/** “The user lives in Lyon.” becomes “Lives in Lyon.” */
function lineOf(fact: string): { readonly section: string; readonly text: string } {
  const text = fact.replace(/^The user(?:'s)? /, "").replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  const section = text.startsWith("Favo") ? "preferences" : text.startsWith("Works") ? "work" : "about";
  return { section, text };
}

function factsIn(message: string): readonly object[] {
  return STATEMENTS.flatMap(([pattern, predicate, text]) =>
    [...message.matchAll(pattern)].map(([, first = "", second = ""]) => ({
      text: predicate === null ? text(`${first} is ${second}`) : text(first),
      subject: "user",
      predicate: predicate ?? first,
      object: predicate === null ? second : first,
      single: true,
      said_by: "user",
    })),
  );
}

/** The sandbox model's list of the items of context of a conversation. */
export function receivedContext(messages: readonly ModelMessage[]): string {
  const blocks = messages.flatMap((message) => (message.role === "user" && message.context ? [message.context] : []));
  const items = blocks.flatMap((block) => block.split("\n").filter((line) => line.startsWith("{")));
  return items.join("\n") || "no context";
}

/** The sandbox model's answer of what the last search of the product's knowledge found: a statement with each source. */
export function citedSources(messages: readonly ModelMessage[]): string {
  const outcomes = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  const found = outcomes.findLast(({ tool: name }) => name === SEARCH_KNOWLEDGE);
  const { results = [] } = (found?.output ?? {}) as {
    readonly results?: readonly Pick<KnowledgeResult, "source" | "text">[];
  };
  if (found?.isError !== false || results.length === 0) return "I found nothing to cite.";
  return results
    .slice(0, CITED)
    .map(({ source, text }) => `${statementOf(text)} [${source}]`)
    .join("\n\n");
}

/** The first sentence of a passage. */
const statementOf = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .trim()
    .match(/^.{1,200}?[.!?](?= |$)/u)?.[0] ?? text.trim().slice(0, 200).toWellFormed();

/** The sandbox model's list of the files of a conversation: those received, and those replaced by a note. */
export function receivedFiles(messages: readonly ModelMessage[]): string {
  const lines = messages.flatMap((message) => {
    if (message.role === "user") return (message.parts ?? []).flatMap((part) => fileLine("user", part));
    if (message.role !== "tool") return [];
    return message.results.flatMap(({ tool, parts = [] }) => parts.flatMap((part) => fileLine(tool, part)));
  });
  return lines.join("\n") || "no attachments";
}

function fileLine(sender: string, part: FilePart): readonly string[] {
  if (part.kind === "data") {
    const { kind, name, media_type: type } = part.file;
    const bytes = part.read();
    return [`${sender} sent ${kind} ${name}, ${type}, ${bytes.length} bytes, sha256 ${digestOf(bytes).slice(0, 12)}`];
  }
  // The line before a file names it once more; other texts in brackets are notes.
  return part.kind === "text" && part.text.startsWith("[") && !/^\[attached (?!text file)/.test(part.text)
    ? [`${sender} sent ${part.text}`]
    : [];
}

/** The sandbox model's title: the last words of the message, so that it differs from the first ones. */
export function sandboxTitle({ messages }: ModelRequest): string {
  const [prompt] = messages;
  const text = prompt?.role === "user" ? prompt.text : "";
  const { user } = JSON.parse(text.slice(text.indexOf("{"))) as { readonly user: string };
  return `About: ${user.trim().split(/\s+/).slice(-5).join(" ")}`;
}
