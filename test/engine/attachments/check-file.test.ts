import t from "tap";
import { checkFile, limitProblem } from "../../../src/engine/attachments/check-file.ts";
import { plainName, storedName } from "../../../src/engine/attachments/file-name.ts";
import { gif, jpeg, pdf, png, pngHeader, wav, webp } from "../../helpers/sample-files.ts";

const found = (bytes: Buffer, claimed?: string) => {
  const verdict = checkFile({ bytes, claimed });
  if (verdict.kind === "refused") return verdict.problem;
  const { kind, media_type: type, width, height, claimed_media_type: said } = verdict.file;
  return [
    kind,
    type,
    ...(width === undefined ? [] : [`${width}x${height}`]),
    ...(said === undefined ? [] : [said]),
  ].join(" ");
};

t.test("the bytes decide the type and the size", async (t) => {
  t.equal(found(png(3, 2)), "image image/png 3x2");
  t.equal(found(jpeg(800, 600)), "image image/jpeg 800x600");
  t.equal(found(gif(12, 34)), "image image/gif 12x34");
  t.equal(found(webp(5000, 20)), "image image/webp 5000x20");
  t.equal(found(pdf()), "pdf application/pdf");
  t.equal(found(wav()), "audio audio/wav");
  t.equal(found(Buffer.from("ID3\x04rest")), "audio audio/mpeg");
  t.equal(found(Buffer.from([0xff, 0xfb, 0x90, 0x64])), "audio audio/mpeg");
  t.equal(found(Buffer.from("héllo")), "text text/plain");
  t.equal(found(Buffer.from("a,b"), "text/csv; charset=utf-8"), "text text/csv");
  t.equal(found(Buffer.from('<?xml version="1.0"?><!-- x --><svg>'), "image/png"), "text image/svg+xml image/png");
  t.equal(found(Buffer.from(" <!DOCTYPE html>"), "application/pdf"), "text text/html application/pdf");
  t.equal(found(Buffer.from([0, 1, 2]), "image/png"), "other application/octet-stream image/png");
  t.equal(found(Buffer.from([0, 1, 2]), "application/zip"), "other application/zip");
  t.equal(found(Buffer.from([0, 1, 2]), "no type"), "other application/octet-stream");
  t.equal(found(png(1, 1), "image/jpg"), "image image/png 1x1 image/jpeg");
  t.equal(found(jpeg(1, 1), "image/jpg"), "image image/jpeg 1x1");
});

t.test("damaged and oversized headers are refused without decoding", async (t) => {
  t.match(found(pngHeader(0, 5)), /header of this image\/png is damaged/);
  t.match(found(pngHeader(4_000_000_000, 4_000_000_000)), /at most 16384 pixels a side/);
  t.match(found(Buffer.from([0xff, 0xd8, 0xff])), /header of this image\/jpeg is damaged/);
  const endless = Buffer.alloc(1_000_000, 0xff);
  endless[1] = 0xd8;
  t.match(found(endless), /damaged/);
  for (const bytes of [png(9, 9), jpeg(9, 9), gif(9, 9), webp(9, 9)])
    for (let length = 1; length < bytes.length; length++) t.ok(checkFile({ bytes: bytes.subarray(0, length) }));
});

t.test("names lose what could mislead, and keep what reads well", async (t) => {
  t.equal(plainName("Ünï 1 (2).PNG", "x"), "Ünï 1 (2).PNG");
  t.equal(plainName("..\\..\\a.txt", "x"), "a.txt");
  t.equal(plainName("\u202e\0\n", "image.png"), "image.png");
  t.equal(plainName("\ud800.txt", "x"), "txt");
  t.equal(plainName(`${"long".repeat(100)}.jpeg`, "x").length, 100);
  t.match(plainName(`${"long".repeat(100)}.jpeg`, "x"), /\.jpeg$/);
  const name = storedName("ab".repeat(32), plainName(`${"日本 ".repeat(60)}.png`, "x"));
  t.match(name, /^(ab){8}-日本_.*\.png$/);
  t.ok(Buffer.byteLength(name) <= 100);
});

t.test("the first file over a limit is named", async (t) => {
  const limits = { mb: 1, count: 2, kinds: ["image"] as const };
  const image = { kind: "image", bytes: 600_000 } as const;
  t.equal(limitProblem([image], limits), null);
  t.match(limitProblem([image, image], limits), { at: 1, problem: /allows 1 MiB .* 1\.2 MB/ });
  t.match(limitProblem([{ kind: "pdf", bytes: 1 }], limits), { at: 0, problem: /does not allow PDF attachments/ });
  t.match(limitProblem([image], { ...limits, mb: 0 }), { at: 0, problem: /allows no attachments/ });
});
