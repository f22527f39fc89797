import { camelCase, headerValue, pathSegment, queryOf } from "./address.ts";
import { type CallOptions, type RequestParams, type RetryOptions, type Service, callJson } from "./http-call.ts";
import { readPages } from "./pages.ts";

/** A row of the route tables that `npm run generate` writes. Params: the fields of a call, by their names in camelCase. */
export interface Route<Params = object, Answer = unknown> extends Pick<RequestParams, "method" | "path" | "timeout"> {
  readonly query?: readonly string[];
  readonly headers?: readonly string[];
  /** The fields of the JSON body, or `whole`: the call brings the body as it is. */
  readonly body?: readonly string[] | "whole";
  /** The names of body fields in a call, in place of those of the body. */
  readonly clientNames?: Readonly<Record<string, string>>;
  /** The type of a body that is no JSON. */
  readonly upload?: string;
  /** `false`: not sent again after a lost response, for it may have run. */
  readonly repeatable?: false;
  /** Never set: it gives a call its types. */
  readonly types?: { readonly params: Params; readonly answer: Answer };
}

export type ParamsOf<Row> = Row extends Route<infer Params> ? Params : never;
export type AnswerOf<Row> = Row extends Route<object, infer Answer> ? Answer : never;
/** The options of a method: the call's fields, without those that the method has as arguments. */
export type OptionsOf<Row extends Route, Arguments extends keyof ParamsOf<Row> = never> = Omit<
  ParamsOf<Row>,
  Arguments
> &
  CallOptions;

/** The options of a list whose pages are fetched as they are read. */
export type ListOf<Row extends Route, Arguments extends keyof ParamsOf<Row> = never> = Omit<
  OptionsOf<Row, Arguments>,
  "limit" | "cursor"
> & { readonly pageSize?: number | undefined };

type Sending = Pick<RequestParams, "signal" | "deadlineMs"> & RetryOptions;

/** The request of a route, with the fields of the call in their places. */
export const requestOf = <Row extends Route>(route: Row, params: ParamsOf<Row>): RequestParams => fill(route, params);

function fill(
  { method, path, query = [], headers = [], body, clientNames = {}, upload, timeout }: Route,
  params: object,
): RequestParams {
  const given = params as Readonly<Record<string, unknown>>;
  const pick = (names: readonly string[], nameOf: (name: string) => string = camelCase) =>
    Object.fromEntries(names.map((name) => [name, given[nameOf(name)]]).filter(([, value]) => value !== undefined));
  return {
    method,
    path:
      path.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathSegment(camelCase(name), given[camelCase(name)])) +
      queryOf(pick(query) as Query),
    headers: Object.fromEntries(
      Object.entries(pick(headers)).map(([name, value]) => [name, headerValue(camelCase(name), String(value))]),
    ),
    ...(upload !== undefined && { upload: { content: given["body"] as Upload, type: upload } }),
    ...(body !== undefined && {
      body: body === "whole" ? given["body"] : pick(body, (name) => camelCase(clientNames[name] ?? name)),
    }),
    timeout,
  };
}

type Query = Parameters<typeof queryOf>[0];
type Upload = NonNullable<RequestParams["upload"]>["content"];

/** How a client calls the routes of its service. */
export type Calls = ReturnType<typeof callsOf>;

export function callsOf(service: Service) {
  const call = async <Row extends Route>(route: Row, given: ParamsOf<Row> & Sending): Promise<AnswerOf<Row>> => {
    const { signal, deadlineMs, repeatable = route.repeatable ?? true, onRetry } = given;
    const request = { ...requestOf(route, given), signal, deadlineMs };
    return callJson<AnswerOf<Row>>(service, request, { repeatable, onRetry });
  };
  return {
    call,
    /** Every item of a list. */
    list: <Item, Params extends object>(
      route: Route<Params, { readonly data: readonly Item[]; readonly next_cursor: string | null }>,
      {
        pageSize: limit = 200,
        signal,
        ...params
      }: Omit<Params, "limit" | "cursor"> & CallOptions & { readonly pageSize?: number | undefined },
    ): AsyncGenerator<Item> =>
      readPages(async (cursor) => callJson(service, { ...fill(route, { ...params, limit, cursor }), signal })),
  };
}
