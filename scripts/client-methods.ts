import type { RouteRow } from "../src/contract/route-table.ts";
import { camelCase } from "../src/client/address.ts";
import { withoutLinks } from "../src/contract/meaning.ts";
import { INTERFACES } from "./interfaces.ts";
import { openApiOf } from "./openapi.ts";

type Row = RouteRow<string, string, string>;
type NamedRow = Row & { readonly clientMethod: string };

/** The routes of one client whose method does no more than the call, which `clientMethod` of the row names. */
function namedRoutes(client: "admin" | "product"): readonly (readonly [string, NamedRow])[] {
  return Object.entries<Row>(INTERFACES.orchestrator.routes).flatMap(([name, row]) => {
    const { clientMethod, auth } = row;
    if (clientMethod === undefined || (auth === "platform") !== (client === "product")) return [];
    return [[name, { ...row, clientMethod }] as const];
  });
}

/** The generated methods of a product's client with what each is for, as Markdown. */
export const productMethodRows = (): readonly (readonly string[])[] =>
  namedRoutes("product").map(([, { clientMethod, summary }]) => [
    `\`${clientMethod}\``,
    summary.charAt(0).toLowerCase() + summary.slice(1),
  ]);

/** `src/client/admin-methods.ts`, and `product-methods.ts` beside it. */
export const clientMethods = (): Readonly<Record<string, string>> => ({
  "src/client/admin-methods.ts": fileOf("admin", { calls: "Calls", from: "./route.ts" }),
  "src/client/product-methods.ts": fileOf("product", { calls: "OrchestratorCalls", from: "./orchestrator-calls.ts" }),
});

/** `calls`: the type of what the methods call by, and the file that has it. */
function fileOf(
  client: "admin" | "product",
  { calls, from }: { readonly calls: string; readonly from: string },
): string {
  const { paths, components } = openApiOf(INTERFACES.orchestrator);
  const methods = namedRoutes(client).map(([name, row]) => {
    const operation = paths[row.path]?.[row.method.toLowerCase()];
    const request = operation?.requestBody?.content["application/json"]?.schema?.$ref?.split("/").at(-1);
    const required = components.schemas[request ?? ""]?.required ?? [];
    return methodOf(name, row, { needsOptions: required.length > 0 });
  });
  const text = methods.map(({ text: one }) => one).join("");
  const kinds = [...new Set(methods.map(({ kind }) => kind))].sort().join(", ");
  const types = ["ChangeOptions", "ListOf", "OptionsOf"].filter(
    (type) => text.includes(`${type}<`) || text.includes(`${type} &`),
  );
  const imported = Map.groupBy([calls, ...types], (type) => (type === calls ? from : homeOf(type)));
  const imports = [...imported].map(([file, names]) => `import type { ${names.join(", ")} } from "${file}";\n`);
  return `// Written by "npm run generate" from the rows with a \`clientMethod\` in src/contract.

import * as routes from "./orchestrator-routes.ts";
${imports.join("")}
export const ${client}Methods = ({ ${kinds} }: ${calls}) => ({
${text}});
`;
}

const homeOf = (type: string): string => (type === "ChangeOptions" ? "./orchestrator-calls.ts" : "./route.ts");

/**
 * Path parameters are arguments, everything else is an option. A list is read page by page. A change of a product with an
 * `Idempotency-Key` runs once, with a key that the client makes.
 */
function methodOf(
  name: string,
  { path, auth, query = {}, headers = {}, summary, repeatable, clientMethod }: NamedRow,
  { needsOptions }: { readonly needsOptions: boolean },
): { readonly kind: "call" | "change" | "list"; readonly text: string } {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id = ""]) => camelCase(id));
  const runsOnce = auth === "platform" && "Idempotency-Key" in headers;
  const kind = runsOnce ? "change" : "cursor" in query && "limit" in query ? "list" : "call";
  const omitted = [...ids, ...(runsOnce ? ["idempotencyKey"] : [])].map((id) => `"${id}"`).join(" | ");
  const row = `typeof routes.${name}`;
  const options = `${kind === "list" ? "ListOf" : "OptionsOf"}<${row}${omitted === "" ? "" : `, ${omitted}`}>`;
  const type = runsOnce ? `ChangeOptions & ${options}` : options;
  const parameters = [...ids.map((id) => `${id}: string`), `given: ${type}${needsOptions ? "" : " = {}"}`].join(", ");
  const given = ids.length === 0 ? "given" : `{ ...given, ${ids.join(", ")} }`;
  const once = repeatable === false ? " Not sent again after a lost response." : "";
  const text = `  /** ${withoutLinks(summary)}.${once} */
  ${clientMethod}: (${parameters}) => ${kind}(routes.${name}, ${given}),
`;
  return { kind, text };
}
