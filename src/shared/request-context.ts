import { AsyncLocalStorage } from "node:async_hooks";
import { lazily } from "./lazily.ts";
import type { Span } from "./tracing/span.ts";

/** The call that caused the current work, for its log lines and records. */
interface RequestContext {
  readonly requestId: string;
  readonly actor: "product" | "admin";
  /** The id of the session that made it; omitted for a key. */
  readonly session?: string;
  /** Who made it, if an identity provider opened the session. */
  readonly person?: string;
  /** The span of the call, as the parent of further spans. */
  readonly span: Span;
}

/** Created lazily, since a start-up snapshot cannot contain it. */
const storage = lazily(() => new AsyncLocalStorage<RequestContext>());

export const withinRequest = <T>(context: RequestContext, work: () => T): T => storage().run(context, work);

/** Runs work that continues after its call. Its log lines and records name no request. */
export const outsideRequests = <T>(work: () => T): T => storage().exit(work);

export const currentRequest = (): RequestContext | undefined => storage().getStore();

/** Binds work that a queue runs later to the current call. */
export const keepRequest = <T>(work: () => T): (() => T) => AsyncLocalStorage.bind(work);
