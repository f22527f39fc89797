import * as z from "zod/mini";
import { untrustedText } from "../../../shared/untrusted-text.ts";
import { systemReason } from "../system-reason.ts";

const MAX_REASON = 500;
const statusObject = z.object({ reason: z.optional(z.string()), message: z.optional(z.string()) });

/** An error response of the Kubernetes API. */
export class KubeError extends Error {
  override readonly name = "KubeError";
  readonly status: number;
  /** The `reason` of its Status object, such as `AlreadyExists`. */
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** The Kubernetes API did not answer. */
class KubeUnreachable extends Error {
  override readonly name = "KubeUnreachable";
}

/** Whether the Kubernetes API answered with one of these HTTP statuses. */
export const isStatus = (error: unknown, ...statuses: readonly number[]): boolean =>
  error instanceof KubeError && statuses.includes(error.status);

/** The error of a response, from its HTTP status and its body. */
export function responseError(status: number, content: string): KubeError {
  try {
    const { reason = "", message = "" } = z.parse(statusObject, JSON.parse(content));
    return new KubeError(status, reason, message || `status ${status}`);
  } catch {
    return new KubeError(status, "", content.slice(0, MAX_REASON) || `status ${status}`);
  }
}

/** The error of a call that failed. When `deadline` has passed, its reason is the cause. */
export function callError(error: unknown, deadline: AbortSignal): Error {
  if (error instanceof KubeError) return error;
  const cause = deadline.aborted && deadline.reason instanceof Error ? deadline.reason : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new KubeUnreachable(`the Kubernetes API does not answer: ${message}`, { cause });
}

/** A reason for clients and operators, without the request. */
export function reasonOf(error: unknown): string {
  if (error instanceof KubeUnreachable) return "the Kubernetes API does not answer";
  if (error instanceof KubeError) return untrustedText(error.message, MAX_REASON);
  return systemReason(error);
}
