import { sendSignal } from "../processes/process-table.ts";
import { NOISE_BYTES } from "./disk-meter.ts";
import type { DiskBounds, DiskQuota } from "./disk-quota.ts";
import type { Host } from "../host.ts";
import { type StoppableProgram, lateWrites, stopPrograms } from "../processes/stopped-programs.ts";

const MIB = 1_048_576;
/** `losing`: while the file system loses space. */
const INTERVAL_MS = { losing: 1, min: 5, max: 250 };
/** Hosts write half as fast: the next look comes before half of the room is used, which leaves the rest to stop the programs. */
const FASTEST_BYTES_PER_MS = 16 * MIB;
/** After a measure of stopped programs that had not written: neighbours that write fast do not stop them for good. */
const MAX_REST_MS = 50;
/** The part of what the file system lost that programs wrote, from which on it was them. */
const OWN_SHARE = 1 / 2;
/** Until all programs are found and stopped, on a busy machine. What is written in this time must still fit. */
const REACTION_MS = 100;
const LATE_WRITES_EVERY_MS = 3;
/** What the file system may lose after programs were stopped. A call that has begun goes on, and may write 2 GiB. */
const LATE_BYTES = 4 * MIB;
/** What is left while they end: about what they write between two looks. */
const LATE_ROOM_BYTES = 24 * MIB;
/** What one of them then wrote that has a part in it. */
const LATE_SHARE_BYTES = MIB;
const LATE_REASON = "the disk quota may be used up, and it did not stop writing";

/** A running program. */
export interface DiskUser extends StoppableProgram {
  /** Its processes, however they were forked. */
  pids(): readonly number[];
  /** Ends it at once; the reason is for its user. Resolves when its processes are gone. */
  end(reason: string): Promise<void>;
}

/**
 * Looks at the file system while programs run. When it has lost more than what they may still write, they are stopped until
 * the folder is measured. Then those that exceed their bounds are ended, and the others go on.
 */
export class DiskWatch {
  readonly #disk: DiskQuota;
  readonly #signalsOwnAlone: boolean;
  readonly #inBackground: Host["inBackground"];
  readonly #programs = new Map<DiskUser, DiskBounds>();
  #timer: NodeJS.Timeout | undefined;
  #isInspecting = false;
  #last = { at: 0, free: 0 };
  #restsUntil = 0;

  /** For `signalsOwnAlone` see `stopPrograms`. */
  constructor(
    disk: DiskQuota,
    {
      signalsOwnAlone,
      inBackground,
    }: { readonly signalsOwnAlone: boolean; readonly inBackground: Host["inBackground"] },
  ) {
    this.#disk = disk;
    this.#inBackground = inBackground;
    this.#signalsOwnAlone = signalsOwnAlone;
  }

  /** Returns the function that ends the watch. */
  watch(program: DiskUser): () => void {
    const bounds = this.#disk.enter();
    this.#programs.set(program, bounds);
    this.#lookIn(0);
    return () => {
      this.#programs.delete(program);
      this.#disk.leave(bounds);
      if (this.#programs.size === 0) clearTimeout(this.#timer);
    };
  }

  /** All processes of all programs. */
  pids(): readonly number[] {
    return [...this.#programs.keys()].flatMap((program) => program.pids());
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), ms).unref();
  }

  #look(): void {
    const { roomBytes, isSuspect, lostBytes, freeBytes } = this.#disk.look();
    const isSoonOver = this.#bytesPerMs(freeBytes) * REACTION_MS > roomBytes && lostBytes >= NOISE_BYTES;
    if (!isSuspect && !isSoonOver)
      this.#inBackground(
        "measurement of the disk",
        this.#disk.refresh().then(() => this.#endExceeding()),
      );
    else if (!this.#isInspecting && performance.now() >= this.#restsUntil)
      this.#inBackground("inspection of the disk", this.#inspect());
    const min = lostBytes >= NOISE_BYTES ? INTERVAL_MS.losing : INTERVAL_MS.min;
    this.#lookIn(Math.min(INTERVAL_MS.max, Math.max(min, roomBytes / FASTEST_BYTES_PER_MS)));
  }

  /** How fast the file system loses space. */
  #bytesPerMs(free: number): number {
    const last = this.#last;
    this.#last = { at: performance.now(), free };
    return (last.free - this.#last.free) / Math.max(1, this.#last.at - last.at);
  }

  async #inspect(): Promise<void> {
    this.#isInspecting = true;
    const start = performance.now();
    const { freeBytes, lostBytes } = this.#disk.look();
    const { usedBytes } = this.#disk;
    const resume = await stopPrograms([...this.#programs.keys()], { signalsOwnAlone: this.#signalsOwnAlone });
    try {
      const endLateWriters = this.#watchLateWriters(freeBytes);
      await this.#disk.measureStopped().finally(endLateWriters);
      await this.#endExceeding();
    } finally {
      resume();
      const wroteThemselves = this.#disk.usedBytes - usedBytes >= lostBytes * OWN_SHARE;
      this.#restsUntil = performance.now() + (wroteThemselves ? 0 : Math.min(MAX_REST_MS, performance.now() - start));
      this.#isInspecting = false;
    }
  }

  async #endExceeding(): Promise<void> {
    const ends = [...this.#programs].flatMap(([program, bounds]) => {
      const reason = this.#disk.exceeded(bounds);
      return reason === null ? [] : [program.end(reason)];
    });
    await Promise.all(ends);
  }

  /** `before`: what the file system had when they were stopped. Returns the function that ends the watch. */
  #watchLateWriters(before: number): () => void {
    const programs = [...this.#programs.keys()].map((program) => ({ program, pids: program.pids() }));
    const writes = programs.map(({ pids }) => lateWrites(pids));
    const timer = setInterval(() => {
      const { roomBytes, freeBytes } = this.#disk.look();
      if (roomBytes > LATE_ROOM_BYTES || before - freeBytes < LATE_BYTES) return;
      for (const [index, { program, pids }] of programs.entries()) {
        const late = [...lateWrites(pids)].filter(
          ([pid, bytes]) => bytes - (writes[index]?.get(pid) ?? bytes) >= LATE_SHARE_BYTES,
        );
        // At once: the search for the others takes as long as tens of megabytes.
        for (const [pid] of late) sendSignal(pid, "SIGKILL");
        if (late.length > 0) this.#inBackground("end of a program", program.end(LATE_REASON));
      }
    }, LATE_WRITES_EVERY_MS);
    return () => clearInterval(timer);
  }
}
