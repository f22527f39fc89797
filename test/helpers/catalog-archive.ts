import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { TarWriter, nothing } from "../../src/shared/tar.ts";

export type CatalogFiles = Readonly<Record<string, string | Buffer>>;

/** A tar.gz archive of these files. */
export async function catalogArchive(files: CatalogFiles): Promise<Buffer> {
  const tar = new TarWriter();
  const packed = buffer(tar.stream);
  for (const [path, text] of Object.entries(files)) {
    const content = Buffer.from(text);
    const member = {
      path,
      type: "file",
      size: content.length,
      mode: 0o644,
      modifiedAt: new Date(0),
      target: "",
    } as const;
    await tar.add(member, content.length === 0 ? nothing() : one(content));
  }
  tar.finish();
  return gzipSync(await packed);
}

async function* one(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
