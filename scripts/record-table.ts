import { ENGINE_EVENTS } from "../src/contract/engine/events.ts";
import type { Schema } from "./openapi-types.ts";
import { INTERFACES } from "./interfaces.ts";
import { fieldRows } from "./field-rows.ts";
import { openApiOf } from "./openapi.ts";
import type { DocumentTable } from "./document-tables.ts";

const COMPONENTS: Readonly<Record<string, Schema>> = {
  ...openApiOf(INTERFACES.engine).components.schemas,
  ...openApiOf(INTERFACES.orchestrator).components.schemas,
};
/** By their names: components, and records within them. */
const SCHEMAS: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(Object.values(COMPONENTS).flatMap(namedIn)),
  ...COMPONENTS,
};

function namedIn(schema: Schema): readonly (readonly [string, Schema])[] {
  const { title, properties = {}, items, anyOf = [], oneOf = [] } = schema;
  const inner = [...Object.values(properties), ...(items === undefined ? [] : [items]), ...anyOf, ...oneOf];
  return [...(title === undefined ? [] : [[title, schema] as const]), ...inner.flatMap(namedIn)];
}

/** The fields of a record, those of objects within it by their paths: `usage.cpu_percent`. */
export function recordTable(file: string, marker: string, name: string): DocumentTable {
  const schema = SCHEMAS[name];
  if (schema === undefined) throw new Error(`no schema is named ${name}`);
  return { file, marker, head: ["field", "type", "meaning"], rows: fieldRows(schema, "") };
}

/** The kinds of a part, by their `type`, with their fields. */
export function partTable(file: string, marker: string, name: string): DocumentTable {
  const rows = (SCHEMAS[name]?.oneOf ?? []).map(({ properties = {}, description = "" }) => {
    const { type, ...fields } = properties;
    return [
      `\`${String(type?.const)}\``,
      description,
      Object.keys(fields)
        .map((field) => `\`${field}\``)
        .join(", "),
    ];
  });
  return { file, marker, head: ["part", "content", "fields"], rows };
}

/** The events of a turn with the fields of their data. */
export function eventTable(file: string, marker: string): DocumentTable {
  const frames = SCHEMAS["EngineEvent"]?.oneOf ?? [];
  const rows = Object.entries(ENGINE_EVENTS).flatMap(([type, { meaning, data }], at) => [
    [`\`${type}\``, "", "", meaning],
    ...fieldRows(frames[at]?.properties?.["data"] ?? {}, "")
      .filter(([name = ""]) => Object.hasOwn(data, name.replaceAll("`", "")))
      .map((row) => ["", ...row]),
  ]);
  return { file, marker, head: ["event", "field of `data`", "type", "meaning"], rows };
}
