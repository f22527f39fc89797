import { type Answer, type Ask, ask } from "./api.ts";
import type { Daemon } from "./daemon.ts";

/** A browser that shows the console's page: its cookies, and the headers that the page and the browser add. */
export interface ConsoleBrowser {
  readonly cookie: string;
  readonly record: Answer["body"];
  call(path: string, call?: Ask & { readonly product?: string }): Promise<Answer>;
}

export const signInHeaders = (url: string): Readonly<Record<string, string>> => ({
  "x-orchd-console": "1",
  "sec-fetch-site": "same-origin",
  origin: new URL(url).origin,
});

/** Opens a session, by the admin key unless told otherwise. */
export async function openConsole(
  daemon: Pick<Daemon, "url" | "adminKey">,
  by: object = { admin_key: daemon.adminKey },
): Promise<ConsoleBrowser> {
  const headers = signInHeaders(daemon.url);
  const answer = await ask(daemon.url, "/console/session", { method: "POST", headers, body: by });
  if (answer.status !== 201) throw new Error(answer.text);
  const [cookie = ""] = [answer.headers["set-cookie"]].flat()[0]?.split(";") ?? [];
  return {
    cookie,
    record: answer.body,
    call: (path, { product, ...call } = {}) =>
      ask(daemon.url, path, {
        ...call,
        headers: { ...headers, cookie, ...(product !== undefined && { "x-orchd-product": product }), ...call.headers },
      }),
  };
}
