/** An entry of a tar archive as a hostile program may write it. */
export interface Entry {
  readonly name: string;
  readonly content?: string | Buffer;
  /** The flag of the kind; a file by default. */
  readonly type?: string;
  readonly target?: string;
  readonly mode?: number;
  /** Instead of the content's, as eleven octal digits. */
  readonly size?: string;
}

const BLOCK = 512;

/** The archive, with right checksums and nothing else checked. */
export function rawTar(entries: readonly Entry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)]);
}

function blocksOf({ name, content = "", type = "0", target = "", mode = 0o644, size }: Entry): Buffer[] {
  const body = Buffer.from(content);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  header.write(name, 0, 100, "utf8");
  header.write(`${octal(mode, 7)}\0`, 100);
  header.write(`${octal(0, 7)}\0${octal(0, 7)}\0`, 108);
  header.write(`${size ?? octal(body.length, 11)}\0`, 124);
  header.write(`${octal(0, 11)}\0`, 136);
  header.write("        ", 148);
  header.write(type, 156);
  header.write(target, 157, 100, "utf8");
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return [header, body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)];
}
