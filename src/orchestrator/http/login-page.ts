import type { Response } from "express";

const GUARDS = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
} as const;

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1rem;color-scheme:light dark}" +
  "a.go{display:inline-block;padding:.5rem 1rem;border:1px solid;border-radius:.4rem;text-decoration:none;margin-right:1rem}";

/** A small page for the person who signs in, without scripts. `parts` are HTML. */
export function sendLoginPage(response: Response, title: string, parts: readonly string[]): void {
  const body = [`<h1>${escaped(title)}</h1>`, ...parts].join("\n");
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style>\n${body}\n</html>\n`;
  response.status(200).set(GUARDS).type("html").end(page);
}

/** Leads the browser to the authorization server, whose address was checked. */
export function sendToServer(response: Response, location: string): void {
  response
    .status(303)
    .set({ ...GUARDS, Location: location })
    .type("html")
    .end("<p>The login opens.</p>\n");
}

export const paragraph = (text: string): string => `<p>${escaped(text)}</p>`;

/** A link of the page's own folder. */
export const link = (text: string, href: string, name = ""): string =>
  `<a class="${name}" href="${escaped(href)}">${escaped(text)}</a>`;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** What a product, a catalog or a server has named is text, and never a part of the page. */
const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => ENTITIES[one] ?? "");
