import type { SqlValue } from "../../store/database.ts";
import * as z from "zod/mini";
import { byteLength, opaqueId } from "../../../shared/parse.ts";
import { TRUST, type TrustName, trustName } from "../trust.ts";

/** One field of a record: its column, its schema in a file, and the conversion between both. */
export interface FileField {
  readonly column: string;
  /** The SQL expression to select, if it is not the column itself. */
  readonly expression?: string;
  /** Made for an import. An engine holds none of these schemas before. */
  readonly schema: () => z.ZodMiniType;
  readonly toFile: (stored: unknown) => unknown;
  readonly toStore: (value: unknown) => SqlValue;
}

const unchanged = (value: unknown) => value;
const asStored = (value: unknown) => value as SqlValue;
const plain = (column: string, schema: () => z.ZodMiniType): FileField => ({
  column,
  schema,
  toFile: unchanged,
  toStore: asStored,
});

const MAX_TEXT = 2 * 1024 * 1024;
const boundedText = (max: number) => () =>
  z.string().check(
    z.refine((text) => text.isWellFormed(), { error: "expected well-formed Unicode", abort: true }),
    z.refine((text) => byteLength(text) <= max, { error: `expected at most ${max} bytes` }),
  );

export const id = (column: string, prefix: string): FileField =>
  plain(column, () =>
    z.string().check(z.regex(new RegExp(`^${prefix}[\\w:.-]{1,100}$`), `expected an id with the prefix ${prefix}`)),
  );

export const text = (column: string, max = MAX_TEXT): FileField => plain(column, boundedText(max));

/** A name of a folder. */
export const fileName = (column: string): FileField =>
  plain(column, () =>
    z
      .string()
      .check(
        z.maxLength(64),
        z.regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "expected small letters, digits and single hyphens between them"),
      ),
  );

export const task = (column = "task_id"): FileField => plain(column, () => opaqueId(1, 256));

export const choice = (column: string, options: readonly string[]): FileField =>
  plain(column, () => z.enum([...options]));

export const integer = (column: string, min: number, max = Number.MAX_SAFE_INTEGER): FileField =>
  plain(column, () => z.int().check(z.gte(min), z.lte(max)));

export const fraction = (column: string): FileField => plain(column, () => z.number().check(z.gte(0), z.lte(1)));

export const flag = (column: string): FileField => ({
  column,
  schema: () => z.boolean(),
  toFile: (stored) => stored === 1,
  toStore: (value) => (value === true ? 1 : 0),
});

export const time = (column: string): FileField => ({
  column,
  schema: () =>
    z.string().check(
      z.refine((value) => /^[+-]?\d{4,6}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value)), {
        error: "expected an ISO 8601 time",
      }),
    ),
  toFile: (stored) => new Date(Number(stored)).toISOString(),
  toStore: (value) => Date.parse(String(value)),
});

export const trust = (column = "trust"): FileField => ({
  column,
  schema: () => z.enum(Object.keys(TRUST)),
  toFile: (stored) => trustName(Number(stored)),
  toStore: (value) => TRUST[value as TrustName],
});

/** Stored as JSON text; a JSON value in a file. */
export const json = (column: string, schema: () => z.ZodMiniType): FileField => ({
  column,
  schema,
  toFile: (stored) => JSON.parse(String(stored)) as unknown,
  toStore: (value) => JSON.stringify(value),
});

/** A list of values from another table. */
export const listed = (sql: string, schema: () => z.ZodMiniType): FileField => ({
  column: "",
  expression: `(select json_group_array(value) from (${sql}))`,
  schema: () => z.array(schema()),
  toFile: (stored) => JSON.parse(String(stored)) as unknown,
  toStore: (value) => JSON.stringify(value),
});

/** Files of earlier releases do not have the field. */
export const orMissing = (field: FileField): FileField => {
  const nullable = orNull(field);
  return { ...nullable, schema: () => z.optional(nullable.schema()) };
};

export const orNull = (field: FileField): FileField => ({
  ...field,
  schema: () => z.nullable(field.schema()),
  toFile: (stored) => (stored === null ? null : field.toFile(stored)),
  toStore: (value) => (value === null ? null : field.toStore(value)),
});
