import type { RouteRow } from "../src/contract/route-table.ts";
import { camelCase } from "../src/client/address.ts";
import { withoutLinks } from "../src/contract/meaning.ts";
import { INTERFACES } from "./interfaces.ts";
import { openApiOf } from "./openapi.ts";

type Row = RouteRow<string, string, string>;

/** `src/client/admin-methods.ts`: the methods that do no more than the call of their route, whose row names them. */
export function adminMethods(): string {
  const { orchestrator } = INTERFACES;
  const { paths, components } = openApiOf(orchestrator);
  const methods = Object.entries<Row>(orchestrator.routes).flatMap(([name, row]) => {
    if (row.clientMethod === undefined) return [];
    const operation = paths[row.path]?.[row.method.toLowerCase()];
    const request = operation?.requestBody?.content["application/json"]?.schema?.$ref?.split("/").at(-1);
    const required = components.schemas[request ?? ""]?.required ?? [];
    return [methodOf(name, { ...row, needsOptions: required.length > 0, method: row.clientMethod })];
  });
  return `// Written by "npm run generate" from the rows with a \`clientMethod\` in src/contract.

import * as routes from "./orchestrator-routes.ts";
import type { Calls, ListOf, OptionsOf } from "./route.ts";

export const adminMethods = ({ call, list }: Calls) => ({
${methods.join("")}});
`;
}

interface Method extends Pick<Row, "path" | "query" | "summary"> {
  readonly method: string;
  /** A field of the body is required. */
  readonly needsOptions: boolean;
}

/** Path parameters are arguments, everything else is an option. A list is read page by page. */
function methodOf(name: string, { path, query = {}, summary, method, needsOptions }: Method): string {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id = ""]) => camelCase(id));
  const isList = "cursor" in query && "limit" in query;
  const without = ids.length === 0 ? "" : `, ${ids.map((id) => `"${id}"`).join(" | ")}`;
  const type = `${isList ? "ListOf" : "OptionsOf"}<typeof routes.${name}${without}>`;
  const parameters = [...ids.map((id) => `${id}: string`), `given: ${type}${needsOptions ? "" : " = {}"}`].join(", ");
  const given = ids.length === 0 ? "given" : `{ ...given, ${ids.join(", ")} }`;
  return `  /** ${withoutLinks(summary)}. */
  ${method}: (${parameters}) => ${isList ? "list" : "call"}(routes.${name}, ${given}),
`;
}
