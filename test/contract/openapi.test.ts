import { Validator } from "@seriousme/openapi-schema-validator";
import t from "tap";
import { docsPageOf } from "../../scripts/docs-page.ts";
import { INTERFACES } from "../../scripts/interfaces.ts";
import { openApiOf } from "../../scripts/openapi.ts";
import type { Schema } from "../../scripts/openapi-types.ts";

const DOCUMENTS = { orchestrator: openApiOf(INTERFACES.orchestrator), engine: openApiOf(INTERFACES.engine) };

/** The paths of the properties without a meaning. */
function withoutMeaning({ properties = {}, items, anyOf, oneOf, ...schema }: Schema, path: string): readonly string[] {
  const { additionalProperties: rest } = schema;
  const inner = [items, ...(anyOf ?? []), ...(oneOf ?? []), typeof rest === "object" ? rest : undefined];
  return [
    ...Object.entries(properties).flatMap(([name, property]) => [
      ...(property.description === undefined ? [`${path}.${name}`] : []),
      ...withoutMeaning(property, `${path}.${name}`),
    ]),
    ...inner.flatMap((one) => (one === undefined ? [] : withoutMeaning(one, path))),
  ];
}

for (const [name, document] of Object.entries(DOCUMENTS)) {
  const text = JSON.stringify(document);

  t.test(`the OpenAPI document of the ${name} is valid by the schema of OpenAPI 3.1`, async (t) => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(text));
    t.ok(valid, JSON.stringify(errors));
    t.equal(validator.version, "3.1");
  });

  t.test(`every reference of the ${name}'s document resolves, and every schema is used`, async (t) => {
    const used = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, schema]) => schema));
    t.same(used, new Set(Object.keys(document.components.schemas)));
  });

  t.test(`the ${name}'s document has every public route under a name of its own`, async (t) => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => [operationId, `${method.toUpperCase()} ${path}`]),
    );
    const routes = Object.entries(INTERFACES[name as keyof typeof INTERFACES].routes);
    t.same(
      new Map(operations as [string, string][]),
      new Map(routes.map(([route, { method, path }]) => [route, `${method} ${path}`])),
    );
  });

  t.test(`every parameter of the ${name}'s routes has a meaning`, async (t) => {
    const parameters = Object.values(document.paths)
      .flatMap((item) => Object.values(item))
      .flatMap((one) => one.parameters);
    t.same(
      parameters.filter(({ description }) => description === ""),
      [],
      "a query parameter or header has its `summary` in the row of its route",
    );
  });

  t.test(`every property of the ${name}'s schemas has a meaning`, async (t) => {
    const missing = Object.entries(document.components.schemas).flatMap(([schema, definition]) =>
      withoutMeaning(definition, schema),
    );
    t.same(missing, []);
  });

  t.test(
    `every schema with properties in the ${name}'s document has an example with all that is required`,
    async (t) => {
      const { schemas } = document.components;
      for (const [schema, { properties, required = [], examples = [] }] of Object.entries(schemas)) {
        if (properties === undefined) continue;
        const [example] = examples as readonly Record<string, unknown>[];
        t.same(
          required.filter((field) => !Object.hasOwn(example ?? {}, field)),
          [],
          schema,
        );
      }
    },
  );

  t.test(`the ${name}'s page shows every route, runs no script and loads nothing`, async (t) => {
    const page = docsPageOf(document);
    const missing = Object.keys(document.paths).filter((path) => !page.includes(` ${path}</code></h3>`));
    t.same(missing, []);
    t.notMatch(page, /<script|<link|<img|\bsrc=|\bstyle=|\bon\w+=|url\(|href="(?!#|openapi\.json")/i);
  });
}
