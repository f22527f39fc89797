import { fieldRows } from "./field-rows.ts";
import type { Contents, OpenApiDocument, Operation, ParameterObject, ResponseObject, Schema } from "./openapi-types.ts";

const STYLE = `
body{margin:0 auto;max-width:60rem;padding:1rem;font:16px/1.5 system-ui,sans-serif;color:#1a1a1a;background:#fff}
h2{margin-top:3rem;border-bottom:1px solid #ccc}h3{margin:2rem 0 .25rem;font-size:1rem}
code,pre{font-family:ui-monospace,monospace;font-size:.875rem}pre{overflow:auto;padding:.75rem;background:#f5f5f5}
table{border-collapse:collapse;width:100%;margin:.5rem 0}th,td{padding:.25rem .5rem;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}
nav ul{columns:2;list-style:none;padding:0}a{color:#0645ad}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#111}pre{background:#1d1d1d}th,td{border-color:#333}a{color:#8ab4f8}}
`;

/** An OpenAPI document as one HTML page without scripts and external resources. */
export function docsPageOf(document: OpenApiDocument): string {
  const operations = operationsOf(document);
  const groups = [...new Set(operations.map(({ tag }) => tag))];
  const { title, version, description } = document.info;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(title)} ${escape(version)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escape(title)} <small>${escape(version)}</small></h1>
<p>${markup(description)}</p>
<p><a href="openapi.json">OpenAPI 3.1 document</a></p>
<nav><ul>
${operations.map(({ id, method, path }) => `<li><a href="#${id}"><code>${method} ${escape(path)}</code></a></li>`).join("\n")}
</ul></nav>
${groups
  .map(
    (group) =>
      `<h2>/${escape(group)}</h2>\n${operations
        .filter(({ tag }) => tag === group)
        .map(operationOf)
        .join("\n")}`,
  )
  .join("\n")}
<h2>Schemas</h2>
${Object.entries(document.components.schemas)
  .map(([name, schema]) => `<h3 id="schema-${name}">${name}</h3>\n${schemaOf(schema)}`)
  .join("\n")}
</body>
</html>
`;
}

interface Listed {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly definition: Operation;
}

const operationsOf = (document: OpenApiDocument): readonly Listed[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, definition]) => ({
      id: definition.operationId,
      tag: definition.tags[0] ?? "",
      method: method.toUpperCase(),
      path,
      definition,
    })),
  );

function operationOf({ id, method, path, definition }: Listed): string {
  const keys = definition.security.flatMap((one) => Object.keys(one));
  const optional = definition.security.some((one) => Object.keys(one).length === 0);
  const key =
    keys.length === 0
      ? "No key"
      : `<code>${keys.join("</code>, <code>")}</code>${optional ? ", or a local caller" : ""}`;
  const body = definition.requestBody;
  return [
    `<h3 id="${id}"><code>${method} ${escape(path)}</code></h3>`,
    `<p>${markup(definition.summary)}. ${key}.</p>`,
    definition.parameters.length === 0 ? "" : parametersOf(definition.parameters),
    body === undefined ? "" : `<p>Request body${body.required ? "" : " (optional)"}: ${contentOf(body.content)}</p>`,
    `<table><tr><th>Status</th><th>Answer</th></tr>${Object.entries(definition.responses)
      .map(([status, response]) => `<tr><td>${status}</td><td>${answerOf(status, response)}</td></tr>`)
      .join("")}</table>`,
  ].join("\n");
}

const parametersOf = (parameters: readonly ParameterObject[]): string =>
  `<table><tr><th>Parameter</th><th>In</th><th>Type</th><th>Meaning</th></tr>${parameters
    .map(
      ({ name, in: place, schema, description }) =>
        `<tr><td><code>${name}</code></td><td>${place}</td><td><code>${notation(schema)}</code></td><td>${markup(description)}</td></tr>`,
    )
    .join("")}</table>`;

function schemaOf(schema: Schema): string {
  const { description, examples = [] } = schema;
  const rows = fieldRows(schema).map((cells) => `<tr>${cells.map((cell) => `<td>${markup(cell)}</td>`).join("")}</tr>`);
  return [
    description === undefined ? "" : `<p>${markup(description)}</p>`,
    `<pre>${notation(schema)}</pre>`,
    rows.length === 0 ? "" : `<table><tr><th>Field</th><th>Type</th><th>Meaning</th></tr>${rows.join("")}</table>`,
    ...examples.map((example) => `<pre>${escape(JSON.stringify(example, null, 2))}</pre>`),
  ].join("\n");
}

const answerOf = (status: string, response: ResponseObject): string =>
  Number(status) < 300 ? contentOf(response.content) : response.description.split("\n\n").map(markup).join("<br>");

const contentOf = (content: Contents): string =>
  Object.entries(content)
    .map(([type, media]) => {
      const of = media["x-item"] ?? (media.schema.$ref === undefined ? undefined : media.schema);
      return `<code>${type}</code>${of === undefined ? "" : ` of ${notation(of)}`}`;
    })
    .join(" or ");

/** A JSON schema in short: `{ name: type }`, `?` after the name of an optional field. */
function notation(schema: Schema, indent = ""): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1);
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return escape(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => escape(JSON.stringify(value))).join(" | ");
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return alternatives.map((one) => notation(one, indent)).join(" | ");
  if (schema.type === "array") return `[${notation(schema.items ?? {}, indent)}]`;
  if (schema.type !== "object") return `${[schema.type ?? "any"].flat().join(" | ")}${boundsOf(schema)}`;
  if (schema.properties === undefined || Object.keys(schema.properties).length === 0) {
    const values = schema.additionalProperties;
    return typeof values === "object" && Object.keys(values).length > 0
      ? `{ …: ${notation(values, indent)} }`
      : "object";
  }
  const inner = `${indent}  `;
  const fields = Object.entries(schema.properties).map(
    ([name, field]) =>
      `${inner}${escape(name)}${schema.required?.includes(name) === true ? "" : "?"}: ${notation(field, inner)}`,
  );
  return `{\n${fields.join("\n")}\n${indent}}`;
}

/** Omits zod's bounds of safe integers, which every integer has. */
const MAX = Number.MAX_SAFE_INTEGER;

function boundsOf({ minimum, maximum, minLength, maxLength, default: fallback }: Schema): string {
  const [low, high] = [minimum ?? minLength, maximum ?? maxLength];
  const range = [
    low === undefined || low === -MAX ? "" : `≥ ${low}`,
    high === undefined || high === MAX ? "" : `≤ ${high}`,
  ];
  const text = [...range, fallback === undefined ? "" : `default ${JSON.stringify(fallback)}`]
    .filter((part) => part !== "")
    .join(", ");
  return text === "" ? "" : ` (${text})`;
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Renders backticks as `code`, the only markup of the route tables. */
const markup = (text: string): string => escape(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
