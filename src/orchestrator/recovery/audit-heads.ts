import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { AUDIT_HEADS_FILE, type AuditHead, formatHead, parseHeads } from "../../contract/orchestrator/audit-chain.ts";
import { delay, isoTime } from "../../shared/clock.ts";
import { readIfThere } from "../../shared/files.ts";
import { readHeads } from "../store/audit-log.ts";
import type { HostContext } from "../host-context.ts";

type Host = Pick<HostContext, "db" | "lanes" | "settings" | "now" | "logger" | "stopping">;

const EVERY_MS = 1000;
const CLOSE_MS = 2000;

/**
 * Records the head of the audit chain outside the database as it grows, in the log and in an append-only file. A chain
 * that is rewritten or truncated in the database no longer matches a recorded head.
 */
export class AuditHeads {
  readonly #host: Host;
  readonly #file: string;
  /** Undefined until the file is read. */
  #last: AuditHead | null | undefined;
  #isFailing = false;

  constructor(host: Host) {
    this.#host = host;
    this.#file = join(host.settings.dataDir, AUDIT_HEADS_FILE);
  }

  /** Records each new head until the daemon stops. */
  async recordUntilStopped(): Promise<void> {
    do await this.#attempt();
    while (await delay(EVERY_MS, this.#host.stopping));
  }

  /** Records the head after the last calls. */
  async close(): Promise<void> {
    await Promise.race([this.#attempt(), delay(CLOSE_MS)]);
  }

  #attempt(): Promise<void> {
    return this.#host.lanes.run("audit heads", async () => {
      try {
        await this.#record();
        this.#isFailing = false;
      } catch (error) {
        if (!this.#isFailing) this.#host.logger.warn({ err: error }, "failed to record the head of the audit log");
        this.#isFailing = true;
      }
    });
  }

  async #record(): Promise<void> {
    if (this.#last === undefined) this.#last = await this.#readLast();
    const last = this.#last;
    const { newest, atSeq } = await readHeads(this.#host.db, last?.seq ?? 0);
    if (last !== null && atSeq?.hash !== last.hash) this.#reportTampering(last, newest);
    else if (newest?.seq === last?.seq) return;
    if (newest !== null) await this.#append(newest);
    this.#last = newest;
  }

  async #readLast(): Promise<AuditHead | null> {
    const text = (await readIfThere(this.#file)) ?? "";
    // An incomplete last line must not join the next one.
    if (text !== "" && !text.endsWith("\n")) await appendFile(this.#file, "\n");
    return parseHeads(text).at(-1) ?? null;
  }

  async #append(head: AuditHead): Promise<void> {
    await appendFile(this.#file, `${isoTime(this.#host.now())} ${formatHead(head)}\n`, { mode: 0o600 });
    this.#host.logger.info({ head: formatHead(head) }, "recorded the head of the audit log");
  }

  #reportTampering(recorded: AuditHead, newest: AuditHead | null): void {
    this.#host.logger.error(
      { recorded: formatHead(recorded), newest: newest && formatHead(newest) },
      "audit log was rewritten or truncated: run orchctl audit verify",
    );
  }
}
