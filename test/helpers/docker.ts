import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { createReadStream, existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { request } from "node:http";
import { dirname, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { one } from "../../src/backup/archive-writer.ts";
import { TarWriter } from "../../src/shared/tar.ts";
import { DockerApi, DockerError } from "../../src/orchestrator/fleet/docker/docker-api.ts";
import { fixture } from "./fleet.ts";

const NODE = "/usr/local/bin/node";
/** Where the image has the fixture engines. */
export const FIXTURES = "/fixtures";
const FOLDER_PROGRAM = resolve(import.meta.dirname, "../../dist/orchd-folder.cjs");

/** The socket of the Docker engine that `DOCKER_HOST` names, or the usual one. Null, with the reason, without a Docker engine. */
export async function findDocker(): Promise<{ readonly socketPath: string } | { readonly missing: string }> {
  const socketPath = (process.env["DOCKER_HOST"] ?? "unix:///var/run/docker.sock").replace(/^unix:\/\//, "");
  if (!existsSync(socketPath)) return { missing: `no Docker engine at ${socketPath} (DOCKER_HOST)` };
  try {
    await new DockerApi(socketPath).call("GET", "/version");
    return { socketPath };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * An image of this Node.js, the libraries that it loads, the fixture engines and the built folder program, made of files of this machine. It is
 * made once and stays on the Docker engine.
 */
export async function fixtureImage(socketPath: string): Promise<string> {
  const engines = readdirSync(fixture("engines"));
  const hash = createHash("sha256").update(process.version);
  for (const name of engines) hash.update(readFileSync(fixture(`engines/${name}`)));
  hash.update(readFileSync(FOLDER_PROGRAM));
  return imageOf(socketPath, `orchd-fixtures:${hash.digest("hex").slice(0, 16)}`, () => ({
    ...nodeFiles(),
    ...Object.fromEntries(engines.map((name) => [join(FIXTURES, name), fixture(`engines/${name}`)])),
    [join(FIXTURES, "orchd-folder.cjs")]: FOLDER_PROGRAM,
  }));
}

/** Node.js and the libraries that it loads, as files of an image. */
export const nodeFiles = (): Record<string, string> => ({ [NODE]: process.execPath, ...librariesOf(process.execPath) });

/** The libraries that the dynamic linker loads for a program, as files of an image. */
export const librariesOf = (program: string): Record<string, string> =>
  Object.fromEntries(
    [...execFileSync("ldd", [program], { encoding: "utf8" }).matchAll(/(\/\S+\.so\S*)/g)].map(([, path = ""]) => [
      path,
      path,
    ]),
  );

/** An image of files of this machine, made once. */
export async function imageOf(
  socketPath: string,
  image: string,
  files: () => Readonly<Record<string, string>>,
): Promise<string> {
  try {
    await new DockerApi(socketPath).call("GET", `/images/${image}/json`);
  } catch (error) {
    if (!(error instanceof DockerError)) throw error;
    await importImage(socketPath, image, files());
  }
  return image;
}

/** The image of engines, built by the Dockerfile from the built programs of this checkout. */
export const engineImage = async (socketPath: string, base?: string): Promise<string> =>
  builtImage(socketPath, "orchd-engine", base);

/** The same of the daemon. */
export const daemonImage = (socketPath: string): Promise<string> => builtImage(socketPath, "orchd");

async function builtImage(socketPath: string, target: "orchd" | "orchd-engine", base?: string): Promise<string> {
  const root = resolve(import.meta.dirname, "../..");
  const image = `${target}-test:${randomUUID()}`;
  const release = new TarWriter();
  const packed = buffer(release.stream.pipe(createGzip({ level: 1 })));
  for (const name of releaseFiles(root)) await addFile(release, `orchd-test/${name}`, readFileSync(join(root, name)));
  await addFile(release, "orchd-test/licenses/all.txt", readFileSync(join(root, "LICENSE")));
  release.finish();
  const context = new TarWriter();
  const query = new URLSearchParams({ t: image, target, rm: "true", forcerm: "true" });
  query.append("buildargs", JSON.stringify({ BASE_IMAGE: base ?? (await fixtureImage(socketPath)), VERSION: "test" }));
  const built = post(socketPath, `/build?${query.toString()}`, context.stream);
  await addFile(context, "Dockerfile", readFileSync(join(root, "Dockerfile")));
  await addFile(context, "orchd-test-linux-x64.tar.gz", await packed);
  context.finish();
  const answer = await built;
  if (answer.includes('"error"')) throw new Error(answer);
  return image;
}

/** Those of a release archive that the images have, without the snapshots of engines. */
const releaseFiles = (root: string): readonly string[] => [
  "package.json",
  "LICENSE",
  "dist/package.json",
  ...readdirSync(join(root, "bin")).map((name) => `bin/${name}`),
  ...readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(cjs|html)$|documents.*\.json$|word-vectors.*\.bin$/.test(name))
    .map((name) => `dist/${name}`),
];

async function addFile(tar: TarWriter, path: string, content: Buffer): Promise<void> {
  const member = {
    path,
    type: "file",
    size: content.length,
    mode: 0o755,
    modifiedAt: new Date(0),
    target: "",
  } as const;
  await tar.add(member, one(content));
}

/** The body of the answer to an archive. */
async function post(socketPath: string, path: string, body: Readable): Promise<string> {
  const headers = { "content-type": "application/x-tar" };
  const upload = request({ socketPath, method: "POST", path: `/v1.41${path}`, headers });
  const answered = new Promise<string>((resolve, reject) => {
    upload.once("error", reject);
    upload.once("response", (answer) => text(answer).then(resolve, reject));
  });
  await pipeline(body, upload);
  return answered;
}

async function importImage(socketPath: string, image: string, files: Readonly<Record<string, string>>): Promise<void> {
  const tar = new TarWriter();
  const written = writeFiles(tar, files);
  const query = new URLSearchParams({ fromSrc: "-", repo: image.split(":")[0] ?? "", tag: image.split(":")[1] ?? "" });
  query.append("changes", `ENTRYPOINT ["${NODE}"]`);
  query.append("changes", `ENV PATH=${dirname(NODE)}:/usr/bin:/bin`);
  const answer = await post(socketPath, `/images/create?${query.toString()}`, tar.stream);
  await written;
  if (answer.includes('"error"')) throw new Error(answer);
}

async function writeFiles(tar: TarWriter, files: Readonly<Record<string, string>>): Promise<void> {
  const modifiedAt = new Date(0);
  for (const folder of ["data", "tmp", "etc", "etc/orchd"])
    await tar.add({ path: folder, type: "directory", size: 0, mode: 0o755, modifiedAt, target: "" });
  for (const [path, source] of Object.entries(files)) {
    const { size } = statSync(source);
    await tar.add(
      { path: path.slice(1), type: "file", size, mode: 0o755, modifiedAt, target: "" },
      createReadStream(source),
    );
  }
  tar.finish();
}
