import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { sha256 } from "../../../src/contract/orchestrator/api-keys.ts";
import { type Frame, startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { base64, pdf, png, pngHeader, wav } from "../../helpers/sample-files.ts";
import { until } from "../../helpers/until.ts";

const dataDir = freshFolder(t);
const workspace = join(dataDir, "workspace");
const drawing = join(dataDir, "drawing.png");
const photo = png(64, 48);
mkdirSync(join(dataDir, "catalog"));
mkdirSync(workspace, { recursive: true });
writeFileSync(drawing, png(10, 20));
const draws = resolve(import.meta.dirname, "../../fixtures/tool-servers/draws.mjs");
const server = { command: process.execPath, args: [draws, drawing], permissions: { "*": "allow" } };
writeFileSync(join(dataDir, "catalog/.mcp.json"), JSON.stringify({ mcpServers: { draws: server } }));
const limits = { mb: 1, count: 4, kinds: ["image", "pdf", "audio", "text", "other"] as const };
const engine = await startEngine(t, {
  dataDir,
  settings: { ENGINE_LOG_LEVEL: "DEBUG" },
  policy: { attachments: { ...limits, kinds: [...limits.kinds] } },
});

const image = (bytes: Buffer, more: object = {}) => ({ type: "image", data: base64(bytes), ...more });
const file = (bytes: Buffer, more: object = {}) => ({ type: "file", data: base64(bytes), ...more });
const say = (text: string) => ({ type: "text", text });
const textOf = (frames: readonly Frame[]) =>
  frames.flatMap(({ event, data }) => (event === "text_delta" ? [data.text] : [])).join("");
const turn = (task: string, message: unknown, headers = {}) =>
  engine.execute({ task_id: task, message }, { headers }).then((stream) => stream.all());
const refused = async (message: unknown) => {
  const { status, body } = await engine.call("/execute", { body: { task_id: "refused", message } });
  return `${status} ${body.error} ${body.message}`;
};
const stored = () => {
  const folder = join(workspace, ".orch/attachments");
  return existsSync(folder) ? readdirSync(folder).sort() : [];
};
const rows = () => {
  const store = new DatabaseSync(join(dataDir, "engine.db"), { readOnly: true });
  const all = ["messages", "turns", "events", "tool_calls", "episodes", "trajectories"].map((name) =>
    JSON.stringify(store.prepare(`select * from ${name}`).all()),
  );
  store.close();
  return all.join("\n");
};

t.test("parts reach the model in order; events and rows name them, and never have their bytes", async (t) => {
  const message = [
    say("/attachments"),
    image(photo, { name: "holiday.png", media_type: "image/png" }),
    file(pdf(), { name: "report.pdf" }),
    file(Buffer.from("first line\nsecond line"), { name: "notes.md", media_type: "text/markdown" }),
    file(Buffer.from([0x50, 0x4b, 3, 4, 0, 0xff, 0xfe]), {
      name: "table.xlsx",
      media_type: "application/vnd.ms-excel",
    }),
  ];
  const frames = await turn("parts", message);
  const { attachments } = frames[0]?.data ?? {};
  t.match(attachments, [
    { kind: "image", name: "holiday.png", media_type: "image/png", width: 64, height: 48, bytes: photo.length },
    { kind: "pdf", name: "report.pdf", media_type: "application/pdf" },
    { kind: "text", name: "notes.md", media_type: "text/markdown" },
    { kind: "other", name: "table.xlsx", media_type: "application/vnd.ms-excel" },
  ]);
  const [{ path, digest }] = attachments;
  t.equal(digest, sha256(photo as unknown as string));
  t.equal(path, `.orch/attachments/${digest.slice(0, 16)}-holiday.png`);
  t.same(readFileSync(join(workspace, path)), photo);
  const [first, second, third, ...rest] = textOf(frames).split("\n");
  t.equal(first, `user sent image holiday.png, image/png, ${photo.length} bytes, sha256 ${digest.slice(0, 12)}`);
  t.match(second, /^user sent pdf report\.pdf, application\/pdf, /);
  t.match(third, /^user sent \[attached text file notes\.md, text\/markdown, 22 bytes, at \.orch/);
  t.match(rest.join("\n"), /first line\nsecond line\n\[end of [0-9a-f]{12}\]/);
  t.match(rest.join("\n"), /\[a file was attached; models cannot read files of this type: file table\.xlsx/);
  t.notMatch(rows(), base64(photo).slice(40, 120), "no row has the bytes");
  t.notMatch(JSON.stringify(frames), base64(photo).slice(40, 120), "no event has them");
  t.notMatch(engine.output(), base64(photo).slice(40, 120), "no log line has them");
  const later = await turn("parts", "/attachments");
  t.match(textOf(later), /user sent image holiday\.png/, "the conversation shows it again");
  t.equal(later[0]?.data.attachments, undefined);
  const learned = await engine.call("/memory/episodes");
  t.match(JSON.stringify(learned.body), /holiday\.png/, "memory has the name");
});

t.test("a part that does not fit is refused by its place, and nothing is stored", async (t) => {
  const before = stored();
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [[], /^400 INVALID_REQUEST message: expected a list of 1 to 256 parts/],
    [Array.from({ length: 257 }, () => say("x")), /^400 INVALID_REQUEST message: expected .*a list of 1 to 256 parts/],
    [Array.from({ length: 100_000 }, () => say("x")), /^400 INVALID_REQUEST body: expected at most 10000 values/],
    [[say("x"), { type: "video" }], /message\.1\.type: expected one of text, image, file/],
    [[say("x"), image(photo, { path: "a" })], /message\.1: expected either data or path/],
    [[{ type: "file" }], /message\.0: expected either data or path/],
    [[{ type: "image", data: "no base64!" }], /message\.0\.data: expected base64/],
    [[{ type: "image", data: `data:image/png;base64,${base64(photo)}` }], /message\.0\.data: expected base64/],
    [[{ type: "image", data: "" }], /message\.0\.data: expected at least 1 byte/],
    [
      [image(Buffer.from("<!doctype html>"))],
      /message\.0\.data: expected a PNG, JPEG, GIF or WebP image, found text\/html/,
    ],
    [[image(Buffer.from("<svg></svg>"))], /message\.0\.data: .*found SVG, which is accepted as a file/],
    [[image(pngHeader(100_000, 100_000))], /at most 16384 pixels a side, found 100000 x 100000/],
    [[image(photo.subarray(0, 20))], /the header of this image\/png is damaged/],
    [[file(photo, { name: "x".repeat(10_000) })], /message\.0\.name: expected 1 to 255 characters/],
    [[{ type: "file", path: "../engine.db" }], /message\.0\.path: .*leads out of the workspace/],
    [[{ type: "file", path: "nowhere.pdf" }], /message\.0\.path: nowhere\.pdf cannot be read \(ENOENT\)/],
    [[{ type: "file", path: "a\0b" }], /message\.0\.path: expected no NUL character/],
    [
      Array.from({ length: 5 }, () => image(photo)),
      /^413 PAYLOAD_TOO_LARGE message\.4: the policy allows 4 attachments/,
    ],
    [
      [say("x"), file(Buffer.alloc(700_000)), file(Buffer.alloc(700_000))],
      /^413 \S+ message\.2: the policy allows 1 MiB/,
    ],
  ];
  for (const [message, expected] of wrong) t.match(await refused(message), expected);
  symlinkSync("/etc/hostname", join(workspace, "link"));
  t.match(await refused([{ type: "file", path: "link" }]), /message\.0\.path: .*leads out of the workspace/);
  t.match(await refused([say("a".repeat(5_000_000))]), /^413 PAYLOAD_TOO_LARGE body: expected at most 4096 KiB/);
  t.same(stored(), before);
});

t.test("a name is only a name", async (t) => {
  const names = {
    "../../etc/passwd": "passwd",
    "a\0b\u202egnp.exe": "a_b_gnp.exe",
    "...": "image.png",
    "x]\n/evil": "evil",
  };
  for (const [name, shown] of Object.entries(names)) {
    const [started] = await turn("names", [image(photo, { name }), say("/say ok")]);
    const [{ path, name: given }] = started?.data.attachments ?? [];
    t.equal(given, shown);
    t.match(path, /^\.orch\/attachments\/[0-9a-f]{16}-[\w.-]+$/);
    t.ok(existsSync(join(workspace, path)));
  }
  const [started] = await turn("names", [file(photo, { media_type: "image/jpeg", name: "x.jpg" }), say("/say ok")]);
  t.match(started?.data.attachments, [{ media_type: "image/png", claimed_media_type: "image/jpeg" }]);
});

t.test("a file of the workspace is sent by its path; one that changes later becomes a note", async (t) => {
  writeFileSync(join(workspace, "chart.png"), photo);
  const frames = await turn("path", [say("/attachments"), { type: "image", path: "chart.png" }]);
  t.match(frames[0]?.data.attachments, [{ path: "chart.png", name: "chart.png", kind: "image" }]);
  t.match(textOf(frames), /^user sent image chart\.png/);
  writeFileSync(join(workspace, "chart.png"), png(5, 5));
  t.match(
    textOf(await turn("path", "/attachments")),
    /an image was attached; it can no longer be read: the file has changed/,
  );
  rmSync(join(workspace, "chart.png"));
  t.match(textOf(await turn("path", "/attachments")), /it can no longer be read: chart\.png cannot be read \(ENOENT\)/);
});

t.test("the same key and parts attach to the turn; other bytes are another body", async (t) => {
  const key = { "idempotency-key": "with-parts" };
  const message = [say("/say once"), image(photo, { name: "a.png" })];
  const first = await turn("keys", message, key);
  const again = await engine.execute({ task_id: "keys", message }, { headers: key });
  t.equal(again.headers["idempotent-replayed"], "true");
  t.equal((await again.all())[0]?.data.turn_id, first[0]?.data.turn_id);
  const other = { task_id: "keys", message: [say("/say once"), image(png(1, 1), { name: "a.png" })] };
  const { body } = await engine.call("/execute", { body: other, headers: key });
  t.equal(body.error, "IDEMPOTENCY_CONFLICT");
  const both = { "idempotency-key": "at-once" };
  const at = await Promise.all([turn("at-once", message, both), turn("at-once", message, both)]);
  t.equal(at[0][0]?.data.turn_id, at[1][0]?.data.turn_id, "two calls at once start one turn");
});

t.test("images, audio and files of tools reach the model, within limits", async (t) => {
  await until("the server is ready", async () => {
    const { body } = await engine.call("/assets/servers");
    return body.servers[0]?.status === "ready";
  });
  const call = async (name: string) => {
    const frames = await turn(`tool ${name}`, `/tool mcp__draws__${name} {}\n/attachments`);
    const result = frames.find(({ event }) => event === "tool_result")?.data;
    return { result, seen: textOf(frames) };
  };
  const drawn = await call("draw");
  t.match(
    drawn.result.output,
    /^Here:\n\[image image\.png, image\/png, 10 x 20 pixels, \d+ bytes, at \.orch\/attachments\//,
  );
  t.match(drawn.result.attachments, [{ kind: "image", width: 10, height: 20 }]);
  t.match(drawn.seen, /^mcp__draws__draw sent image image\.png, image\/png/);
  t.match((await call("sing")).seen, /sent audio audio\.wav, audio\/wav/);
  t.match((await call("report")).seen, /sent pdf report 1\.pdf, application\/pdf/);
  const vector = await call("vector");
  t.match(vector.result.output, /\[image of \d+ bytes, image\/svg\+xml; not shown: SVG is not read as an image\]/);
  t.equal(vector.seen, "no attachments");
  t.match((await call("lies")).result.output, /\[text file text\.html, text\/html \(sent as image\/png\)/);
  const many = await call("many");
  t.equal(many.result.attachments.length, limits.count);
  t.match(many.result.output, /not shown: the policy allows 4 attachments together/);
  t.match(
    (await call("repeats")).result.output,
    /^\[image image\.png/,
    "structured content that repeats the image is left out",
  );
  t.match((await call("huge")).result.error, /longer than|too long|larger than/i);
  const loop = Array.from({ length: 7 }, (_, n) => `/tool mcp__draws__many {"n":${n}}\n/say ${n}`).join("\n");
  const frames = await turn("all", loop);
  const counts = frames.flatMap(({ event, data }) => (event === "tool_result" ? [data.attachments?.length ?? 0] : []));
  t.equal(
    counts.reduce((sum, count) => sum + count, 0),
    limits.count * 5,
    `a turn has a limit too: ${counts.join()}`,
  );
});

t.test("read_file shows an image of the workspace", async (t) => {
  writeFileSync(join(workspace, "plan.png"), photo);
  writeFileSync(join(workspace, "plan.bin"), Buffer.from([0, 1, 2, 255]));
  const frames = await turn("reads", '/tool read_file {"path":"plan.png"}\n/attachments');
  const result = frames.find(({ event }) => event === "tool_result")?.data;
  t.match(result, { output: /^\[image plan\.png, image\/png, 64 x 48 pixels/, attachments: [{ path: "plan.png" }] });
  t.match(textOf(frames), /^read_file sent image plan\.png/);
  const other = await turn("reads", '/tool read_file {"path":"plan.bin"}\n/say ok');
  t.match(other.find(({ event }) => event === "tool_result")?.data.error, /plan\.bin is not a text file/);
});

t.test("a turn with an attachment goes on after kill -9", async (t) => {
  const dir = freshFolder(t);
  const before = await startEngine(t, { dataDir: dir });
  const message = [
    say('/tool read_file {"path":"seen.png"}\n/slow 60000\n/attachments'),
    image(photo, { name: "a.png" }),
  ];
  mkdirSync(join(dir, "workspace"), { recursive: true });
  writeFileSync(join(dir, "workspace/seen.png"), photo);
  const stream = await before.execute({ task_id: "killed", message });
  await stream.first("tool_result");
  await before.stop("SIGKILL");
  const store = new DatabaseSync(join(dir, "engine.db"));
  const waits = store.prepare("select content from messages where role = 'user'").get();
  const shorter = String(waits?.["content"]).replace("/slow 60000", "/slow 0");
  store.prepare("update messages set content = ? where role = 'user'").run(shorter);
  store.close();
  const after = await startEngine(t, { dataDir: dir, key: before.key });
  const replay = await after.stream("/execute/replay?task_id=killed&after=0", {
    headers: { accept: "text/event-stream" },
  });
  await replay.all().catch(() => undefined);
  const turnId = replay.frames[0]?.data.turn_id;
  const follow = await after.stream(`/execute/replay?turn_id=${turnId}&follow=true`, {
    headers: { accept: "text/event-stream" },
  });
  const seen = textOf(await follow.all());
  t.match(seen, /user sent image a\.png/);
  t.match(seen, /read_file sent image seen\.png/, "the files of a finished call are kept over the restart");
});

t.test("an erasure removes the files", async (t) => {
  t.not(stored().length, 0);
  const { body } = await engine.call("/memory", { method: "DELETE" });
  t.ok(body.erased.attachments > 0);
  t.same(stored(), []);
  t.notMatch(rows(), /holiday\.png/);
});

t.test("a setting or the policy keep attachments from the model", async (t) => {
  const blind = await startEngine(t, {
    settings: { LLM_ATTACHMENTS: "pdf" },
    policy: { attachments: { mb: 20, count: 20, kinds: ["image"] } },
  });
  const ask = (message: unknown) => blind.execute({ task_id: "blind", message }).then((stream) => stream.all());
  const note =
    /an image was attached; this model cannot read images: image photo\.png, image\/png, 64 x 48 pixels, \d+ bytes, at \.orch/;
  t.match(textOf(await ask([say("/attachments"), image(photo, { name: "photo.png" })])), note);
  const { body } = await blind.call("/execute", { body: { task_id: "b", message: [file(wav())] } });
  t.match(body, { error: "PAYLOAD_TOO_LARGE", message: "message.0: the policy does not allow audio attachments" });
  const full = await startEngine(t, { policy: { limits: { max_processes: 256, memory_mb: 1024, disk_mb: 1 } } });
  const large = await full.call("/execute", { body: { task_id: "b", message: [file(Buffer.alloc(1_000_000))] } });
  t.match(large.body, { error: "PAYLOAD_TOO_LARGE", message: /^message: the disk quota of 1 MB is used up/ });
  t.notOk(existsSync(join(full.dataDir, "workspace/.orch/attachments")));
});
