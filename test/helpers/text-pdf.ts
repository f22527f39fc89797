import { deflateSync } from "node:zlib";

/** A PDF file with a heading and lines on each page, which a reader extracts as written. */
export function textPdf(pages: readonly { readonly heading: string; readonly lines: readonly string[] }[]): Buffer {
  return pdfOf(pages.map(({ heading, lines }) => Buffer.from(textOf(heading, lines))));
}

/** A PDF file of one page whose content unpacks to this many MiB. */
export const bombPdf = (mib: number): Buffer => pdfOf([Buffer.alloc(mib * 1024 * 1024, "0 0 m ")]);

function pdfOf(contents: readonly Buffer[]): Buffer {
  const objects: Buffer[] = [];
  const kids = contents.map((_, at) => `${4 + at * 2} 0 R`).join(" ");
  objects.push(Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"));
  objects.push(Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`));
  objects.push(Buffer.from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"));
  for (const [at, content] of contents.entries()) {
    const packed = deflateSync(content);
    const fonts = "/Resources << /Font << /F1 3 0 R >> >>";
    objects.push(
      Buffer.from(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + at * 2} 0 R ${fonts} >>`),
      Buffer.concat([
        Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`),
        packed,
        Buffer.from("\nendstream"),
      ]),
    );
  }
  const parts: Buffer[] = [Buffer.from("%PDF-1.4\n")];
  const offsets = objects.map((object, at) => {
    const offset = parts.reduce((sum, { length }) => sum + length, 0);
    parts.push(Buffer.from(`${at + 1} 0 obj\n`), object, Buffer.from("\nendobj\n"));
    return offset;
  });
  const start = parts.reduce((sum, { length }) => sum + length, 0);
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  parts.push(Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${rows}`));
  parts.push(Buffer.from(`trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`));
  return Buffer.concat(parts);
}

const textOf = (heading: string, lines: readonly string[]): string =>
  [
    `BT /F1 20 Tf 72 720 Td (${heading}) Tj ET`,
    ...lines.map((line, at) => `BT /F1 11 Tf 72 ${690 - at * 14} Td (${line}) Tj ET`),
  ].join("\n");
