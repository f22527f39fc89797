import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { makePublishable } from "../../scripts/release/publishable.ts";
import { freshFolder } from "../helpers/folder.ts";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const VERSION = "0.1.0+abc123";
const ARCHIVE = `orchd-${VERSION}-linux-x64.tar.gz`;

/** The folder of a release whose archive is a few bytes. */
async function released(t: Test, images: string | null = null) {
  const out = freshFolder(t, "release");
  writeFileSync(join(out, ARCHIVE), "the archive");
  writeFileSync(join(out, `${ARCHIVE}.sha256`), "its sum");
  const made = await makePublishable({ root, out, version: VERSION, time: 1_700_000_000, images });
  return { out, made };
}

interface Provenance {
  readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
  readonly predicate: { readonly buildDefinition: { readonly resolvedDependencies: readonly object[] } };
}

t.test("a release has the clients, the chart, sums of all, and what they were made of", async (t) => {
  const { out } = await released(t);
  const files = [ARCHIVE, "orchd-0.1.0.tgz", "orchd-client-0.1.0.tgz", "orchd.py"].sort();
  t.same(readdirSync(out).sort(), [...files, `${ARCHIVE}.sha256`, "SHA256SUMS", "provenance.json"].sort());
  t.match((await run("sha256sum", ["--check", "SHA256SUMS"], { cwd: out })).stdout, /orchd\.py: OK/);

  const { subject, predicate } = JSON.parse(readFileSync(join(out, "provenance.json"), "utf8")) as Provenance;
  t.same(subject.map(({ name }) => name).sort(), files);
  for (const { name, digest } of subject)
    t.equal(
      createHash("sha256")
        .update(readFileSync(join(out, name)))
        .digest("hex"),
      digest.sha256,
      name,
    );
  const { stdout: commit } = await run("git", ["-C", root, "rev-parse", "HEAD"]);
  t.match(predicate.buildDefinition.resolvedDependencies[0], { digest: { gitCommit: commit.trim() } });
});

t.test("the chart's archive has the files of the chart below its name, and the client's what runs", async (t) => {
  const { out } = await released(t);
  const namesIn = async (file: string) => (await run("tar", ["-tzf", join(out, file)])).stdout.trim().split("\n");
  const chart = (await namesIn("orchd-0.1.0.tgz")).filter((name) => !name.endsWith("/"));
  const source = readdirSync(join(root, "deploy/helm/orchd"), { recursive: true, withFileTypes: true });
  t.equal(chart.length, source.filter((entry) => entry.isFile()).length);
  t.ok(chart.includes("orchd/Chart.yaml") && chart.includes("orchd/values.yaml"));
  const client = await namesIn("orchd-client-0.1.0.tgz");
  for (const file of ["index.js", "browser.js", "file-keys.js"]) t.ok(client.includes(`package/dist/${file}`), file);
});

t.test("the same commit makes the same files", async (t) => {
  const [one, other] = [await released(t), await released(t)];
  for (const file of ["SHA256SUMS", "provenance.json"])
    t.equal(readFileSync(join(one.out, file), "utf8"), readFileSync(join(other.out, file), "utf8"), file);
});

t.test("images are made of the release's archive, and tagged with where they will be pushed", async (t) => {
  const bin = freshFolder(t, "bin");
  writeFileSync(join(bin, "docker"), `#!/bin/sh\nprintf '%s\\n' "$*" >> ${bin}/calls\n`);
  chmodSync(join(bin, "docker"), 0o755);
  const path = process.env["PATH"];
  process.env["PATH"] = `${bin}:${path}`;
  t.teardown(() => (process.env["PATH"] = path));
  const { out, made } = await released(t, "registry.example.com/team");
  t.same(
    made,
    ["orchd", "orchd-engine"].map((name) => `registry.example.com/team/${name}:0.1.0-abc123`),
  );
  const calls = readFileSync(join(bin, "calls"), "utf8").trim().split("\n");
  t.equal(calls.length, 2);
  for (const call of calls) {
    t.match(call, `--build-arg RELEASE=${ARCHIVE}`);
    t.match(call, `--build-arg VERSION=${VERSION}`);
    t.ok(call.endsWith(` ${out}`), "the folder of the release is the context");
  }
});
