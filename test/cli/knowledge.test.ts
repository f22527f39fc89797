import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { startFakeServer } from "../helpers/fake-server.ts";
import { freshFolder } from "../helpers/folder.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const RECORD = {
  title: "Refunds",
  media_type: "text/markdown",
  bytes: 9,
  sha256: "0".repeat(64),
  passages: 1,
  actor: "product",
  created_at: "2026-11-01T12:00:00.000Z",
  updated_at: "2026-11-01T12:00:00.000Z",
};
const documents = [
  { ...RECORD, path: "help/old.md" },
  // The SHA-256 of "same".
  { ...RECORD, path: "help/same.txt", sha256: "0967115f2813a3541eaef77de9d9d5773f1c0c04314b0bbfe4ff3b3b1c55b5d5" },
  { ...RECORD, path: "terms.md" },
];
const server = await startFakeServer(t);
const embeddings = { model: "nomic", embedded: 2, waiting: 1, last_error: "it answered 503" };
server.on("GET /knowledge", { body: { version: 3, documents, embeddings } });
const orchctl = orchctlFor(t, server);
const run = (...args: string[]) => orchctl(["knowledge", ...args], { env: { ORCH_PLATFORM_KEY: "orchp_of-the-test" } });

t.test("put stores what is new of a folder, deletes what it lacks, and names what cannot be read", async (t) => {
  const folder = freshFolder(t, "orchctl-knowledge");
  mkdirSync(join(folder, "a"));
  writeFileSync(join(folder, "a/new.md"), "# New");
  writeFileSync(join(folder, "same.txt"), "same");
  writeFileSync(join(folder, "scan.pdf"), "%PDF-");
  writeFileSync(join(folder, "code.js"), "not a document");
  const put = { ...RECORD, version: 4, is_new: true };
  server.on("PUT /knowledge/documents/help%2Fa%2Fnew.md", { body: { ...put, path: "help/a/new.md" } });
  const error = { code: "KNOWLEDGE_DOCUMENT_INVALID", message: "help/scan.pdf: it has no text", request_id: "r" };
  server.on("PUT /knowledge/documents/help%2Fscan.pdf", { status: 422, body: { error } });
  server.on("DELETE /knowledge/documents/help%2Fold.md", { body: { deleted: true, version: 5 } });
  const { code, stdout } = await run("put", folder, "--prefix", "help/", "--prune");
  t.equal(code, 2);
  t.equal(
    stdout,
    "+ help/a/new.md\n- help/old.md\n! help/scan.pdf: it has no text\n1 stored, 1 deleted, 1 unchanged\n",
  );
  t.match(await run("put", join(folder, "nowhere")), { code: 2, stderr: /cannot be read/ });
});

t.test("documents are listed, shown by passages, searched and deleted", async (t) => {
  const { stdout } = await run("list");
  t.match(stdout, /^terms\.md +Refunds +9 +1 /m);
  t.match(stdout, /\n\n2 passages have vectors of nomic, 1 wait for one\nthe last call failed: it answered 503\n$/);
  const place = { heading: ["Refunds"], lines: [3, 4], pages: null };
  const content = [{ number: 1, ...place, text: "Within\n14 days." }];
  server.on("GET /knowledge/documents/terms.md", { body: { ...documents[2], content } });
  t.equal((await run("show", "terms.md")).stdout, "#1  lines 3-4  Refunds\nWithin\n14 days.\n");
  const result = { source: "terms.md:3-4", path: "terms.md", title: "Terms", ...place, text: "Within 14 days." };
  server.on("POST /knowledge/search", { body: { results: [result] } });
  t.equal((await run("search", "how", "long")).stdout, "[terms.md:3-4] Refunds\nWithin 14 days.\n");
  t.same(server.calls.at(-1)?.body, { query: "how long" });
  server.on("DELETE /knowledge/documents/terms.md", { body: { deleted: true, version: 6 } });
  t.equal((await run("delete", "terms.md", "--yes")).stdout, "deleted terms.md\n");
});
