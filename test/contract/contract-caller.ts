import { isDeepStrictEqual } from "node:util";
import type { Test } from "tap";
import type * as z from "zod/mini";
import type { Content, RouteRow } from "../../src/contract/route-table.ts";
import { type Answer, type Ask, ask } from "../helpers/api.ts";

type Row = RouteRow<string, string, string>;

export interface CallerParts<Name extends string, Route extends Row> {
  readonly url: string;
  readonly routes: Readonly<Record<Name, Route>>;
  readonly schemas: Readonly<Record<string, z.ZodMiniType>>;
  readonly errors: Readonly<Record<string, { readonly status: number | null }>>;
  readonly errorsOf: (route: Route) => readonly string[];
  /** The code in an error's body. */
  readonly codeOf: (body: { readonly error: string | { readonly code: string } }) => string;
  /** The headers that authenticate a call of the route. */
  readonly headersOf: (route: Route) => Readonly<Record<string, string>>;
}

export interface Case extends Ask {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  /** Another form of the route's path. */
  readonly address?: string;
  /** A success status of the route, or an error code. */
  readonly expect: number | string;
}

/** Calls routes by their names and validates every answer against the row of the route table. */
export class ContractCaller<Name extends string, Route extends Row> {
  readonly #t: Test;
  readonly #parts: CallerParts<Name, Route>;
  readonly #covered = new Set<string>();

  constructor(t: Test, parts: CallerParts<Name, Route>) {
    this.#t = t;
    this.#parts = parts;
  }

  async call(name: Name, { path = {}, query = "", address: given, expect, ...options }: Case): Promise<Answer> {
    const { url, routes, headersOf } = this.#parts;
    const route = routes[name];
    const address =
      given ??
      route.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => encodeURIComponent(path[parameter] ?? "x"));
    const answer = await ask(url, `${address}${query}`, {
      method: route.method,
      ...options,
      headers: { ...headersOf(route), ...options.headers },
    });
    this.check(name, answer, expect);
    return answer;
  }

  /** One assertion per answer: status, content type and body are those of the row. */
  check(name: Name, answer: Answer, expect: number | string): void {
    const problems =
      typeof expect === "number" ? this.#success(name, answer, expect) : this.#refusal(name, answer, expect);
    this.#t.same(problems, [], `${name} answers ${expect} as documented`);
  }

  /** Success statuses and media types of the table that no call has had yet. */
  uncovered(): string[] {
    return Object.entries<Route>(this.#parts.routes).flatMap(([name, { responses }]) =>
      Object.entries(responses)
        .flatMap(([status, contents]) => contents.map(({ kind }) => `${name} ${status} ${kind}`))
        .filter((one) => !this.#covered.has(one)),
    );
  }

  #success(name: Name, answer: Answer, status: number): string[] {
    if (answer.status !== status) return [`status ${answer.status}: ${answer.text.slice(0, 300)}`];
    const type = String(answer.headers["content-type"]).split(";")[0];
    const content = this.#parts.routes[name].responses[status]?.find(({ kind }) => MEDIA_TYPES[kind] === type);
    if (content === undefined) return [`undocumented: ${status} with ${type}`];
    this.#covered.add(`${name} ${status} ${content.kind}`);
    return bodiesOf(content, answer).flatMap((body) =>
      "schema" in content ? this.#mismatch(content.schema, body) : [],
    );
  }

  #refusal(name: Name, answer: Answer, code: string): string[] {
    const { routes, errors, errorsOf, codeOf } = this.#parts;
    const type = String(answer.headers["content-type"]).split(";")[0];
    const problems = this.#mismatch("Error", answer.body);
    if (problems.length > 0) return [`status ${answer.status}: ${answer.text.slice(0, 300)}`, ...problems];
    const got = codeOf(answer.body);
    if (type !== MEDIA_TYPES.json) problems.push(`error as ${type}`);
    if (got !== code) problems.push(`${got}: ${answer.text.slice(0, 300)}`);
    if (errors[got]?.status !== answer.status) problems.push(`${got} with status ${answer.status}`);
    if (!errorsOf(routes[name]).includes(got)) problems.push(`${got} is no documented error of ${name}`);
    return problems;
  }

  /** Parsing drops fields that the schema does not have, so a body that changes has undocumented ones. */
  #mismatch(schema: string, body: unknown): string[] {
    const parsed = this.#parts.schemas[schema]?.safeParse(body);
    if (parsed?.success !== true)
      return [`${schema}: ${JSON.stringify(parsed?.error?.issues)} in ${JSON.stringify(body)}`];
    return isDeepStrictEqual(parsed.data, body) ? [] : [`${schema}: undocumented fields in ${JSON.stringify(body)}`];
  }
}

const MEDIA_TYPES: Readonly<Record<Content<string>["kind"], string>> = {
  json: "application/json",
  events: "text/event-stream",
  lines: "application/x-ndjson",
  text: "text/plain",
  html: "text/html",
  file: "text/javascript",
  archive: "application/gzip",
  zip: "application/zip",
  bytes: "application/octet-stream",
};

/** The documents in an answer: one of JSON, one an event or a line of a stream. */
function bodiesOf({ kind }: Content<string>, { body, text }: Answer): readonly unknown[] {
  switch (kind) {
    case "json":
      return [body];
    case "lines":
      return text
        .trim()
        .split("\n")
        .map((line): unknown => JSON.parse(line));
    case "events":
      return framesOf(text);
    case "text":
    case "html":
    case "file":
    case "archive":
    case "zip":
    case "bytes":
      return [];
    default:
      return kind satisfies never;
  }
}

/** Comments are no frames. */
function framesOf(text: string): readonly unknown[] {
  return text
    .split("\n\n")
    .filter((frame) => !/^(?::.*)?\s*$/.test(frame))
    .map((frame) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(frame)?.[1];
      const data = field("data");
      return data === undefined ? frame : { event: field("event"), data: JSON.parse(data) as unknown };
    });
}
