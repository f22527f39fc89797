import type { Document, LineCounter, YAMLError } from "yaml";
import * as z from "zod/mini";
import { InvalidInput, byteLength, parse } from "../../shared/parse.ts";
import { BadEntry } from "./catalog-entry.ts";

const MAX_FRONT_MATTER = 16 * 1024;
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
    throw new BadEntry(error.message, lineOf(yaml, { document, lines, field: error.field.split(".")[0] }));
  }
}

type Yaml = typeof import("yaml");

function parsed({ parseDocument }: Yaml, head: string, lineCounter: LineCounter): Document {
  try {
    const document = parseDocument(head, { schema: "core", prettyErrors: false, lineCounter });
    // Unknown tags are only warnings in `yaml`, but would be ignored here.
    const problem: YAMLError | undefined = document.errors[0] ?? document.warnings[0];
    if (problem !== undefined)
      throw new BadEntry(`invalid YAML: ${problem.message}`, lineCounter.linePos(problem.pos[0]).line + 1);
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

/** The line of a field in the file; 1 if it is missing. */
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
