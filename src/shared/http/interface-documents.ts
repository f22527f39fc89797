import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";

/**
 * Sends the OpenAPI document that the build made of the route table. Files are read for each call, so that an idle
 * process holds none of them. Rejects when a file is missing.
 */
export async function sendOpenApi(response: ServerResponse, folder: string): Promise<void> {
  const document = await readFile(join(folder, "openapi.json"));
  response.writeHead(200, { "Content-Type": "application/json; charset=utf-8", ...HEADERS }).end(document);
}

export async function sendDocs(response: ServerResponse, folder: string): Promise<void> {
  const page = await readFile(join(folder, "docs.html"), "utf8");
  const [, style = ""] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
  const hash = createHash("sha256").update(style).digest("base64");
  response
    .writeHead(200, {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "Referrer-Policy": "no-referrer",
      ...HEADERS,
    })
    .end(page);
}

const HEADERS = { "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff" } as const;
