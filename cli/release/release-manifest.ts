import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import * as z from "zod/mini";
import { readIfThere } from "../../src/shared/files.ts";
import { lazily } from "../../src/shared/lazily.ts";
import { CliFailure } from "../exit-codes.ts";

const manifest = lazily(() =>
  z.object({
    version: z.string().check(z.regex(/^[0-9][\w.+-]{0,63}$/)),
    arch: z.string(),
    node: z.string(),
    postgres: z.string(),
    /** The migrations of the daemon's database, in order. */
    migrations: z.array(z.string()),
    /** The SHA-256 of each file but the manifest, by path. Paths and names stay inside the release. */
    files: z.record(z.string().check(z.regex(/^(?!.*(^|\/)\.\.?(\/|$))[^/]/)), z.string()),
  }),
);
export type ReleaseManifest = z.output<ReturnType<typeof manifest>>;

export const MANIFEST_FILE = "release.json";

/** The manifest of a release's folder. Null where there is none. */
export async function readManifest(folder: string): Promise<ReleaseManifest | null> {
  const file = join(folder, MANIFEST_FILE);
  const text = await readIfThere(file);
  return text === null ? null : parseManifest(text, file);
}

function parseManifest(text: string, file: string): ReleaseManifest {
  try {
    return z.parse(manifest(), JSON.parse(text));
  } catch {
    throw new CliFailure("usage", `${file} is not the manifest of a release of orchd, or is damaged; unpack it again`);
  }
}

/** Throws unless the file has the checksum that the manifest gives. */
export async function verifyFile(folder: string, [name, expected]: readonly [string, string]): Promise<void> {
  const found = await sha256(join(folder, name));
  if (found !== expected) {
    throw new CliFailure(
      "unexpected",
      `${join(folder, name)} is damaged: its SHA-256 is ${found}, expected ${expected}`,
    );
  }
}

export async function sha256(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** Why `target` cannot use the database of `current`; null when it can. */
export function databaseProblem(
  current: Pick<ReleaseManifest, "version" | "migrations" | "postgres">,
  target: Pick<ReleaseManifest, "version" | "migrations" | "postgres">,
  { usesBundledServer }: { readonly usesBundledServer: boolean },
): string | null {
  const unknown = current.migrations.filter((name) => !target.migrations.includes(name));
  if (unknown.length > 0) {
    return (
      `${current.version} has migrated the database to ${unknown.at(-1)}, which ${target.version} does not know; ` +
      "migrations are not undone"
    );
  }
  const [from, to] = [current, target].map(({ postgres }) => postgres.split(".")[0]);
  if (usesBundledServer && from !== to) {
    return (
      `the database was created by PostgreSQL ${from}, and ${target.version} has PostgreSQL ${to}; ` +
      "move the data to a server of your own and set DATABASE_URL, or stay"
    );
  }
  return null;
}
