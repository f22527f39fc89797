import type { Plugin } from "esbuild";

/** Built-in modules that cost most to load, and what loads them. `orchctl --version` needs 0.8 of the CPU time without. */
const BUILT_INS = [
  "child_process",
  "crypto",
  "http",
  "https",
  "net",
  "readline",
  "readline/promises",
  "sqlite",
  "tls",
  "v8",
  "zlib",
];
/** The same for packages, with what is imported of them. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  execa: ["execa"],
  "zod/mini": "_default array int nullable object optional parse record regex safeParse string".split(" "),
};

/** Loads a module when one of its members is first used: most runs of a command line need few. */
export const lazyImports: Plugin = {
  name: "lazy-imports",
  setup(builder) {
    builder.onResolve({ filter: new RegExp(`^node:(${BUILT_INS.join("|")})$`) }, ({ path }) => ({
      path,
      namespace: "lazy-built-in",
    }));
    builder.onLoad({ filter: /./, namespace: "lazy-built-in" }, ({ path }) => ({
      contents: getters(Object.keys(process.getBuiltinModule(path) ?? {}), `process.getBuiltinModule("${path}")`),
      loader: "js",
    }));
    builder.onResolve({ filter: new RegExp(`^(${Object.keys(PACKAGES).join("|")})$`) }, ({ path, namespace }) =>
      namespace === "used" ? undefined : { path, namespace: "lazy-package" },
    );
    builder.onLoad({ filter: /./, namespace: "lazy-package" }, ({ path }) => ({
      contents: getters(PACKAGES[path] ?? [], `require("${path}?used")`),
      resolveDir: import.meta.dirname,
      loader: "js",
    }));
    // Without the rest of the package, which `require` would bring.
    builder.onResolve({ filter: /\?used$/ }, ({ path }) => ({
      path: path.slice(0, -"?used".length),
      namespace: "used",
    }));
    builder.onLoad({ filter: /./, namespace: "used" }, ({ path }) => ({
      contents: `export { ${(PACKAGES[path] ?? []).join(", ")} } from "${path}";`,
      resolveDir: import.meta.dirname,
      loader: "js",
    }));
  },
};

const getters = (names: readonly string[], load: string): string => `
let loaded;
for (const name of ${JSON.stringify(names)})
  Object.defineProperty(exports, name, { enumerable: true, get: () => (loaded ??= ${load})[name] });`;
