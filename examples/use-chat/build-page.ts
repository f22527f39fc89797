import { extname } from "node:path";
import { build } from "vite";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

export interface PageFile {
  readonly type: string;
  readonly content: string;
}

/** Builds the page in memory. Returns its files by their paths. A product builds it once, into a folder. */
export async function buildPage(): Promise<ReadonlyMap<string, PageFile>> {
  const built = await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: "error",
    oxc: { jsx: { runtime: "automatic", importSource: "react" } },
    build: { write: false, target: "es2023", modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  });
  const outputs = Array.isArray(built) ? built : "output" in built ? [built] : [];
  return new Map(
    outputs
      .flatMap(({ output }) => output)
      .map((file): [string, PageFile] => {
        const content = file.type === "chunk" ? file.code : Buffer.from(file.source).toString("utf8");
        const path = file.fileName === "index.html" ? "/" : `/${file.fileName}`;
        return [path, { type: TYPES[extname(file.fileName)] ?? "application/octet-stream", content }];
      }),
  );
}
