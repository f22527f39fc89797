import * as z from "zod/mini";
import { byteLength } from "../../shared/parse.ts";
import { BadEntry } from "./catalog-entry.ts";
import { parseYaml } from "./yaml-fields.ts";

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
  // The empty line stands for the opening ---, so that lines are those of the file.
  const yaml = await parseYaml(`\n${head}`);
  if (isDisabled(yaml.data)) {
    const { value, ignored } = yaml.read(z.partial(schema));
    return { kind: "disabled", name: "name" in value ? value.name : undefined, ignored };
  }
  const { value, ignored } = yaml.read(schema);
  return { kind: "enabled", fields: value, ignored, body: body.trim() };
}
