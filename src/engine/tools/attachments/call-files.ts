import type { AttachmentLimits } from "../../../contract/engine/attachment-limits.ts";
import type { AttachmentRecord } from "../../../contract/engine/attachment.ts";
import { type NewFile, checkFile, limitProblem } from "../../attachments/check-file.ts";
import type { KeptFile, ResultFiles } from "../../attachments/result-files.ts";
import { ToolFailed } from "../tool.ts";
import type { AttachmentFiles } from "./attachment-files.ts";

/** The files of a turn's results may have so many times the limits of one result. */
const RESULTS_PER_TURN = 5;
const MAX_TURNS = 1000;

interface Share {
  count: number;
  bytes: number;
}

/** Where attachments are stored, and the limits of one message or result. */
export interface AttachmentFolder {
  readonly files: AttachmentFiles;
  readonly limits: AttachmentLimits;
}

export function createResultFiles({ files, limits }: AttachmentFolder): (turnId: string) => ResultFiles {
  const turns = new Map<string, Share>();
  const shareOf = (turnId: string): Share => {
    const share = turns.get(turnId) ?? { count: 0, bytes: 0 };
    turns.set(turnId, share);
    const oldest = turns.keys().next();
    if (turns.size > MAX_TURNS && !oldest.done) turns.delete(oldest.value);
    return share;
  };
  return (turnId) => new CallFiles(files, limits, shareOf(turnId));
}

class CallFiles implements ResultFiles {
  readonly kept: AttachmentRecord[] = [];
  readonly #files: AttachmentFiles;
  readonly #limits: AttachmentLimits;
  readonly #turn: Share;

  constructor(files: AttachmentFiles, limits: AttachmentLimits, turn: Share) {
    this.#files = files;
    this.#limits = limits;
    this.#turn = turn;
  }

  async keep(candidate: NewFile): Promise<KeptFile> {
    const checked = this.#check(candidate);
    if (checked.kind === "refused") return checked;
    try {
      const refusal = await this.#files.admit(candidate.bytes.length);
      if (refusal !== null) return { kind: "refused", reason: refusal };
      return this.#add(await this.#files.write(checked.file, candidate.bytes));
    } catch (error) {
      if (error instanceof ToolFailed) return { kind: "refused", reason: error.message };
      throw error;
    }
  }

  refer(candidate: NewFile, path: string): KeptFile {
    const checked = this.#check(candidate);
    return checked.kind === "refused" ? checked : this.#add({ ...checked.file, path });
  }

  #check(candidate: NewFile) {
    const verdict = checkFile(candidate);
    if (verdict.kind === "refused") return { kind: "refused", reason: verdict.problem } as const;
    const { file } = verdict;
    if (file.media_type === "image/svg+xml") return { kind: "refused", reason: "SVG is not read as an image" } as const;
    const problem = limitProblem([...this.kept, file], this.#limits)?.problem ?? this.#turnProblem(file.bytes);
    return problem === null ? ({ kind: "fits", file } as const) : ({ kind: "refused", reason: problem } as const);
  }

  #turnProblem(bytes: number): string | null {
    const { mb, count } = this.#limits;
    const [maxCount, maxMb] = [count * RESULTS_PER_TURN, mb * RESULTS_PER_TURN];
    if (this.#turn.count >= maxCount) return `the tools of this turn have returned ${maxCount} files`;
    if (this.#turn.bytes + bytes > maxMb * 1024 * 1024)
      return `the tools of this turn have returned ${maxMb} MiB of files`;
    return null;
  }

  #add(file: AttachmentRecord): KeptFile {
    this.kept.push(file);
    this.#turn.count++;
    this.#turn.bytes += file.bytes;
    return { kind: "kept", file };
  }
}
