/** What the validators of all providers share. A wrong shape is a problem like any other. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export class Problems {
  readonly found: string[] = [];

  check(holds: unknown, what: string): void {
    if (holds !== true) this.found.push(what);
  }

  text(value: unknown, where: string): void {
    this.check(typeof value === "string" && value.trim() !== "", `${where}: blank text`);
    this.check(typeof value === "string" && value.length <= 10_485_760, `${where}: text too long`);
  }

  object(value: unknown, where: string): void {
    this.check(isObject(value), `${where}: not an object`);
  }

  matches(value: unknown, pattern: RegExp, where: string): void {
    this.check(
      typeof value === "string" && pattern.test(value),
      `${where}: ${JSON.stringify(value)} is not ${pattern}`,
    );
  }

  unique(values: readonly unknown[], where: string): void {
    this.check(new Set(values).size === values.length, `${where}: not unique`);
  }

  onlyKeys(value: Json, keys: readonly string[], where: string): void {
    for (const key of Object.keys(value ?? {})) this.check(keys.includes(key), `${where}: unknown field ${key}`);
  }

  /** No lone surrogate anywhere, keys included, and no document that a parser refuses for its depth. */
  wellFormed(value: Json, where: string, depth = 0): void {
    if (depth > 40) this.found.push(`${where}: nested too deep`);
    else if (typeof value === "string") this.check(value.isWellFormed(), `${where}: lone surrogate`);
    else if (isObject(value) || Array.isArray(value))
      for (const [key, inner] of Object.entries(value)) {
        this.check(key.isWellFormed(), `${where}: lone surrogate in a key`);
        this.wellFormed(inner, `${where}.${key}`, depth + 1);
      }
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
const text = (value: unknown) => typeof value === "string";
const number = (value: unknown) => typeof value === "number";
const bool = (value: unknown) => typeof value === "boolean";
const anything = () => true;
/** The keywords of JSON Schema 2020-12 whose values its metaschema restricts, but for those that hold schemas. */
const VALUES: Readonly<Record<string, (value: Json) => boolean>> = {
  type: (value) =>
    Array.isArray(value) ? value.length > 0 && value.every((one) => TYPES.includes(one)) : TYPES.includes(value),
  title: text,
  description: text,
  default: anything,
  examples: Array.isArray,
  const: anything,
  enum: (value) => Array.isArray(value) && value.length > 0,
  format: text,
  pattern: (value) => text(value) && new RegExp(value, "u") instanceof RegExp,
  minLength: isCount,
  maxLength: isCount,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: (value) => number(value) && value > 0,
  minItems: isCount,
  maxItems: isCount,
  uniqueItems: bool,
  minProperties: isCount,
  maxProperties: isCount,
  required: (value) => Array.isArray(value) && value.every(text) && new Set(value).size === value.length,
  additionalProperties: (value) => bool(value) || isObject(value),
  items: isObject,
  not: isObject,
  properties: isObject,
  patternProperties: isObject,
  prefixItems: (value) => Array.isArray(value) && value.length > 0,
  anyOf: (value) => Array.isArray(value) && value.length > 0,
  oneOf: (value) => Array.isArray(value) && value.length > 0,
  allOf: (value) => Array.isArray(value) && value.length > 0,
};

export interface SchemaLimits {
  readonly keywords?: readonly string[];
  readonly argumentName: RegExp;
}

/** The schema of a tool's arguments. */
export function checkSchema(
  problems: Problems,
  schema: Json,
  where: string,
  { keywords, argumentName }: SchemaLimits,
): void {
  problems.check(schema?.type === "object", `${where}: type is not object`);
  problems.check(isObject(schema?.properties), `${where}: no properties`);
  for (const name of ["anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref"])
    problems.check(!(name in (schema ?? {})), `${where}: ${name} at the top`);
  for (const name of Object.keys(schema?.properties ?? {})) problems.matches(name, argumentName, `${where}: argument`);
  checkNode(problems, schema, where, { keywords, depth: 0 });
}

function checkNode(
  problems: Problems,
  schema: Json,
  where: string,
  { keywords, depth }: { readonly keywords: readonly string[] | undefined; readonly depth: number },
): void {
  if (typeof schema === "boolean") return;
  if (depth > 16) {
    problems.check(false, `${where}: schema nested too deep`);
    return;
  }
  for (const [name, value] of Object.entries<Json>(schema)) {
    const known = VALUES[name];
    problems.check(known !== undefined, `${where}: keyword ${name}`);
    problems.check(known?.(value), `${where}: value of ${name}`);
    if (keywords) problems.check(keywords.includes(name), `${where}: keyword ${name} is not supported`);
  }
  const { type, items, required = [], properties = {} } = schema;
  if (type === "array" || (Array.isArray(type) && type.includes("array")))
    problems.check(isObject(items), `${where}: array without items`);
  for (const name of required) problems.check(name in properties, `${where}: ${name} is required and unknown`);
  const inner: [string, Json][] = [
    ...Object.entries(properties),
    ...Object.entries(schema.patternProperties ?? {}),
    ...[
      ...(schema.anyOf ?? []),
      ...(schema.oneOf ?? []),
      ...(schema.allOf ?? []),
      ...(schema.prefixItems ?? []),
    ].entries(),
    ...[items, schema.not, schema.additionalProperties].filter(isObject).entries(),
  ].map(([name, one]) => [String(name), one]);
  for (const [name, one] of inner) checkNode(problems, one, `${where}.${name}`, { keywords, depth: depth + 1 });
}
