import type { EnvironmentReader } from "../../shared/environment.ts";
import { isAddress } from "./upstreams.ts";

/** Where texts become vectors, and with which key. */
export interface EmbeddingsEndpoint {
  readonly url: string;
  readonly model: string;
  readonly apiKey: string | undefined;
}

/** The names of its settings. */
export const EMBEDDINGS = {
  url: "ENGINE_EMBEDDINGS_URL",
  model: "ENGINE_EMBEDDINGS_MODEL",
  key: "ENGINE_EMBEDDINGS_KEY",
} as const;

/** A missing one of the two that belong together is reported to `unfit`: a product's settings may complete those of the daemon. */
export function readEmbeddings(read: EnvironmentReader, unfit: (problem: string) => void): EmbeddingsEndpoint | null {
  const [url = "", model = ""] = [read.text(EMBEDDINGS.url), read.text(EMBEDDINGS.model)];
  const apiKey = read.text(EMBEDDINGS.key);
  if (url === "" && model === "") return null;
  if (url !== "" && !isAddress(url))
    read.problem(`${EMBEDDINGS.url}: expected a URL that begins with http:// or https://`);
  if (/\/embeddings\/*$/.test(url))
    read.problem(`${EMBEDDINGS.url}: expected the address without /embeddings, which is added to it`);
  if (url === "") unfit(`${EMBEDDINGS.url}: expected the address of the endpoint that has ${EMBEDDINGS.model}`);
  if (model === "") unfit(`${EMBEDDINGS.model}: expected the name of a model of ${EMBEDDINGS.url}`);
  return url === "" || model === "" ? null : { url, model, apiKey };
}
