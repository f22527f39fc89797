import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { IncomingMessage } from "node:http";
import { ADMIN_KEY_HEADER, PLATFORM_KEY_HEADER } from "../src/contract/orchestrator-api.ts";
import type { Credentials } from "./credentials.ts";
import { CliFailure, exitOfStatus } from "./exit-codes.ts";
import { openCall } from "./http.ts";
import { promptSecret, secretFromFile } from "./secret-input.ts";
import type { Settings } from "./settings.ts";

/** Longer than the longest boot or drain the daemon may be set to wait for by default. */
const DEADLINE_MS = 15 * 60_000;

export interface Ask {
  readonly method?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Calls of the daemon, with the key each needs. An error body becomes a {@link CliFailure}. */
export class OrchestratorClient {
  readonly #settings: Settings;
  readonly #credentials: Credentials;
  readonly #wantedProduct: string | undefined;

  constructor(settings: Settings, credentials: Credentials, wantedProduct: string | undefined) {
    this.#settings = settings;
    this.#credentials = credentials;
    this.#wantedProduct = wantedProduct;
  }

  /** The product that platform calls are made for, as far as it is known by name. */
  async product(): Promise<string> {
    return this.#wantedProduct ?? this.#settings.product ?? (await this.#credentials.currentProduct()) ?? "default";
  }

  async open(path: string, ask: Ask = {}): Promise<unknown> {
    return readAnswer(await this.#open(path, {}, ask));
  }

  async admin(path: string, ask: Ask = {}): Promise<unknown> {
    return readAnswer(await this.#open(path, { [ADMIN_KEY_HEADER]: await this.#adminKey() }, ask));
  }

  async platform(path: string, ask: Ask = {}): Promise<unknown> {
    return readAnswer(await this.platformStream(path, ask));
  }

  /** For an answer that is read as it comes; a refusal is thrown before. */
  async platformStream(path: string, ask: Ask = {}): Promise<IncomingMessage> {
    const response = await this.#open(path, { [PLATFORM_KEY_HEADER]: await this.#platformKey() }, ask);
    if (response.statusCode !== 200 && response.statusCode !== 201) await readAnswer(response);
    return response;
  }

  #open(
    path: string,
    headers: Record<string, string>,
    { method = "GET", body, signal }: Ask,
  ): Promise<IncomingMessage> {
    return openCall(this.#settings.url, { method, path, headers, body, deadlineMs: DEADLINE_MS, signal });
  }

  async #adminKey(): Promise<string> {
    const { adminKey, adminKeyFile, dataDir } = this.#settings;
    if (adminKey !== undefined) return adminKey;
    if (adminKeyFile !== undefined) return secretFromFile(adminKeyFile);
    const local = join(dataDir, "admin-key");
    const found = await secretFromFile(local).catch(() => null);
    const key = found ?? (await promptSecret("Admin key: "));
    if (key !== null) return key;
    throw new CliFailure("denied", `no admin key: set ORCH_ADMIN_KEY or ORCH_ADMIN_KEY_FILE (${local} cannot be read)`);
  }

  async #platformKey(): Promise<string> {
    const { platformKey, platformKeyFile } = this.#settings;
    if (platformKey !== undefined) return platformKey;
    if (platformKeyFile !== undefined) return secretFromFile(platformKeyFile);
    const slug = await this.product();
    const key = (await this.#credentials.platformKey(slug)) ?? (await promptSecret(`Platform key of ${slug}: `));
    if (key !== null) return key;
    throw new CliFailure(
      "denied",
      "no platform key: run `orchctl products register <slug>`, or set ORCH_PLATFORM_KEY or ORCH_PLATFORM_KEY_FILE",
    );
  }
}

async function readAnswer(response: IncomingMessage): Promise<unknown> {
  const answer = await text(response);
  const { statusCode: status = 0 } = response;
  if (status === 200 || status === 201) return JSON.parse(answer);
  const { code, message } = errorOf(answer);
  const id = response.headers["x-request-id"];
  throw new CliFailure(
    exitOfStatus(status),
    `${message} (${code ?? status}${id === undefined ? "" : `, request ${String(id)}`})`,
    code,
  );
}

function errorOf(answer: string): { code: string | null; message: string } {
  try {
    const { error } = JSON.parse(answer) as { error: { code: string; message: string } };
    return { code: error.code, message: error.message };
  } catch {
    return { code: null, message: "the server gave an answer that is not the daemon's" };
  }
}
