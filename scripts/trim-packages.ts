import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/**
 * Express loads parsers of bodies and of nested query strings, of 600 kB and 20 ms. Bodies are read by `src/shared/http`,
 * and query strings by `node:querystring`.
 */
export const noParsers: Plugin = {
  name: "no-parsers",
  setup(builder) {
    builder.onResolve({ filter: /^(body-parser|qs)$/ }, ({ path, importer }) =>
      importer.includes("/express/") ? { path, namespace: "no-parser" } : undefined,
    );
    builder.onLoad({ filter: /./, namespace: "no-parser" }, () => ({ contents: "", loader: "js" }));
  },
};

/** zod brings its messages in fifty languages, 270 kB. Only the English ones are read, and not by way of the index. */
export const noLocales: Plugin = {
  name: "no-locales",
  setup(builder) {
    builder.onResolve({ filter: /\/locales\/index\.c?js$/ }, ({ path, importer }) =>
      importer.includes("/zod/") ? { path, namespace: "no-locales" } : undefined,
    );
    builder.onLoad({ filter: /./, namespace: "no-locales" }, () => ({ contents: "export {};", loader: "js" }));
  },
};

/** Express brings all 2,500 registered media types. Responses are JSON, text and events, or name their type. */
export const textTypesOnly: Plugin = {
  name: "text-types-only",
  setup(builder) {
    builder.onLoad({ filter: /\/mime-db\/db\.json$/ }, async ({ path }) => {
      const types = Object.entries(JSON.parse(await readFile(path, "utf8")) as Record<string, { charset?: string }>);
      const kept = types.filter(([type, { charset }]) => type.startsWith("text/") || charset !== undefined);
      return { contents: JSON.stringify(Object.fromEntries(kept)), loader: "json" };
    });
  },
};
