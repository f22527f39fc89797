import type { Document, LineCounter, YAMLError } from "yaml";
import * as z from "zod/mini";
import { InvalidInput, byteLength, parse } from "../../shared/parse.ts";
import { BadEntry } from "./catalog-entry.ts";

const MAX_FRONT_MATTER = 16 * 1024;
const MAX_YAML_PROBLEMS = 20;
/** The YAML between two `---` lines, and the body. */
const PARTS = /^---[ \t]*\n(?<head>(?:[\s\S]*?\n)??)---[ \t]*(?:\n(?<body>[\s\S]*))?$/;

export interface FrontMatter<Fields> {
  readonly kind: "enabled";
  readonly fields: Fields;
  readonly body: string;
  /** Fields that the schema does not know. */
  readonly ignored: readonly string[];
}

/** A disabled entry; its fields are validated but not required. */
export interface DisabledEntry {
  readonly kind: "disabled";
  /** Undefined without a name field. */
  readonly name: unknown;
  readonly ignored: readonly string[];
}

export const isDisabled = (fields: unknown): boolean =>
  typeof fields === "object" && fields !== null && "disabled" in fields && fields.disabled === true;

/**
 * Parses a markdown file with YAML front matter. Tags, aliases and duplicate keys are refused. Rejects with
 * {@link BadEntry}, which names the line.
 */
export async function readFrontMatter<S extends z.ZodMiniObject>(
  schema: S,
  file: string,
): Promise<FrontMatter<z.output<S>> | DisabledEntry> {
  const { head, body = "" } = PARTS.exec(file.replaceAll(/\r\n?/g, "\n"))?.groups ?? {};
  if (head === undefined) throw new BadEntry("expected front matter: YAML between two lines of ---", 1);
  if (byteLength(head) > MAX_FRONT_MATTER)
    throw new BadEntry(`expected at most ${MAX_FRONT_MATTER} bytes of front matter`, 1);
  // Loaded lazily: the module takes 3 MB, and few engines have catalog files.
  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const document = parsed(yaml, head, lines);
  const fields = plainData(document);
  try {
    if (isDisabled(fields)) {
      const { value, ignored } = parse(z.partial(schema), fields);
      return { kind: "disabled", name: "name" in value ? value.name : undefined, ignored };
    }
    const { value, ignored } = parse(schema, fields);
    return { kind: "enabled", fields: value, ignored, body: body.trim() };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new BadEntry(
      error.all.map(({ path, message }) => ({ message, line: lineOf(yaml, { document, lines, path }) })),
    );
  }
}

type Yaml = typeof import("yaml");

function parsed({ parseDocument }: Yaml, head: string, lineCounter: LineCounter): Document {
  try {
    const document = parseDocument(head, { schema: "core", prettyErrors: false, lineCounter });
    // Unknown tags are only warnings in `yaml`, but would be ignored here.
    const problems: readonly YAMLError[] = [...document.errors, ...document.warnings];
    if (problems.length > 0)
      throw new BadEntry(
        problems.slice(0, MAX_YAML_PROBLEMS).map(({ message, pos: [start] }) => ({
          message: `invalid YAML: ${message}`,
          line: lineCounter.linePos(start).line + 1,
        })),
      );
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
    // Thrown for unresolved aliases and for too many.
    if (error instanceof ReferenceError) throw new BadEntry("aliases are not supported", 1);
    if (error instanceof RangeError) throw new BadEntry("nested too deep", 1);
    throw error;
  }
}

/** The line in the file of a field, or of the deepest part of its path that is there; 1 if there is none. */
function lineOf(
  { isMap, isScalar, isSeq, isNode }: Yaml,
  {
    document: { contents },
    lines,
    path,
  }: { readonly document: Document; readonly lines: LineCounter; readonly path: readonly string[] },
): number {
  let place: unknown = contents;
  let line = 1;
  for (const name of path) {
    const pair = isMap(place) ? place.items.find(({ key }) => isScalar(key) && String(key.value) === name) : undefined;
    const found = isSeq(place) ? place.items[Number(name)] : pair?.key;
    const start = isNode(found) ? found.range?.[0] : undefined;
    if (start === undefined) break;
    line = lines.linePos(start).line + 1;
    place = isSeq(place) ? found : pair?.value;
  }
  return line;
}
