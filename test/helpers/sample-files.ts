import { crc32, deflateSync } from "node:zlib";

/** A PNG of one colour. */
export function png(width: number, height: number, { grey = 128 } = {}): Buffer {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width, grey)]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  return Buffer.concat([pngHeader(width, height), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

/** The beginning of a PNG, of any size. */
export function pngHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", header)]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A JPEG's segments up to its start of frame. */
export function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const comment = Buffer.from([0xff, 0xfe, 0, 6, 0xff, 0xc0, 1, 1]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), comment, frame, Buffer.from([0xff, 0xd9])]);
}

export function gif(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(40);
  bytes.write("GIF89a", "latin1");
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

/** In the extended form. */
export function webp(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(40);
  bytes.write("RIFF\0\0\0\0WEBPVP8X", "latin1");
  bytes.writeUIntLE(width - 1, 24, 3);
  bytes.writeUIntLE(height - 1, 27, 3);
  return bytes;
}

export const pdf = (text = "Hello"): Buffer =>
  Buffer.from(`%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n% ${text}\n%%EOF\n\xff\xfe`, "latin1");

export function wav(seconds = 1): Buffer {
  const data = Buffer.alloc(44 + seconds * 8000, 0x80);
  data.write("RIFF\0\0\0\0WAVEfmt ", "latin1");
  return data;
}

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
