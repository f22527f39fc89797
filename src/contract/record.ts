import * as z from "zod/mini";
import { described } from "./described.ts";

/** A property with its meaning in CommonMark, and an example for the OpenAPI document. */
export const field = <Schema extends z.ZodMiniType>(schema: Schema, meaning: string, example?: unknown): Schema =>
  described(schema, { description: meaning, ...(example !== undefined && { examples: [example] }) });

export const nullable = <Schema extends z.ZodMiniType>(schema: Schema, meaning: string, example?: unknown) =>
  field(z.nullable(schema), meaning, example);

/** What an interface sends or takes, under the name that its type has in the client. */
export const record = <Shape extends z.core.$ZodShape>(name: string, meaning: string, shape: Shape) =>
  described(z.object(shape), { title: name, description: meaning });

/** A record with the fields of another one and its own. */
export const extended = <Base extends z.ZodMiniObject, Shape extends z.core.$ZodShape>(
  base: Base,
  name: string,
  meaning: string,
  shape: Shape,
) => described(z.extend(base, shape), { title: name, description: meaning });

/** One page of a list. */
export const page = <Item extends z.ZodMiniType>(item: Item, meaning: string) =>
  described(
    z.object({
      data: field(z.array(item), "The records of this page."),
      next_cursor: nullable(z.string(), "The `cursor` of the next page. `null` on the last one."),
    }),
    { description: meaning },
  );

/** A record's type. Records are never changed. */
export type RecordOf<Schema extends z.ZodMiniType> = DeepReadonly<z.output<Schema>>;

type DeepReadonly<Value> = Value extends object ? { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> } : Value;

/** `2026-11-01T12:00:00.000Z` */
export type IsoTime = string;
