import { untrustedText } from "../../../shared/untrusted-text.ts";
import { systemReason } from "../system-reason.ts";
import { KubeError, KubeUnreachable } from "./kube-api.ts";

const MAX_REASON = 500;

/** For clients and operators: what the API has said, without what it was asked with. */
export function reasonOf(error: unknown): string {
  if (error instanceof KubeUnreachable) return "the Kubernetes API does not answer";
  if (error instanceof KubeError) return untrustedText(error.message, MAX_REASON);
  return systemReason(error);
}
