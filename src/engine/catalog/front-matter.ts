import type { Document, LineCounter, YAMLError } from "yaml";
import * as z from "zod/mini";
import { InvalidInput, byteLength, parse } from "../../shared/parse.ts";
import { BadEntry } from "./bad-entry.ts";

const MAX_FRONT_MATTER = 16 * 1024;
/** What is between the two lines of dashes, and what follows the second. */
const PARTS = /^---[ \t]*\n(?<head>(?:[\s\S]*?\n)??)---[ \t]*(?:\n(?<body>[\s\S]*))?$/;

export interface FrontMatter<Fields> {
  readonly kind: "on";
  readonly fields: Fields;
  readonly body: string;
  /** Fields that the schema does not know. */
  readonly ignored: readonly string[];
}

/** Of an entry that is switched off nothing else is needed; what it does say has to be right. */
export interface SwitchedOff {
  readonly kind: "off";
  /** Its file's name where it says none. */
  readonly name: unknown;
  readonly ignored: readonly string[];
}

export const isSwitchedOff = (fields: unknown): boolean =>
  typeof fields === "object" && fields !== null && "disabled" in fields && fields.disabled === true;

/**
 * A markdown file that begins with YAML between two lines of dashes. The YAML is plain data: no tags, no aliases, no
 * key twice. Rejects with {@link BadEntry} with the line.
 */
export async function readFrontMatter<S extends z.ZodMiniObject>(
  schema: S,
  file: string,
): Promise<FrontMatter<z.output<S>> | SwitchedOff> {
  const { head, body = "" } = PARTS.exec(file.replaceAll(/\r\n?/g, "\n"))?.groups ?? {};
  if (head === undefined) throw new BadEntry("expected front matter: YAML between two lines of ---", 1);
  if (byteLength(head) > MAX_FRONT_MATTER)
    throw new BadEntry(`expected at most ${MAX_FRONT_MATTER} bytes of front matter`, 1);
  // Evaluated when it is first needed, although it lies in the same bundle: it takes 3 MB that few engines need.
  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const document = parsed(yaml, head, lines);
  const fields = plainData(document);
  try {
    if (isSwitchedOff(fields)) {
      const { value, ignored } = parse(z.partial(schema), fields);
      return { kind: "off", name: "name" in value ? value.name : undefined, ignored };
    }
    const { value, ignored } = parse(schema, fields);
    return { kind: "on", fields: value, ignored, body: body.trim() };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new BadEntry(error.message, lineOf(yaml, { document, lines, field: error.field.split(".")[0] }));
  }
}

type Yaml = typeof import("yaml");

function parsed({ parseDocument }: Yaml, head: string, lineCounter: LineCounter): Document {
  try {
    const document = parseDocument(head, { schema: "core", prettyErrors: false, lineCounter });
    // A tag that nobody knows is only a warning there; here it is somebody's wish that would not come true.
    const problem: YAMLError | undefined = document.errors[0] ?? document.warnings[0];
    if (problem !== undefined)
      throw new BadEntry(`no valid YAML: ${problem.message}`, lineCounter.linePos(problem.pos[0]).line + 1);
    return document;
  } catch (error) {
    if (error instanceof RangeError) throw new BadEntry("nested too deep", 1);
    throw error;
  }
}

function plainData(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    // Its words for an alias that leads nowhere and for one too many.
    if (error instanceof ReferenceError) throw new BadEntry("aliases are not taken", 1);
    if (error instanceof RangeError) throw new BadEntry("nested too deep", 1);
    throw error;
  }
}

/** Where the field stands in the file; the first line for one that is missing. */
function lineOf(
  { isMap, isScalar }: Yaml,
  {
    document: { contents },
    lines,
    field,
  }: { readonly document: Document; readonly lines: LineCounter; readonly field: string | undefined },
): number {
  if (!isMap(contents)) return 1;
  const pair = contents.items.find(({ key }) => isScalar(key) && key.value === field);
  const start = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
  return start === undefined ? 1 : lines.linePos(start).line + 1;
}
