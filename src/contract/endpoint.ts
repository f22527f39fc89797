export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** `{name}` marks a parameter, percent-decoded once. */
  readonly path: string;
}
