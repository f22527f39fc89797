import { chmod, copyFile, cp, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Libraries that neither `postgres` nor `initdb` loads. They are omitted. */
const UNUSED_LIBRARIES = /^lib(ecpg|pgtypes|xslt|ossp-uuid)/;
/** A library with its version. Names without one are for compilers. */
const LIBRARY = /\.so\.\d/;
/** Extensions that `initdb` installs in each new cluster. */
const MODULES = ["dict_snowball.so", "plpgsql.so"];
const EXTENSION = /^plpgsql\b/;
/** Files for clients and compilers. They are omitted. */
const UNUSED_SHARED = ["psqlrc.sample", "pg_service.conf.sample", "errcodes.txt", "extension"];

/** Copies what orchd uses of PostgreSQL's package, in the package's layout. Returns the package's version. */
export async function copyPostgres(source: string, target: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(source, "package.json"), "utf8")) as Record<string, string>;
  const [from, to] = [join(source, "native"), join(target, "native")];
  await mkdir(join(to, "lib/postgresql"), { recursive: true });
  await writeFile(join(target, "package.json"), `${JSON.stringify({ name, version })}\n`);
  await cp(join(from, "bin"), join(to, "bin"), { recursive: true });
  await copyLibraries(from, to);
  for (const module of MODULES) await copyFile(...both(from, to, `lib/postgresql/${module}`));
  await copyShared(join(from, "share/postgresql"), join(to, "share/postgresql"));
  for (const file of await readdir(join(to, "bin"))) await chmod(join(to, "bin", file), 0o755);
  return version ?? "";
}

/**
 * Programs load a library by a name with fewer digits than its file has. The package lists such names as links, because
 * npm packs none. Here the file itself has that name.
 */
async function copyLibraries(from: string, to: string): Promise<void> {
  const entries = await readdir(join(from, "lib"), { withFileTypes: true });
  const links = JSON.parse(await readFile(join(from, "pg-symlinks.json"), "utf8")) as readonly Link[];
  const loadedAs = (file: string) =>
    links
      .map(({ source, target }) => ({ file: basename(source), name: basename(target) }))
      .find((link) => link.file === file && LIBRARY.test(link.name))?.name ?? file;
  for (const { name } of entries.filter((entry) => entry.isFile()))
    if (LIBRARY.test(name) && !UNUSED_LIBRARIES.test(name))
      await copyFile(join(from, "lib", name), join(to, "lib", loadedAs(name)));
}

interface Link {
  /** Relative to the package. */
  readonly source: string;
  readonly target: string;
}

async function copyShared(from: string, to: string): Promise<void> {
  const isUsed = (path: string) => !(dirname(path) === from && UNUSED_SHARED.includes(basename(path)));
  await cp(from, to, { recursive: true, filter: isUsed });
  await mkdir(join(to, "extension"));
  for (const file of await readdir(join(from, "extension"))) {
    if (EXTENSION.test(file)) await copyFile(...both(from, to, `extension/${file}`));
  }
}

const both = (from: string, to: string, file: string) => [join(from, file), join(to, file)] as const;
