import Anthropic, { toFile } from "@anthropic-ai/sdk";
import t from "tap";
import { startEngine } from "../../helpers/engine.ts";
import { message, managedClient } from "./parts/managed-client.ts";

const engine = await startEngine(t);
const { client, newSession, say, sessions } = managedClient(engine);
const { files } = client.beta;
const upload = async (text: string | Uint8Array, name: string) =>
  files.upload({ file: await toFile(Buffer.from(text), name) });

/** A form as another client might write it. */
const send = (body: string | Uint8Array, type = "multipart/form-data; boundary=b") =>
  fetch(`${engine.url}/v1/files`, {
    method: "POST",
    headers: { "x-api-key": engine.key, "content-type": type },
    body,
  });
const form = (...parts: string[]) => `${parts.map((part) => `--b\r\n${part}\r\n`).join("")}--b--\r\n`;
const part = (name: string, content = "x", field = "file") =>
  `Content-Disposition: form-data; name="${field}"; filename="${name}"\r\n\r\n${content}`;

t.test("a file is uploaded, described, listed, downloaded and deleted, and is one of the workspace", async (t) => {
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256));
  const uploaded = await upload(bytes, 'né "w" \u{1F600}.bin');
  t.match(uploaded, { type: "file", filename: 'né "w" \u{1F600}.bin', size_bytes: bytes.length, scope: null });
  t.strictSame(await files.retrieveMetadata(uploaded.id), uploaded);
  const listed = await Array.fromAsync(files.list());
  t.strictSame(
    listed.find(({ id }) => id === uploaded.id),
    uploaded,
  );
  const download = await files.download(uploaded.id);
  t.equal(bytes.compare(Buffer.from(await download.arrayBuffer())), 0);
  const folder = (await engine.call("/files?path=uploads&recursive=true")).body.entries;
  t.ok(folder.some(({ bytes: size }: { bytes: number }) => size === bytes.length));
  t.strictSame(await files.delete(uploaded.id), { id: uploaded.id, type: "file_deleted" });
  await t.rejects(files.retrieveMetadata(uploaded.id), Anthropic.NotFoundError);
  await t.rejects(files.download(uploaded.id), Anthropic.NotFoundError);
  await t.rejects(files.delete(uploaded.id), Anthropic.NotFoundError);
});

t.test("the same file again is the same file, and another with its name is another", async (t) => {
  const first = await upload("one", "same.txt");
  const again = await upload("one", "same.txt");
  const other = await upload("two", "same.txt");
  t.equal(again.id, first.id);
  t.not(other.id, first.id);
  t.equal(first.mime_type, "text/plain; charset=utf-8");
  t.equal(await (await files.download(first.id)).text(), "one");
});

t.test("lists have pages, ids and what a session has published", async (t) => {
  const made = [await upload("1", "p1.txt"), await upload("2", "p2.txt"), await upload("3", "p3.txt")];
  const ids = made.map(({ id }) => id);
  const paged = await Array.fromAsync(files.list({ limit: 1 }));
  t.ok(ids.every((id) => paged.some((file) => file.id === id)));
  const some = await Array.fromAsync(files.list({ ids: ids.slice(1) }));
  t.same(new Set(some.map(({ id }) => id)), new Set(ids.slice(1)));
  const { id: session } = await newSession();
  await engine.call("/files/content?path=report.md", { method: "PUT", body: "# June" });
  await say(session, '/tool publish_file {"path":"report.md","title":"June"}');
  const published = await Array.fromAsync(files.list({ scope_id: session }));
  t.match(published, [{ filename: "report.md", scope: { id: session, type: "session" } }]);
  t.same(await Array.fromAsync(files.list({ scope_id: (await newSession()).id })), []);
  await t.rejects(Array.fromAsync(files.list({ scope_id: "none" })), Anthropic.NotFoundError);
});

t.test("a message refers to an uploaded file by its id", async (t) => {
  const { id: file } = await upload("The plan", "plan.txt");
  const { id } = await newSession();
  const stream = await sessions.events.stream(id);
  const source = { type: "file" as const, file_id: file };
  const [text] = message("/attachments").content;
  await sessions.events.send(id, {
    events: [{ type: "user.message", content: [text as never, { type: "document", source }] }],
  });
  for await (const event of stream) {
    if (event.type === "agent.message") t.match(JSON.stringify(event.content), /plan\.txt/);
    if (event.type === "session.status_idle") break;
  }
});

t.test("a name that leads out of the folder is only a name", async (t) => {
  for (const name of ["../../escape.txt", "..\\..\\escape.txt", "/etc/escape.txt"]) {
    const response = await send(form(part(name)));
    t.equal(response.status, 200);
    t.match(await response.json(), { filename: "escape.txt" });
  }
  t.equal((await engine.call("/files/content?path=escape.txt")).status, 404);
});

t.test("what is no form with one file is refused by its field", async (t) => {
  for (const [body, problem, type] of [
    ["{}", /^Content-Type: /, "application/json"],
    ["{}", /^Content-Type: /, "multipart/form-data"],
    ["", /^body: /],
    [form(part("a")).slice(0, -6), /^body: /],
    ["--b\r\nContent-Disposition: form-data", /^body: /],
    ["--bx", /^body: /],
    [form(), /^file: expected one file/],
    [form(part("a"), part("b")), /^file: expected one file/],
    [form(...Array.from({ length: 40 }, (_, n) => part(`${n}`))), /^body: /],
    [form(part("..")), /^file: expected a file name/],
    [form(part("")), /^file: expected a file name/],
    [form(part("n".repeat(256))), /^file: expected a file name/],
    [form(part("a"), part("a", "60", "expires_in_seconds")), /^expires_in_seconds: not supported/],
  ] as const) {
    const response = await send(body, type);
    const { error } = (await response.json()) as { error: { type: string; message: string } };
    t.equal(response.status, 400, String(problem));
    t.equal(error.type, "invalid_request_error");
    t.match(error.message, problem);
  }
  t.equal((await send(Buffer.alloc(64 * 1024 * 1024))).status, 413);
});

t.test("a file that an id of a folder, or of something outside, names is not found", async (t) => {
  const idOf = (path: string) => `file_${Buffer.from(path).toString("base64url")}`;
  for (const id of ["none", "file_", idOf("uploads"), idOf("../../etc/passwd"), idOf("/etc/passwd"), idOf("")])
    await t.rejects(files.download(id), { type: /^(not_found|invalid_request)_error$/ } as never, id);
});
