import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/**
 * Express loads parsers for bodies and nested query strings, which take 600 kB and 20 ms. Here `src/shared/http` reads bodies,
 * and `node:querystring` reads query strings.
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

/** zod contains messages in fifty languages (270 kB). Only the English ones are used, and not through the index. */
export const noLocales: Plugin = {
  name: "no-locales",
  setup(builder) {
    builder.onResolve({ filter: /\/locales\/index\.c?js$/ }, ({ path, importer }) =>
      importer.includes("/zod/") ? { path, namespace: "no-locales" } : undefined,
    );
    builder.onLoad({ filter: /./, namespace: "no-locales" }, () => ({ contents: "export {};", loader: "js" }));
  },
};

/** Express contains all 2,500 registered media types. Responses are JSON, text or events, or set their type. */
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

/**
 * The MCP client loads Ajv (100 files) to validate what servers return. The engine gives it a validator that does
 * nothing, for compiling the schemas of servers would run untrusted input. The MCP server has its schemas from zod.
 */
export const noSchemaCompiler: Plugin = {
  name: "no-schema-compiler",
  setup(builder) {
    builder.onResolve({ filter: /^@modelcontextprotocol\/(client|server)\/_shims$/ }, ({ path }) => ({
      path,
      namespace: "no-schema-compiler",
    }));
    builder.onLoad({ filter: /./, namespace: "no-schema-compiler" }, () => ({
      contents: `
export const CORS_IS_POSSIBLE = false;
export class DefaultJsonSchemaValidator {}
export { default as process } from "node:process";`,
      loader: "js",
    }));
  },
};

/** Only the documents of an interface use what is said of a schema, and programs hold those as files. */
export const noDescriptions: Plugin = {
  name: "no-descriptions",
  setup(builder) {
    builder.onLoad({ filter: /\/src\/contract\/described\.ts$/ }, () => ({
      contents: "export const described = (schema) => schema;",
      loader: "js",
    }));
  },
};
