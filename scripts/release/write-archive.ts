import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

/** Reproducible archives: sorted names, one time stamp, root as owner, modes independent of the umask. */
const options = (time: number): readonly string[] => [
  "--format=ustar",
  "--sort=name",
  `--mtime=@${time}`,
  "--owner=root:0",
  "--group=root:0",
  "--mode=u=rwX,go=rX",
];

/** Writes a folder as `file` and its SHA-256, as `sha256sum` checks it, as `file`.sha256. Renamed when complete. */
export async function writeArchive(
  folder: string,
  { file, time, level }: { readonly file: string; readonly time: number; readonly level: number },
): Promise<void> {
  const draft = `${file}.new`;
  const args = [...options(time), "--directory", dirname(folder), "--create", basename(folder)];
  const tar = spawn("tar", args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(tar, "close");
  await pipeline(tar.stdout, createGzip({ level }), createWriteStream(draft));
  const [code] = await ended;
  if (code !== 0) throw new Error(`tar ended with ${String(code)}`);
  await writeFile(`${file}.sha256`, `${await sha256(draft)}  ${basename(file)}\n`);
  await rename(draft, file);
}

/** The SHA-256 of a file, in hexadecimal. */
export async function sha256(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
