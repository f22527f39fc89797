import type { Document, LineCounter, YAMLError } from "yaml";
import * as z from "zod/mini";
import { InvalidInput, parse } from "../../shared/parse.ts";
import { BadEntry } from "./catalog-entry.ts";

const MAX_YAML_PROBLEMS = 20;

export interface YamlText {
  /** Unchecked. */
  readonly data: unknown;
  /** The line of a field, or of the deepest part of its path that is there; 1 if there is none. */
  readonly lineOf: (path: readonly string[]) => number;
  /** Reads the fields by a schema. Throws {@link BadEntry}. */
  read<S extends z.ZodMiniObject>(schema: S): { readonly value: z.output<S>; readonly ignored: readonly string[] };
}

/**
 * Parses YAML. Tags, aliases and duplicate keys are refused. Rejects with {@link BadEntry}, which names the line. An
 * empty text has no fields.
 */
export async function parseYaml(text: string): Promise<YamlText> {
  // Loaded lazily: the module takes 3 MB, and few engines have catalog files.
  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const document = parsed(yaml, text, lines);
  const data = plainData(document) ?? {};
  const placeOf = (path: readonly string[]) => lineOf(yaml, { document, lines, path });
  return {
    data,
    lineOf: placeOf,
    read(schema) {
      try {
        return parse(schema, data);
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        throw new BadEntry(error.all.map(({ path, message }) => ({ message, line: placeOf(path) })));
      }
    },
  };
}

type Yaml = typeof import("yaml");

function parsed({ parseDocument }: Yaml, text: string, lineCounter: LineCounter): Document {
  try {
    const document = parseDocument(text, { schema: "core", prettyErrors: false, lineCounter });
    // Unknown tags are only warnings in `yaml`, but would be ignored here.
    const problems: readonly YAMLError[] = [...document.errors, ...document.warnings];
    if (problems.length > 0)
      throw new BadEntry(
        problems.slice(0, MAX_YAML_PROBLEMS).map(({ message, pos: [start] }) => ({
          message: `invalid YAML: ${message}`,
          line: lineCounter.linePos(start).line,
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

/** The line of a field, or of the deepest part of its path that is there; 1 if there is none. */
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
    line = lines.linePos(start).line;
    place = isSeq(place) ? found : pair?.value;
  }
  return line;
}
