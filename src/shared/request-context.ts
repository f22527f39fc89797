import { AsyncLocalStorage } from "node:async_hooks";

/** The call that something is done for: for the log lines and records it causes, however deep. */
export interface RequestContext {
  readonly requestId: string;
  readonly actor: "product" | "admin";
}

const storage = new AsyncLocalStorage<RequestContext>();

export const withinRequest = <T>(context: RequestContext, work: () => T): T => storage.run(context, work);

/** For work that goes on after the call that began it: what happens then is nobody's request. */
export const outsideRequests = <T>(work: () => T): T => storage.exit(work);

export const currentRequest = (): RequestContext | undefined => storage.getStore();

/** For work that a queue runs later: it still belongs to the call that queued it. */
export const keepRequest = <T>(work: () => T): (() => T) => AsyncLocalStorage.bind(work);
