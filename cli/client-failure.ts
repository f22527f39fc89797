import { OrchdError } from "../src/client/orchd-error.ts";
import { type AdviceContext, adviceFor } from "./advice.ts";
import { CliFailure, type ExitName, exitOfStatus } from "./exit-codes.ts";
import { safe } from "./output.ts";

const EXITS: Readonly<Record<string, ExitName>> = {
  LLM_RATE_LIMITED: "limited",
  CANCELLED: "interrupted",
  CHANNEL_EXPIRED: "timeout",
  TIMEOUT: "timeout",
  INVALID_ARGUMENT: "usage",
};

/** What a call was about; an error message names it. */
export interface CallContext extends AdviceContext {
  readonly url: string;
  /** The environment variable that the key comes from. */
  readonly variable?: string | undefined;
}

/** An {@link OrchdError} as a {@link CliFailure}; any other error unchanged. */
export function toCliFailure(error: unknown, context?: CallContext): unknown {
  if (!(error instanceof OrchdError)) return error;
  const { code, message, requestId } = error;
  if (context === undefined) return new CliFailure(exitOf(error), `${message} (${code})`, code);
  const { user, product, variable, url } = context;
  const details = [
    code,
    user === undefined ? "" : `user ${safe(user)}`,
    product === undefined ? "" : `product ${safe(product)}`,
    variable === undefined ? "" : `key of ${variable}`,
    message.includes(url) ? "" : url,
    requestId === null ? "" : `request ${requestId}`,
  ];
  const advice = adviceFor(code, { user: user && safe(user), product: product && safe(product) });
  return new CliFailure(exitOf(error), `${message} (${details.filter(Boolean).join(", ")})`, code, advice);
}

function exitOf({ code, status }: OrchdError): ExitName {
  const exit = EXITS[code];
  if (exit !== undefined) return exit;
  if (code === "BAD_ANSWER" && (status === null || status < 400)) return "unexpected";
  return status === null ? "unavailable" : exitOfStatus(status);
}
