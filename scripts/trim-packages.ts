import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** What decodes bodies brings tables of 400 kB for scripts that JSON is not written in; nothing else reads them. */
export const noLegacyTables: Plugin = {
  name: "no-legacy-tables",
  setup(builder) {
    builder.onResolve({ filter: /^\.\/tables\/.*\.json$/ }, ({ path, importer }) =>
      importer.includes("/iconv-lite/") ? { path, namespace: "no-table" } : undefined,
    );
    builder.onLoad({ filter: /./, namespace: "no-table" }, () => ({ contents: "[]", loader: "json" }));
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

/** Express brings all 2,500 registered media types. An engine sends JSON, text and events. */
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
