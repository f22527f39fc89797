/** `POST` of a {@link OnceCall} by the daemon: a {@link OnceAnswer}. */
export const ONCE_PATH = "/control/once";
/** `POST` of `{id}` by the daemon: what was answered is stored, and the broker forgets it. */
export const ONCE_STORED_PATH = "/control/once/stored";

/**
 * A form that an authorization server must get once, for its answer may be the only copy of a refresh token. The broker,
 * which outlives the daemon, sends it and keeps the answer until that is stored.
 */
export interface OnceCall {
  /** The same call has the same id, whichever daemon asks for it. */
  readonly id: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The private hosts that may be called. */
  readonly private_hosts: readonly string[];
}

export type OnceAnswer =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      /** Base64. */
      readonly body: string;
    }
  | { readonly kind: "failed"; readonly reason: string }
  /** A daemon has stored the answer. */
  | { readonly kind: "stored" };
