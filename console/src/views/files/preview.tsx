import { useEffect, useState } from "preact/hooks";
import { useResource } from "../../live/resource.ts";
import { formatBytes } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { engineCalls } from "../../session/clients.ts";
import { readCsv } from "./csv.ts";
import { DownloadButton } from "./file-actions.tsx";
import { Markdown } from "../../parts/markdown/markdown.tsx";

const MAX_TEXT = 256 * 1024;
/** Images and PDF files are read as a whole. */
const MAX_WHOLE = 16 * 1024 * 1024;
const MAX_ROWS = 200;
const IMAGES = ["png", "jpg", "jpeg", "gif", "webp"];

type Content =
  | { readonly kind: "text"; readonly text: string; readonly isCut: boolean }
  | { readonly kind: "blob"; readonly blob: Blob }
  | { readonly kind: "none"; readonly why: string };

interface PreviewProps {
  readonly engine: string;
  readonly path: string;
}

/** What a file contains, where the page can show it. Nothing of it is ever parsed as HTML. */
export const Preview = ({ engine, path }: PreviewProps) => {
  const { data, problem, reload } = useResource((signal) => read(engine, path, signal), [engine, path]);
  return (
    <section class="panel" aria-label={`Content of ${path}`}>
      <div class="controls">
        <strong>
          <bdi>{path}</bdi>
        </strong>
        <DownloadButton engine={engine} path={path} />
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data?.kind === "none" && <p class="dim">{data.why}</p>}
      {data?.kind === "blob" && <Shown blob={data.blob} path={path} />}
      {data?.kind === "text" && <Text path={path} text={data.text} />}
      {data?.kind === "text" && data.isCut && <p class="dim">The first {formatBytes(MAX_TEXT)} are shown.</p>}
    </section>
  );
};

const Text = ({ path, text }: { readonly path: string; readonly text: string }) => {
  const ending = endingOf(path);
  if (ending === "md") return <Markdown text={text} />;
  if (ending !== "csv") return <pre class="file-text">{text}</pre>;
  const rows = readCsv(text, MAX_ROWS + 1);
  const [head = [], ...body] = rows;
  return (
    <div class="table-scroll" role="region" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

/** An image, or a PDF file that the browser opens in a page of its own. The type is the console's, never the file's. */
const Shown = ({ blob, path }: { readonly blob: Blob; readonly path: string }) => {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  if (url === null) return null;
  if (blob.type !== "application/pdf") return <img class="file-image" src={url} alt={path} />;
  return (
    <p>
      <a class="button" href={url} target="_blank" rel="noopener">
        Open the PDF
      </a>
    </p>
  );
};

async function read(engine: string, path: string, signal: AbortSignal): Promise<Content> {
  const { files } = engineCalls(engine);
  const ending = endingOf(path);
  const isImage = IMAGES.includes(ending);
  if (!isImage && ending !== "pdf") {
    const { parts, isCut } = await upTo(MAX_TEXT, files.read({ path, signal }));
    const bytes = await new Blob(parts).arrayBuffer();
    if (new Uint8Array(bytes).includes(0)) return { kind: "none", why: "This file is no text." };
    return { kind: "text", text: new TextDecoder().decode(bytes), isCut };
  }
  const { parts, isCut } = await upTo(MAX_WHOLE, files.read({ path, signal }));
  if (isCut) return { kind: "none", why: `Files of more than ${formatBytes(MAX_WHOLE)} are not shown.` };
  const type = isImage ? `image/${ending === "jpg" ? "jpeg" : ending}` : "application/pdf";
  return { kind: "blob", blob: new Blob(parts, { type }) };
}

/** The first bytes of a file. Leaving the loop closes it. */
async function upTo(max: number, opening: Promise<{ readonly chunks: AsyncIterable<Uint8Array> }>) {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of (await opening).chunks) {
    parts.push(chunk.slice(0, max - bytes));
    bytes += chunk.length;
    if (bytes > max) break;
  }
  return { parts, isCut: bytes > max };
}

const endingOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1).toLowerCase();
