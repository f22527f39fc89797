import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { docsPageOf } from "./docs-page.ts";
import { INTERFACES } from "./interfaces.ts";
import { openApiOf } from "./openapi.ts";

/** Writes `<folder>/<interface>/openapi.json` and `docs.html`: what `GET /openapi.json` and `GET /docs` send. */
export async function makeDocuments(folder: string): Promise<void> {
  const documents = { orchestrator: openApiOf(INTERFACES.orchestrator), engine: openApiOf(INTERFACES.engine) };
  for (const [name, document] of Object.entries(documents)) {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, "openapi.json"), JSON.stringify(document));
    await writeFile(join(folder, name, "docs.html"), docsPageOf(document));
  }
}
