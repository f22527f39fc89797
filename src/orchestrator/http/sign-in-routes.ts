import { isFromAnotherSite } from "../../shared/http/local-caller.ts";
import type { SignInProblem } from "../../contract/console/sign-in-problems.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { SignInFailure } from "../identity/sign-in-failure.ts";
import { beginSignIn } from "../operations/begin-sign-in.ts";
import { finishSignIn } from "../operations/finish-sign-in.ts";
import type { Call, Handler } from "./call.ts";
import type { ConsoleCookie } from "./console-cookie.ts";
import { FailedSignIns } from "./failed-sign-ins.ts";

interface SignInParts {
  readonly session: ConsoleCookie;
  /** Of a sign-in that is not finished. */
  readonly pending: ConsoleCookie;
}

const isFailed = (error: unknown): boolean =>
  error instanceof SignInFailure && error.problem !== "expired" && error.problem !== "unreachable";

/**
 * Signing in with an identity provider. Both routes are opened by a browser, not by a script of the page, so whatever
 * happens they lead back to the console, which shows the reason.
 */
export function signInRoutes(
  host: Pick<HostContext, "db" | "box" | "identity" | "now" | "logger" | "metrics">,
  { session, pending }: SignInParts,
) {
  const failures = new FailedSignIns(host.now, isFailed);
  const settled = async (call: Call, work: () => Promise<void>): Promise<undefined> => {
    call.response.set({ "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" });
    try {
      await work();
    } catch (error) {
      const outcome = problemOf(host, error);
      host.metrics.consoleSignIns.inc({ outcome });
      toConsole(call, `problem=${outcome}`);
    }
    return undefined;
  };
  return {
    beginSignIn: (call) =>
      settled(call, async () => {
        // Another site could sign people in that do not want to be.
        if (host.identity === null || isFromAnotherSite(call.response.req)) return toConsole(call, "");
        const { url, pending: sealed } = await beginSignIn(host, host.identity, call.query["return"] ?? "/");
        call.response.append("Set-Cookie", pending.of(sealed));
        redirect(call, url);
      }),
    finishSignIn: (call) =>
      settled(call, async () => {
        const { identity } = host;
        if (identity === null) return toConsole(call, "");
        // Whatever comes of it, the same sign-in is not finished twice.
        call.response.append("Set-Cookie", pending.removal);
        const { req: request } = call.response;
        const [, query = ""] = /\?(.*)$/.exec(request.originalUrl) ?? [];
        const callback = { query, pending: pending.read(request.headers) };
        const opened = await failures.bound(request.socket.remoteAddress ?? "", () =>
          finishSignIn(host, identity, callback),
        );
        host.metrics.consoleSignIns.inc({ outcome: "opened" });
        call.response.append("Set-Cookie", session.of(opened.token));
        toConsole(call, `signed-in=${encodeURIComponent(opened.returnTo)}`);
      }),
  } satisfies Record<string, Handler>;
}

/** Why the sign-in ended, for the page; the log has the details. */
function problemOf({ logger }: Pick<HostContext, "logger">, error: unknown): SignInProblem {
  if (error instanceof ApiError && error.code === "RATE_LIMITED") return "too_many";
  if (error instanceof SignInFailure) {
    const { problem, message } = error;
    logger.warn({ problem, reason: message }, "refused a sign-in to the console");
    return problem;
  }
  logger.error({ err: error }, "failed to sign a person in to the console");
  return "unavailable";
}

/** The console's page, below any public URL. */
const toConsole = (call: Call, fragment: string): void => redirect(call, `../${fragment === "" ? "" : `#${fragment}`}`);

function redirect({ response }: Call, location: string): void {
  response.status(303).set("Location", location).type("html").end("<p>The console opens.</p>\n");
}
