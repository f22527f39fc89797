import { linkRequest, signInRequest } from "../../contract/console/session.ts";
import { endSession } from "../operations/end-session.ts";
import { signOut } from "../operations/sign-out.ts";
import { createLink, openSession } from "../operations/open-session.ts";
import { sessionRecord } from "../status/sessions.ts";
import type { HostContext } from "../host-context.ts";
import { type Call, type Handler, pageOf, pageParameters } from "./call.ts";
import { FailedSignIns } from "./failed-sign-ins.ts";
import type { ConsoleCookie } from "./console-cookie.ts";

interface ConsoleParts {
  readonly adminKey: string;
  readonly cookie: ConsoleCookie;
}

/** Sessions of the console. Its page is among the open routes. */
export function consoleRoutes(
  host: Pick<HostContext, "db" | "sessions" | "settings" | "now" | "identity" | "box">,
  { adminKey, cookie }: ConsoleParts,
) {
  const failures = new FailedSignIns(host.now);
  return {
    signIn: async (call) => {
      const request = call.body(signInRequest);
      const address = call.response.req.socket.remoteAddress ?? "";
      const { session, token } = await failures.bound(address, () => openSession(host, adminKey, request));
      call.response.set("Set-Cookie", cookie.of(token));
      return { status: 201, body: sessionRecord(session, session), secret: true };
    },
    showSession: (call) => {
      const session = sessionOf(call);
      return { status: 200, body: sessionRecord(session, session) };
    },
    signOut: async (call) => {
      const url = await signOut(host, sessionOf(call));
      call.response.set("Set-Cookie", cookie.removal);
      return { status: 200, body: { ended: true, provider_url: url }, secret: true };
    },
    createLink: async (call) => {
      const { role = "admin" } = call.body(linkRequest);
      return { status: 201, body: await createLink(host, role), secret: true };
    },
    listSessions: (call) => {
      const page = pageParameters(call, "ses");
      return call.list(async () => {
        const rows = await host.sessions.list(page);
        return pageOf(
          rows.map((row) => sessionRecord(row, call.session)),
          page.limit,
        );
      });
    },
    endSession: async (call) => {
      await endSession(host, call.params["session_id"] ?? "");
      return { status: 200, body: { ended: true } };
    },
  } satisfies Record<string, Handler>;
}

function sessionOf({ session }: Call) {
  if (session === null) throw new Error("this route authenticates no session");
  return session;
}
