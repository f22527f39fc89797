import { asText } from "../../shared/json-values.ts";
import { type UserContent, contentText } from "../attachments/user-content.ts";
import type { AssistantContent, ToolOutcome } from "../model/model-provider.ts";
import type { MessageRow } from "./conversation.ts";

/** A result of at most this length is not shortened. */
const SHORT_RESULT = 600;
const RESULT_DIGEST = 600;
const SHORT_MESSAGE = 500;
const LINE = 200;
/** Characters of list markup per fact. */
const SEPARATOR = 3;
/** Lines that differ only in numbers, this often or more, are a listing or a log. */
const REPEATED = 4;
const DIGESTS_KEPT = 5000;

/** Addresses, paths, file names, identifiers, amounts, dates. Each part is bounded against slow matching in long texts. */
const VALUE =
  /https?:\/\/\S|[\w.+-]{1,64}@[\w-]{1,64}\.\w|[\w.@~-]{0,80}[/\\][\w.@-]{2,80}|\b[\w-]{1,60}\.[a-z]{1,5}\b|\b(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Za-z])[\w-]{3,40}|[$€£]\s?\d|\d[\d.,:/-]{0,40}\d|\d\s?(?:%|[a-zA-Z€$£]{1,4}\b)/;
const PREFERENCE =
  /\b(?:always|never|must|mustn't|don't|do not|please|prefer|only|remember|want|need|should|instead|my|our|I'm|I am|call me|named?)\b/i;
const SENTENCES = /(?<=[.!?。！？])\s+|\n+/;
/** At most this share for the user's statements, the rest for findings. */
const SHARE_OF_USER = 0.6;
/** Text without sentence ends is split into pieces of this length. */
const PIECE = 1000;

/** A statement or finding, and its importance. */
export interface Fact {
  readonly text: string;
  readonly score: number;
}

/**
 * Extracts, verbatim, what a summary must not lose: user statements, then identifiers, numbers and paths with their
 * context. Keeps the `known` facts too. Over `room` characters, the highest scores and the newest win.
 */
export function factDigest(known: readonly Fact[], messages: readonly MessageRow[], room: number): readonly Fact[] {
  const facts = [...known, ...messages.flatMap(factsOf)];
  const ofUser = choose(facts.filter(isOfUser), room * SHARE_OF_USER);
  const others = choose(
    facts.filter((fact) => !isOfUser(fact)),
    room - lengthOf(ofUser),
  );
  // In conversation order.
  const chosen = new Set([...ofUser, ...others].map(({ text }) => text));
  return [...new Map(facts.map((fact) => [fact.text, fact])).values()].filter(({ text }) => chosen.has(text));
}

export const factLines = (facts: readonly Fact[]): readonly string[] => facts.map(({ text }) => `- ${text}`);

/** The digest that replaces a cleared tool result. */
export function resultDigest(output: unknown): string {
  const text = asText(output);
  if (text.length <= SHORT_RESULT) return text;
  const facts = choose(factsOfOutput(output), RESULT_DIGEST);
  return [
    `[Cleared to make room: a result of ${text.length} characters. Excerpts:]`,
    ...factLines(facts),
    "[End of excerpts. Call the tool again if you need all of it.]",
  ].join("\n");
}

/** Cache of result digests: every model call shows all of them again. */
export class DigestCache {
  readonly #digests = new Map<string, string>();

  /** `key` identifies the result within the engine. */
  readonly of = (output: unknown, key: string): string => {
    const known = this.#digests.get(key) ?? resultDigest(output);
    this.#digests.delete(key);
    this.#digests.set(key, known);
    const oldest = this.#digests.keys().next();
    if (this.#digests.size > DIGESTS_KEPT && !oldest.done) this.#digests.delete(oldest.value);
    return known;
  };
}

function factsOf({ role, content }: MessageRow): readonly Fact[] {
  switch (role) {
    case "user":
      return userStatements(contentText(content as UserContent));
    case "assistant":
      return (content as readonly AssistantContent[]).flatMap((part): readonly Fact[] => {
        if (part.kind === "text") return sentences(part.text).filter(hasValue).map(factOf("assistant", 30));
        if (part.kind === "thinking") return [];
        return [{ text: clip(`called ${part.tool} ${JSON.stringify(part.input)}`), score: 25 }];
      });
    case "tool":
      return (content as readonly ToolOutcome[]).flatMap(({ tool, output, isError }) => {
        if (isError) return [{ text: clip(`${tool} failed: ${String(output)}`), score: 40 }];
        return factsOfOutput(output).map(({ text, score }) => ({ text: `${tool}: ${text}`, score }));
      });
    default:
      return role satisfies never;
  }
}

function userStatements(text: string): readonly Fact[] {
  if (text.length <= SHORT_MESSAGE) {
    const isImportant = PREFERENCE.test(text) || hasValue(text);
    return [{ text: `user: ${text.replaceAll(/\s+/g, " ").trim()}`, score: isImportant ? 100 : 60 }];
  }
  return sentences(text)
    .filter((sentence) => PREFERENCE.test(sentence) || hasValue(sentence))
    .map((sentence) => ({ text: `user: ${clip(sentence)}`, score: PREFERENCE.test(sentence) ? 90 : 80 }));
}

const isOfUser = ({ text }: Fact): boolean => text.startsWith("user: ");
const lengthOf = (facts: readonly Fact[]): number => facts.reduce((sum, { text }) => sum + text.length + SEPARATOR, 0);
const factOf = (speaker: string, score: number) => (text: string) => ({ text: `${speaker}: ${clip(text)}`, score });
const hasValue = (text: string): boolean => VALUE.test(text);
const sentences = (text: string): readonly string[] =>
  text
    .split(SENTENCES)
    .filter((sentence) => sentence.trim() !== "")
    .flatMap((sentence) => (sentence.length <= PIECE ? [sentence] : pieces(sentence)));
const pieces = (text: string): readonly string[] =>
  Array.from({ length: Math.ceil(text.length / PIECE) }, (_, index) => text.slice(index * PIECE, (index + 1) * PIECE));

/** A unique line scores higher than one of many similar lines. */
function factsOfOutput(output: unknown): readonly Fact[] {
  const lines = flatten(output, "");
  const alike = new Map<string, number>();
  for (const line of lines) alike.set(shape(line), (alike.get(shape(line)) ?? 0) + 1);
  return lines
    .filter(hasValue)
    .map((line) => ({ text: clip(line), score: (alike.get(shape(line)) ?? 0) >= REPEATED ? 10 : 50 }));
}

const shape = (line: string): string => line.replaceAll(/[0-9a-f]{8,}|\d+/gi, "0").slice(0, 80);

/** Flattens a result to lines of text, object values prefixed with their path. */
function flatten(value: unknown, name: string): readonly string[] {
  if (typeof value === "string") return sentences(value).map((line) => (name === "" ? line : `${name}: ${line}`));
  if (Array.isArray(value)) return value.flatMap((inner) => flatten(inner, name));
  if (typeof value !== "object" || value === null) return [name === "" ? String(value) : `${name}: ${String(value)}`];
  return Object.entries(value).flatMap(([key, inner]) => flatten(inner, name === "" ? key : `${name}.${key}`));
}

/** The part of a line around its first value. */
function clip(line: string): string {
  const text = line.replaceAll(/\s+/g, " ").trim();
  if (text.length <= LINE) return text;
  const at = Math.max(0, (VALUE.exec(text)?.index ?? 0) - LINE / 2);
  return `${at > 0 ? "…" : ""}${text.slice(at, at + LINE)}${at + LINE < text.length ? "…" : ""}`.toWellFormed();
}

function choose(facts: readonly Fact[], room: number): readonly Fact[] {
  const ranked = facts
    .map((fact, index) => ({ ...fact, index }))
    .sort((left, right) => right.score - left.score || right.index - left.index);
  const chosen = new Map<string, Fact & { readonly index: number }>();
  let left = room;
  for (const fact of ranked) {
    const { text } = fact;
    if (text === "" || chosen.has(text) || text.length + SEPARATOR > left) continue;
    chosen.set(text, fact);
    left -= text.length + SEPARATOR;
  }
  return [...chosen.values()]
    .sort((first, second) => first.index - second.index)
    .map(({ text, score }) => ({ text, score }));
}
