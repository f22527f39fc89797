import { execFileSync } from "node:child_process";

/** `0.1.0+a1b2c3d4e5f6`, with `.changed` when the checkout differs from the commit; without Git the package's version. */
export function releaseVersion(root: string, packageVersion: string): string {
  const commit = git(root, ["rev-parse", "--short=12", "HEAD"]);
  if (commit === null) return packageVersion;
  const isChanged = git(root, ["status", "--porcelain"]) !== "";
  return `${packageVersion}+${commit}${isChanged ? ".changed" : ""}`;
}

/** The time of all files of a release, in seconds since the epoch: the commit's, or SOURCE_DATE_EPOCH. */
export function releaseTime(root: string, sourceDate: string | undefined): number {
  const time = sourceDate ?? git(root, ["log", "-1", "--format=%ct"]) ?? "0";
  if (!/^\d+$/.test(time)) throw new Error(`SOURCE_DATE_EPOCH: expected seconds since the epoch, got "${time}"`);
  return Number(time);
}

/** Null where there is no checkout of Git. */
function git(root: string, args: readonly string[]): string | null {
  try {
    return execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return null;
  }
}
