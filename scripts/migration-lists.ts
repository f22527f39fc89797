import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { camelCase } from "../src/client/address.ts";

interface MigrationFile {
  readonly file: string;
  /** `0001-run-state` */
  readonly name: string;
  /** `runState` */
  readonly variable: string;
}

const FILE = /^(\d{4})-[a-z\d-]+\.ts$/;

/** The lists of the migrations in `migrations`, by their paths. They are imported, because bundles have no such folders. */
export function migrationLists(
  folder = resolve(import.meta.dirname, "../migrations"),
): Readonly<Record<string, string>> {
  const orchestrator = filesOf(join(folder, "orchestrator"));
  const engine = filesOf(join(folder, "engine"));
  for (const [index, { file }] of engine.entries()) {
    // A store has only the number of its migrations.
    const number = String(index + 1).padStart(4, "0");
    if (!file.startsWith(number)) throw new Error(`migrations/engine/${file}: expected the number ${number}`);
  }
  return {
    "migrations/orchestrator/index.ts": `${HEADER}${orchestrator.map(importOf("* as")).join("")}
/** Every migration by name, in order. */
export const ORCHESTRATOR_MIGRATIONS = {
${orchestrator.map(({ name, variable }) => `  "${name}": ${variable},\n`).join("")}};
`,
    "migrations/engine/index.ts": `${HEADER}${engine.map(importOf("{ sql as", " }")).join("")}
/** In order. A store's \`user_version\` is the number of applied migrations. Forward only, never edited. */
export const ENGINE_MIGRATIONS: readonly string[] = [
${engine.map(({ variable }) => `  ${variable},\n`).join("")}];
`,
  };
}

const HEADER = '// Written by "npm run generate" from the names of the files in this folder.\n\n';

const importOf =
  (before: string, after = "") =>
  ({ file, variable }: MigrationFile): string =>
    `import ${before} ${variable}${after} from "./${file}";\n`;

/** Two of one number would run in an order that nobody chose. */
function filesOf(folder: string): readonly MigrationFile[] {
  const files = readdirSync(folder)
    .filter((file) => file !== "index.ts")
    .sort();
  for (const [index, file] of files.entries()) {
    if (!FILE.test(file)) throw new Error(`${join(folder, file)}: expected a name such as 0001-products.ts`);
    const number = file.slice(0, 4);
    if (files[index + 1]?.startsWith(number) === true)
      throw new Error(`${join(folder, file)}: ${files[index + 1]} has its number; give one of them another`);
  }
  return files.map((file) => {
    const name = file.slice(0, -".ts".length);
    return { file, name, variable: camelCase(name.slice("0001-".length)) };
  });
}
