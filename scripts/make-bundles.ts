/**
 * Bundles the three programs, as CommonJS: it starts 23 ms and 13 MB below ES modules. The client for
 * products' backends becomes one ES module with its types.
 * An engine's program holds the package of one provider. What else it imports dynamically becomes a bundle of its own,
 * also the packages of other providers, for models that are named `provider:model`.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { type BuildOptions, type Plugin, build } from "esbuild";
import { programName } from "../src/contract/engine/program.ts";
import { PROVIDERS, type ProviderName } from "../src/contract/settings/engine-settings.ts";
import { nameBuiltModules } from "./compile-sandbox.ts";
import { laterBuiltIns } from "./snapshot/later-built-ins.ts";
import { lazyImports } from "./lazy-imports.ts";
import { noDescriptions, noLocales, noParsers, noSchemaCompiler, textTypesOnly } from "./trim-packages.ts";

const root = resolve(import.meta.dirname, "..");

const bundleName = (file: string) => `engine-${basename(file, ".ts")}`;

/**
 * Leaves `import("./x.ts")` of our own engine files to run time and records `x.ts` as another bundle. `inside` is
 * the one that belongs to the program.
 */
const ownBundles = (found: Set<string>, inside?: string): Plugin => ({
  name: "own-bundles",
  setup(builder) {
    builder.onResolve({ filter: /^\.\.?\// }, ({ kind, path, resolveDir }) => {
      if (kind !== "dynamic-import") return undefined;
      const file = resolve(resolveDir, path);
      if (file === inside) return undefined;
      found.add(file);
      return { path: bundleName(file), namespace: "own-bundle" };
    });
    // By the path of the engine's entry: a program in a start-up snapshot has no folder.
    builder.onLoad({ filter: /./, namespace: "own-bundle" }, ({ path }) => ({
      contents: `
const { join } = require("node:path");
const dist = join(process.argv[1], "../../dist/");
module.exports = require("node:module").createRequire(dist)("./${path}.cjs");`,
      loader: "js",
    }));
  },
});

/** What `orchctl acp` loads, which no other command needs. */
const EDITORS = "orchctl-acp";
const bundleOfEditors: Plugin = {
  name: "bundle-of-editors",
  setup(builder) {
    builder.onResolve({ filter: /\/acp\/serve-acp\.ts$/ }, () => ({ path: `./${EDITORS}.cjs`, external: true }));
  },
};

/** The file that opens the models of a provider. The sandbox has none. */
const familyFile = (provider: string) => join(root, `src/engine/model/${provider}-model.ts`);

/**
 * One character beyond ASCII makes a program's text twice as large in memory. The compiler leaves them only in regular
 * expressions, which read the escape as the character.
 */
async function escapeBeyondAscii(file: string): Promise<void> {
  const text = await readFile(file, "utf8");
  if (/\\[\u0080-\uffff]/.test(text)) throw new Error(`${file}: a backslash before a character that would be escaped`);
  const code = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  await writeFile(file, text.replaceAll(/[\u0080-\uffff]/g, code));
}

/**
 * Without comments and indentation, for a program's text stays in memory. Names are kept, and lines are short: a stack,
 * and the line that Node.js prints above it, can be read.
 */
const COMPACT = { minifyWhitespace: true, lineLimit: 160 } as const;

/** A program contains only the version of the package's manifest; a release's program contains that of the release. */
const reportVersion = (version: string): Plugin => ({
  name: "report-version",
  setup(builder) {
    builder.onLoad({ filter: /\/package\.json$/ }, ({ path }) =>
      path === join(root, "package.json") ? { contents: JSON.stringify({ version }), loader: "json" } : undefined,
    );
  },
});

interface Bundle extends Pick<BuildOptions, "entryPoints" | "stdin" | "banner" | "footer" | "supported"> {
  readonly name: string;
  readonly folder: string;
  readonly plugins: Plugin[];
}

/** Returns the source files of the bundle, relative to the checkout. */
async function bundle({ name, folder, plugins, ...options }: Bundle): Promise<readonly string[]> {
  const outfile = join(folder, `${name}.cjs`);
  const { metafile } = await build({
    absWorkingDir: root,
    metafile: true,
    ...COMPACT,
    ...options,
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node24.12",
    sourcemap: "linked",
    sourcesContent: false,
    legalComments: "none",
    external: ["pg-native"],
    define: { "import.meta.dirname": "__dirname" },
    logLevel: "warning",
    plugins: [...plugins, noDescriptions, noParsers, noLocales, noSchemaCompiler, textTypesOnly],
  });
  await escapeBeyondAscii(outfile);
  return Object.keys(metafile.inputs);
}

/** `@orchd/client`: ES modules without imports, for Node.js 20 or newer and for browsers, and their types. One is for Node.js. */
export async function bundleClient(folder: string): Promise<void> {
  const options = {
    bundle: true,
    platform: "neutral",
    format: "esm",
    target: "es2022",
    legalComments: "none",
    logLevel: "warning",
  } as const;
  await build({ ...options, entryPoints: [join(root, "src/client/index.ts")], outfile: join(folder, "index.js") });
  const browser = { entryPoints: [join(root, "src/client/browser.ts")], outfile: join(folder, "browser.js") };
  // A page may use it as it is.
  await build({ ...options, ...browser, minify: true });
  const ofNode = { entryPoints: [join(root, "src/client/file-keys.ts")], outfile: join(folder, "file-keys.js") };
  await build({ ...options, ...ofNode, external: ["node:fs/promises"] });
  await declareClient(join(folder, "types"));
}

/** The client's types, from its sources. An installation that only runs has no compiler, and needs none. */
async function declareClient(folder: string): Promise<void> {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  if (!existsSync(compiler)) return;
  const project = join(root, "tsconfig.client.json");
  await promisify(execFile)(process.execPath, [compiler, "--project", project, "--outDir", folder]);
  await nameBuiltModules(folder);
}

/** Bundles the programs, which report `version`. Returns the files that they were made of. */
export async function bundlePrograms(folder: string, version: string): Promise<ReadonlySet<string>> {
  await mkdir(folder, { recursive: true });
  // Node.js looks for a package.json when it loads a bundle. An isolated engine may not read the installation's.
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "commonjs" }));
  const sources = new Set<string>();
  const pending = new Set<string>();
  const make = async (parts: Omit<Bundle, "folder">) => {
    const used = await bundle({ ...parts, folder, plugins: [reportVersion(version), ...parts.plugins] });
    for (const file of used) sources.add(file);
  };
  const program = (entry: string, name: string, ...plugins: Plugin[]) =>
    make({ entryPoints: [join(root, entry)], name, plugins });
  await program("src/orchestrator/daemon/main.ts", "orchd");
  await program("src/backup/folder-program.ts", "orchd-folder");
  await program("src/broker/program.ts", "orchd-broker");
  await program("src/engine/catalog-check/check-program.ts", "orchd-catalog");
  await program("src/engine/catalog-check/unpack-program.ts", "orchd-unpack-catalog");
  await program("src/engine/knowledge-reading/reading-program.ts", "orchd-knowledge");
  await program("cli/main.ts", "orchctl", lazyImports, bundleOfEditors);
  await program("cli/acp/serve-acp.ts", EDITORS, lazyImports);
  for (const provider of PROVIDERS) await make(engineProgram(provider, pending));
  // A Set also visits entries that are added during the iteration, such as bundles of bundles.
  for (const name of [
    "engine/isolation/confine",
    "sandbox/programs/launch-worker",
    "sandbox/sockets/supervisor-worker",
  ])
    pending.add(join(root, `src/${name}.ts`));
  for (const file of pending)
    await make({ entryPoints: [file], name: bundleName(file), plugins: [ownBundles(pending)] });
  return sources;
}

/** The script of a snapshot has no `module`. */
const LOADING =
  'if (typeof module === "undefined") globalThis.engineSnapshot = { isRestored: false };' +
  'var module = typeof module === "undefined" ? {} : module;';

/** The program of a provider's engines. It is loaded as a module, or into a start-up snapshot. */
function engineProgram(provider: ProviderName, pending: Set<string>): Omit<Bundle, "folder"> {
  const family = familyFile(provider);
  const name = programName(provider);
  return {
    stdin: {
      contents: `${existsSync(family) ? `import "./model/${basename(family)}";` : ""} export { run } from "./program.ts";`,
      resolveDir: join(root, "src/engine"),
      sourcefile: `${name}.ts`,
      loader: "ts",
    },
    name,
    // The file name in stack traces, instead of a path of the build.
    footer: { js: `//# sourceURL=${name}.cjs` },
    banner: { js: LOADING },
    // A snapshot has no dynamic import.
    supported: { "dynamic-import": false },
    plugins: [laterBuiltIns, ownBundles(pending, family)],
  };
}
