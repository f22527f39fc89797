import { randomBytes } from "node:crypto";
import { sameSecret } from "../../contract/orchestrator/api-keys.ts";
import { inBackground } from "../../shared/background.ts";
import type { EngineHost, Service } from "../host-context.ts";
import { clientMetadata } from "../identity/login-client.ts";
import { SignInFailure } from "../identity/sign-in-failure.ts";
import { beginConnection, deleteConnection } from "../operations/change-connection.ts";
import { type EndedLogin, finishLogin, refuseLogin } from "../operations/finish-login.ts";
import { loginAddresses } from "../operations/login-addresses.ts";
import { loginOfLink, openLogin, personOf } from "../operations/open-login.ts";
import { tellEngine } from "../operations/tell-login.ts";
import { connectionsOf } from "../status/look-up-connections.ts";
import type { Call, Handler } from "./call.ts";
import type { ConsoleCookie } from "./console-cookie.ts";
import { userParameter } from "./engine-routes.ts";
import { link, paragraph, sendLoginPage, sendToServer } from "./login-page.ts";

type Host = EngineHost & Service;

const serverParameter = ({ params }: Call): string => params["server"] ?? "";

/** Logins of end users at tool servers. The pages are opened by their browsers, and need no key: the link is the key. */
export function connectionRoutes(host: Host, cookie: ConsoleCookie) {
  return {
    listConnections: async (call) => ({
      status: 200,
      body: { data: await connectionsOf(host, call.product, userParameter(call)) },
    }),
    beginConnection: async (call) => {
      const address = { userId: userParameter(call), server: serverParameter(call) };
      const { url, expiresAt } = await beginConnection(host, call.product, address);
      return { status: 201, body: { url, expires_at: expiresAt.toISOString() }, secret: true };
    },
    deleteConnection: async (call) => {
      const address = { userId: userParameter(call), server: serverParameter(call) };
      return { status: 200, body: await deleteConnection(host, call.product, address) };
    },
    startLogin: (call) =>
      settled(host, call, async () => {
        const token = call.query["login"] ?? "";
        const row = await loginOfLink(host, token);
        const browser = cookie.read(call.headers) ?? randomBytes(32).toString("base64url");
        if (!agrees(host, call, browser)) {
          call.response.append("Set-Cookie", cookie.of(browser));
          return askFirst(host, call, { token, browser, row });
        }
        const { url } = await openLogin(host, row, { browser });
        return sendToServer(call.response, url);
      }),
    refuseLogin: (call) =>
      settled(host, call, async () => {
        const row = await loginOfLink(host, call.query["login"] ?? "");
        const browser = cookie.read(call.headers);
        if (browser === null || !agrees(host, call, browser))
          throw new SignInFailure("expired", "the page was opened in another browser");
        return ended(host, call, await refuseLogin(host, row));
      }),
    finishLogin: (call) =>
      settled(host, call, async () => {
        const [, query = ""] = /\?(.*)$/.exec(call.response.req.originalUrl) ?? [];
        return ended(host, call, await finishLogin(host, { query, browser: cookie.read(call.headers) }));
      }),
    loginClient: () => {
      const { callbackUrl, documentUrl } = loginAddresses(host);
      return { status: 200, body: { client_id: documentUrl, ...clientMetadata(callbackUrl) } };
    },
  } satisfies Record<string, Handler>;
}

/** Only the page itself knows it, in the browser that it was shown in. Another site cannot skip the page. */
const agreement = ({ box }: Pick<Host, "box">, token: string, browser: string): string =>
  box.token("login agreed", token, browser);

const agrees = (host: Host, { query }: Call, browser: string): boolean =>
  sameSecret(query["go"] ?? "", agreement(host, query["login"] ?? "", browser));

/** Says who gets access to what, before anybody leaves for a page that may ask nothing any more. */
async function askFirst(
  host: Host,
  call: Call,
  {
    token,
    browser,
    row,
  }: { readonly token: string; readonly browser: string; readonly row: Awaited<ReturnType<typeof loginOfLink>> },
): Promise<void> {
  const { product, userId } = await personOf(host, row);
  const query = `login=${encodeURIComponent(token)}&go=${agreement(host, token, browser)}`;
  const { host: place } = new URL(row.target.url);
  const name = product.record.name ?? product.record.slug;
  sendLoginPage(call.response, `Sign in to ${row.server}`, [
    paragraph(`${name} asks to use ${row.server} (${place}) for you. You sign in there, and can end it at any time.`),
    paragraph(`This link is for the user ${userId} of ${name}. Go on only if that is you and you have asked for it.`),
    `<p>${link("Continue", `start?${query}`, "go")}${link("Do not sign in", `refuse?${query}`)}</p>`,
  ]);
}

/** The engine hears of it at once; whatever fails is repeated. */
function ended(host: Host, { response }: Call, { row, outcome }: EndedLogin): void {
  inBackground("end of a login", tellEngine(host, row), { engine_id: row.engine_id });
  const isIn = outcome === "signed_in";
  sendLoginPage(response, isIn ? `Signed in to ${row.server}` : `Not signed in to ${row.server}`, [
    paragraph(
      isIn ? "The assistant goes on. You can close this page." : "Nothing was connected. You can close this page.",
    ),
  ]);
}

const PROBLEMS: Readonly<Record<string, string>> = {
  expired:
    "This link or page is no longer valid, was used before, or was opened in another browser. Open the link again.",
  unreachable: "The tool server or its login does not answer. Try again later.",
  refused: "The login was refused. Try again, or ask whoever runs the tool server.",
};

/** Whatever happens, the person sees a page; the log says why. */
async function settled(host: Host, call: Call, work: () => Promise<void>): Promise<undefined> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    const { problem, message } = error;
    host.logger.warn({ problem, reason: message }, "refused a login at a tool server");
    const told = PROBLEMS[problem] ?? "The login cannot be trusted, so nothing was connected. The log says why.";
    sendLoginPage(call.response, "No login", [paragraph(told)]);
  }
  return undefined;
}
