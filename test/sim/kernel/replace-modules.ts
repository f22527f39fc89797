import { registerHooks } from "node:module";
import type { Mutation } from "../mutations.ts";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../../..");
const url = (file: string) => pathToFileURL(resolve(root, file)).href;
const standIn = (name: string) => url(`test/sim/modules/${name}.ts`);

/** What each stands in for. */
const PACKAGES: Readonly<Record<string, string>> = {
  pg: standIn("pg"),
  "node:crypto": standIn("crypto"),
  "node:timers/promises": standIn("timers-promises"),
};
const MODULES: Readonly<Record<string, string>> = {
  [url("src/orchestrator/engine-calls/ask-engine.ts")]: standIn("ask-engine"),
  [url("src/sandbox/sockets.ts")]: standIn("sockets"),
  [url("src/orchestrator/fleet/sockets/await-connection.ts")]: standIn("await-connection"),
  [url("src/orchestrator/fleet/sockets/refuse-calls.ts")]: standIn("refuse-calls"),
  [url("src/orchestrator/daemon/open-backend.ts")]: standIn("open-backend"),
  [url("src/orchestrator/daemon/locate-database.ts")]: standIn("locate-database"),
  [url("src/orchestrator/daemon/host-network-id.ts")]: standIn("host-network-id"),
  [url("src/orchestrator/store/migrate.ts")]: standIn("migrate"),
};
/** The simulation itself and what it drives need the real ones. */
const isProduct = (parent: string | undefined) => parent?.startsWith(url("src/")) === true;

/**
 * Replaces the modules through which the product touches Node.js and PostgreSQL, and puts a bug into one. Call it before
 * the product is imported.
 */
export function replaceModules(mutation: Mutation | null = null): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (!isProduct(context.parentURL)) return next(specifier, context);
      const known = PACKAGES[specifier];
      if (known !== undefined) return { url: known, shortCircuit: true };
      const found = next(specifier, context);
      const replaced = MODULES[found.url];
      return replaced === undefined ? found : { url: replaced, shortCircuit: true };
    },
  });
  if (mutation !== null) mutate(mutation);
}

/** The module is loaded with the bug; the file stays as it is. */
function mutate({ name, file, ...edit }: Mutation): void {
  registerHooks({
    load(address, context, next) {
      const loaded = next(address, context);
      if (address !== url(file)) return loaded;
      let source = String(loaded.source);
      for (const { from, to } of edit.and === undefined ? [edit] : [edit, edit.and]) {
        const [before, after, ...more] = source.split(from);
        if (before === undefined || after === undefined || more.length > 0)
          throw new Error(`the mutation "${name}" does not find its text once in ${file}`);
        source = before + to + after;
      }
      return { ...loaded, source };
    },
  });
}
