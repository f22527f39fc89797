import type { Schema } from "./openapi-types.ts";

const TIME = "2026-11-24T08:00:00.000Z";

/** An example of a schema: of its properties their examples, otherwise a value of their type. */
export function exampleOf(schema: Schema, components: Readonly<Record<string, Schema>>): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.$ref !== undefined) return exampleOf(components[schema.$ref.split("/").at(-1) ?? ""] ?? {}, components);
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return exampleOf(first, components);
  const [type] = [schema.type ?? "null"].flat();
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name, property]) => schema.required?.includes(name) === true || property.examples !== undefined)
          .map(([name, property]) => [name, exampleOf(property, components)]),
      );
    case "array":
      return [exampleOf(schema.items ?? {}, components)];
    case "string":
      return schema.pattern?.includes("T\\d\\d") === true ? TIME : "…";
    case "integer":
    case "number":
      return schema.minimum !== undefined && schema.minimum > 0 ? schema.minimum : 0;
    case "boolean":
      return false;
    default:
      return null;
  }
}
