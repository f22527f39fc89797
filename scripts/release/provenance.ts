import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { sha256 } from "./write-archive.ts";

/**
 * What the files of a release were made of: an in-toto statement with a predicate of SLSA. It has no signature, which is the
 * publisher's, and no time, so that the same commit makes the same statement.
 */
export async function provenanceOf(
  root: string,
  of: { readonly version: string; readonly subjects: readonly { readonly name: string; readonly digest: string }[] },
): Promise<object> {
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: of.subjects.map(({ name, digest }) => ({ name, digest: { sha256: digest } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:orchd:npm-run-package:1",
        externalParameters: { version: of.version },
        internalParameters: { node: process.version, platform: `${process.platform}-${process.arch}` },
        resolvedDependencies: [
          { name: "source", digest: { gitCommit: await commitOf(root) } },
          { name: "package-lock.json", digest: { sha256: await sha256(join(root, "package-lock.json")) } },
        ],
      },
      runDetails: { builder: { id: "urn:orchd:checkout" } },
    },
  };
}

/** `unknown` where there is no checkout of Git. */
async function commitOf(root: string): Promise<string> {
  const { stdout } = await promisify(execFile)("git", ["-C", root, "rev-parse", "HEAD"]).catch(() => ({
    stdout: "unknown",
  }));
  return stdout.trim();
}
