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

/** The context of a call, for error messages. */
export interface CallContext extends AdviceContext {
  readonly url: string;
  /** The environment variable that the key comes from. */
  readonly variable?: string | undefined;
}

/** A user's engine, as the context of its calls. */
export interface EngineContext extends CallContext {
  readonly user: string;
  /**
   * `given` is the key of ORCH_ENGINE_KEY, `over-stored` the same where another key is stored. Without one the call has
   * the `session` of an admin, or a `token` of the user.
   */
  readonly key: "given" | "over-stored" | "stored" | "session" | "token";
}

/** Advice where a token of the user does not permit a call. */
const OPERATORS_CALL = "this is a call of operators: it needs ORCH_ENGINE_KEY, or the admin key";

/** The user, product, key and URL of a call. */
export const describeContext = (context: CallContext): string => contextParts(context).join(", ");

function contextParts({ user, product, variable, url }: CallContext): readonly string[] {
  return [
    ...(user === undefined ? [] : [`user ${safe(user)}`]),
    ...(product === undefined ? [] : [`product ${safe(product)}`]),
    ...(variable === undefined ? [] : [`key of ${variable}`]),
    safe(url),
  ];
}

/** An {@link OrchdError} as a {@link CliFailure}; any other error unchanged. */
export function toCliFailure(error: unknown, context?: CallContext | EngineContext): unknown {
  if (!(error instanceof OrchdError)) return error;
  const { code, message, requestId } = error;
  if (context === undefined) return new CliFailure(exitOf(error), `${message} (${code})`, code);
  const { user, product, url } = context;
  const details = [
    code,
    ...contextParts(context).filter((part) => part !== safe(url) || !message.includes(url)),
    ...(requestId === null ? [] : [`request ${requestId}`]),
  ].join(", ");
  const advice = adviceFor(code, { user: user && safe(user), product: product && safe(product) });
  if (code === "INSUFFICIENT_SCOPE" && "key" in context && context.key === "token")
    return new CliFailure(exitOf(error), `${message} (${details})`, code, OPERATORS_CALL);
  const isGiven = "key" in context && (context.key === "given" || context.key === "over-stored");
  if (code === "INVALID_ENGINE_KEY" && isGiven) {
    const text = `the key of ORCH_ENGINE_KEY is not accepted by ${safe(context.user)}'s engine`;
    const remedy = context.key === "over-stored" ? "unset it to use the stored key" : advice;
    return new CliFailure(exitOf(error), `${text} (${details})`, code, remedy);
  }
  return new CliFailure(exitOf(error), `${message} (${details})`, code, advice);
}

function exitOf({ code, status }: OrchdError): ExitName {
  const exit = EXITS[code];
  if (exit !== undefined) return exit;
  if (code === "BAD_ANSWER" && (status === null || status < 400)) return "unexpected";
  return status === null ? "unavailable" : exitOfStatus(status);
}

/** The message of a failure, with advice if there is any. */
export function describeFailure({ message, code, advice = adviceFor(code) }: CliFailure): string {
  const text = `orchctl: ${indented(message)}`;
  return advice === undefined ? text : `${text}\n(${indented(advice)})`;
}

/** Indents the later lines of an external message, so that none looks like a message of orchctl. */
export const indented = (text: string): string => text.replaceAll("\n", "\n  ");
