import { setImmediate as nextTurn } from "node:timers/promises";
import * as z from "zod/mini";
import { MEMORY_FORMAT, MEMORY_FORMAT_VERSION } from "../../../contract/engine/memory-format.ts";
import { isFlatterThan, isRecord } from "../../../shared/json-values.ts";
import { lazily } from "../../../shared/lazily.ts";
import { InvalidInput, parse } from "../../../shared/parse.ts";
import { RECORD_TYPES, type RecordType, fileRecord } from "./file-records.ts";

export interface ReadRecord {
  readonly line: number;
  readonly type: RecordType;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Larger than any record: a message of 1 MiB with each character escaped. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
const LINE_FEED = 0x0a;

interface FileLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

const header = z.object({ format: z.literal(MEMORY_FORMAT), version: z.int().check(z.gte(1)) });
const end = z.object({ counts: z.record(z.string(), z.int()) });
const schemas = lazily(
  (): ReadonlyMap<RecordType, z.ZodMiniObject> => new Map(RECORD_TYPES.map((type) => [type, schemaOf(type)])),
);
/** Deeper than any tool result, and far from the recursion limit. */
const MAX_DEPTH = 500;
/** Reading time before the event loop runs. */
const SLICE_MS = 4;

/** The validated records of a file. Throws unless the file has its header and its end line. */
export async function* readMemoryFile(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadRecord> {
  const counts = new Map<string, number>();
  let state: "before" | "within" | "after" = "before";
  let until = performance.now() + SLICE_MS;
  for await (const { number, text } of linesOf(chunks)) {
    const value = objectOf(number, text);
    if (state === "after") throw new InvalidInput(`line ${number}`, "expected nothing after the end line");
    if (state === "before") {
      checkHeader(number, value);
      state = "within";
    } else if (value["type"] === "end") {
      checkEnd(number, value, counts);
      state = "after";
    } else {
      const [type, schema] = schemaFor(number, value["type"]);
      counts.set(type, (counts.get(type) ?? 0) + 1);
      yield { line: number, type, fields: withLine(number, `${type}.`, () => parse(schema, value).value) };
    }
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + SLICE_MS;
  }
  if (state === "before") throw new InvalidInput("line 1", "expected the header of a memory file, got an empty file");
  if (state === "within")
    throw new InvalidInput("body", "expected an end line: the file is incomplete; export it again");
}

function objectOf(line: number, text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InvalidInput(`line ${line}`, `expected JSON (${error instanceof Error ? error.message : ""})`);
  }
  if (!isRecord(value)) throw new InvalidInput(`line ${line}`, "expected a JSON object");
  if (!isFlatterThan(MAX_DEPTH, value)) throw new InvalidInput(`line ${line}`, `expected at most ${MAX_DEPTH} levels`);
  return value;
}

function checkHeader(line: number, value: Readonly<Record<string, unknown>>): void {
  if (value["type"] !== "header") throw new InvalidInput(`line ${line}: type`, "expected the header of a memory file");
  const { version } = withLine(line, "", () => parse(header, value).value);
  if (version <= MEMORY_FORMAT_VERSION) return;
  const problem = `the file has version ${version}, this engine reads up to ${MEMORY_FORMAT_VERSION}; update the engine first`;
  throw new InvalidInput(`line ${line}: version`, problem);
}

function checkEnd(line: number, value: unknown, counts: ReadonlyMap<string, number>): void {
  const declared = new Map(Object.entries(withLine(line, "", () => parse(end, value).value).counts));
  for (const type of new Set([...declared.keys(), ...counts.keys()])) {
    const [expected, got] = [declared.get(type) ?? 0, counts.get(type) ?? 0];
    if (expected !== got)
      throw new InvalidInput(
        `line ${line}: counts.${type}`,
        `expected ${expected} records, got ${got}: the file is incomplete`,
      );
  }
}

function schemaFor(line: number, type: unknown): readonly [RecordType, z.ZodMiniObject] {
  for (const known of schemas()) if (known[0] === type) return known;
  throw new InvalidInput(`line ${line}: type`, `expected one of ${RECORD_TYPES.join(", ")}, end`);
}

function schemaOf(type: RecordType): z.ZodMiniObject {
  const { fields, shapes } = fileRecord(type);
  const schema = z.object(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.schema()])));
  if (shapes === undefined) return schema;
  const { field, by, of } = shapes;
  const shapeOf = new Map(Object.entries(of).map(([name, made]) => [name, made()]));
  const fits = (value: Readonly<Record<string, unknown>>) =>
    z.safeParse(shapeOf.get(String(value[by])) ?? z.never(), value[field]).success;
  return schema.check(z.refine(fits, { path: [field], error: `expected a value that belongs to its ${by}` }));
}

/** Adds the line to the field of an error. */
function withLine<T>(line: number, where: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(`line ${line}: ${where}${error.field}`, error.message.slice(error.field.length + 2));
  }
}

/** The non-empty lines of a chunked file, one in memory at a time. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FileLine> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let number = 1;
  const append = (part: Uint8Array) => {
    bytes += part.length;
    if (bytes > MAX_LINE_BYTES) throw new InvalidInput(`line ${number}`, `expected at most ${MAX_LINE_BYTES} bytes`);
    parts.push(part);
  };
  const takeLine = (): FileLine => {
    const bytesOfLine = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    [parts, bytes] = [[], 0];
    try {
      return { number: number++, text: decoder.decode(bytesOfLine).trim() };
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new InvalidInput(`line ${number - 1}`, "expected UTF-8");
    }
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(LINE_FEED); to !== -1; to = chunk.indexOf(LINE_FEED, from)) {
      append(chunk.subarray(from, to));
      from = to + 1;
      const read = takeLine();
      if (read.text !== "") yield read;
    }
    if (from < chunk.length) append(chunk.subarray(from));
  }
  const last = takeLine();
  if (last.text !== "") yield last;
}
