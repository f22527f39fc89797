import { type FileRecord, hashOf } from "./conversation-records.ts";

/** Lines such as `Last name: ?`, which templates begin with. */
const UNKNOWN: ReadonlySet<string> = new Set(["", "?", "unknown", "n/a", "none"]);

/**
 * The lines of a block about the user as facts: `Name: Ada` says something of the user, and another line is a statement.
 * Their trust is `external`: another system wrote them.
 */
export function factRecords(
  text: string,
  now: string,
): { readonly records: readonly FileRecord[]; readonly left: number } {
  const lines = text
    .split("\n")
    .map((line) => line.replace(/^\s*[-*•]\s*/, "").trim())
    .filter((line) => line !== "" && !line.endsWith(":"));
  const facts = lines.flatMap((line) => {
    const [, name = "", value = ""] = /^([^:.]{1,60}):\s*(.*)$/.exec(line) ?? [];
    if (name === "") return [{ content: line, predicate: "is described by", object: line }];
    const isUnknown = UNKNOWN.has(value.toLowerCase());
    return isUnknown
      ? []
      : [{ content: `${name} of the user: ${value}`, predicate: name.toLowerCase(), object: value }];
  });
  const records = facts.map((fact) => ({
    type: "knowledge",
    id: `kn_letta-${hashOf([fact.predicate, fact.object])}`,
    ...fact,
    subject: "user",
    hash: hashOf(["letta", fact.predicate, fact.object]),
    importance: 5,
    confidence: 0.7,
    source: "user",
    trust: "external",
    valid_from: null,
    valid_to: null,
    created_at: now,
    invalidated_at: null,
    superseded_by: null,
    evidence: [],
  }));
  return { records, left: lines.length - records.length };
}
