import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { engineImage, imageOf, librariesOf, nodeFiles } from "./docker.ts";

/** Where the image has them, and the files of this machine. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "/bin/sh": "/bin/sh",
  "/bin/cat": "/bin/cat",
  "/usr/bin/curl": "/usr/bin/curl",
  "/usr/bin/git": "/usr/bin/git",
  "/usr/lib/git-core/git-remote-http": "/usr/lib/git-core/git-remote-http",
  "/usr/lib/git-core/git-remote-https": "/usr/lib/git-core/git-remote-https",
  "/usr/bin/python3": "/usr/bin/python3",
};
const PYTHON = "/usr/lib";
const NOT_COPIED = /\/(?:__pycache__|test|tests|dist-packages|ensurepip|idlelib|lib2to3|config-[^/]*)(?:\/|$)/;

/** What this machine lacks for {@link toolImage}. Null for nothing. */
export const missingForToolImage = (): string | null =>
  Object.values(PROGRAMS).find((path) => !existsSync(path)) ?? null;

/** An image of engines whose base has programs of tools: a shell, curl, git and Python, as files of this machine. */
export async function toolImage(socketPath: string): Promise<string> {
  const hash = createHash("sha256").update(process.version);
  for (const path of Object.values(PROGRAMS)) hash.update(path).update(readFileSync(path));
  return engineImage(
    socketPath,
    await imageOf(socketPath, `orchd-tools:${hash.digest("hex").slice(0, 16)}`, () => ({
      ...nodeFiles(),
      ...PROGRAMS,
      ...Object.assign({}, ...Object.values(PROGRAMS).map(librariesOf)),
      ...pythonLibrary(),
    })),
  );
}

/** The standard library of the system's Python. */
function pythonLibrary(): Record<string, string> {
  const version = readdirSync(PYTHON).find((name) => /^python3\.\d+$/.test(name));
  if (version === undefined) throw new Error("/usr/bin/python3 has no library");
  const folder = join(PYTHON, version);
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.map((name) => join(folder, name)).filter((path) => !NOT_COPIED.test(path));
  const modules = files.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
  return Object.fromEntries(modules.map((path) => [path, path]));
}
