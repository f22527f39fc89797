import { METHODS } from "node:http";
import type { Plugin } from "esbuild";

/**
 * Modules of Node.js that a start-up snapshot must not contain:
 * - `sqlite`, `http` and what loads it: a snapshot cannot hold them.
 * - `crypto` keeps random bytes for the next `randomUUID()`, which would be the same in each process.
 * - `net` and `v8` make templates of native objects, and `crypto` too. A worker thread of the restored process, which has
 *   those of the snapshot, would end the process when it loads a module that makes them again.
 * - Node.js has not verified the others in a snapshot.
 */
const LATER = [
  "async_hooks",
  "child_process",
  "crypto",
  "dns/promises",
  "http",
  "http2",
  "https",
  "module",
  "net",
  "perf_hooks",
  "readline",
  "sqlite",
  "tls",
  "tty",
  "v8",
  "vm",
  "worker_threads",
];

/** Values that packages read of these modules while they load, as source text. */
const WHILE_LOADING: Readonly<Record<string, string>> = {
  http: `{ METHODS: ${JSON.stringify(METHODS)} }`,
  // An engine has no terminal.
  tty: "{ isatty: () => false }",
  worker_threads: "{ isMainThread: true }",
};

/**
 * Replaces them by stand-ins in a program that is loaded into a snapshot. A stand-in reads the module when one of its
 * members is used in the restored process. A class that a package derives from, or takes a prototype of, is a function that is linked to the
 * class then.
 */
export const laterBuiltIns: Plugin = {
  name: "later-built-ins",
  setup(builder) {
    builder.onResolve({ filter: new RegExp(`^(node:)?(${LATER.join("|")})$`) }, ({ path }) => ({
      path: path.replace(/^node:/, ""),
      namespace: "later",
    }));
    builder.onLoad({ filter: /./, namespace: "later" }, ({ path }) => ({ contents: standIn(path), loader: "js" }));
  },
};

function standIn(name: string): string {
  const members = Object.entries(process.getBuiltinModule(`node:${name}`) ?? {});
  const names = members.map(([key]) => key);
  const functions = members.filter(([, value]) => typeof value === "function").map(([key]) => key);
  return `
const load = () => process.getBuiltinModule("node:${name}");
const snapshot = globalThis.engineSnapshot;
if (snapshot === undefined) module.exports = load();
else {
  let real;
  const functions = new Set(${JSON.stringify(functions)});
  const values = ${WHILE_LOADING[name] ?? "{}"};
  const classes = {};
  for (const name of ${JSON.stringify(names)})
    Object.defineProperty(exports, name, { enumerable: true, get: () => snapshot.isRestored ? linked()[name] : whileLoading(name) });

  function whileLoading(name) {
    if (!(name in values) && functions.has(name)) values[name] = standFor(name);
    if (name in values) return values[name];
    throw new Error(name + " of node:${name} is read while the program loads");
  }
  function linked() {
    if (real !== undefined) return real;
    real = load();
    for (const [name, stand] of Object.entries(classes)) {
      Object.setPrototypeOf(stand, real[name]);
      if (real[name].prototype) Object.setPrototypeOf(stand.prototype, real[name].prototype);
    }
    return real;
  }
  function standFor(name) {
    // Only what was read is linked: some getters load other modules, those of \`http\` the whole of undici.
    if (/^[A-Z]/.test(name)) classes[name] = stand;
    return stand;
    function stand(...args) {
      if (!snapshot.isRestored) throw new Error(name + " of node:${name} is called while the program loads");
      const target = linked()[name];
      if (new.target === undefined) return Reflect.apply(target, this, args);
      return Reflect.construct(target, args, new.target === stand ? target : new.target);
    }
  }
}
`;
}
