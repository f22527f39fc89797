import { errorCode } from "../../shared/error-code.ts";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "a file or folder does not exist",
  ENOTDIR: "a file is where a folder should be",
  EEXIST: "something is where a new file should be",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EMFILE: "the daemon has too many open files",
  ENFILE: "the machine has too many open files",
  ENOSPC: "no space left on the device",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  EIO: "the disk cannot be read or written",
  EAGAIN: "no room for another process",
  ENOMEM: "not enough memory for another process",
};

/** Why a system call failed, as a text for clients without paths. Paths are only logged. */
export function systemReason(error: unknown): string {
  const code = errorCode(error);
  if (code === "") return "an unexpected error (see the daemon's log)";
  return REASONS[code] ?? `system error ${code}`;
}
