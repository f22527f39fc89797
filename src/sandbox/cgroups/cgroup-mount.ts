import { relative, resolve } from "node:path";

/**
 * The folder of a cgroup, by `/proc/self/mountinfo`: among the mounts of version 2 (null), or of a controller's hierarchy
 * of version 1. Null where it is not mounted.
 */
export function cgroupMount(cgroup: string, mounts: string, controller: string | null): CgroupMount | null {
  for (const line of mounts.split("\n")) {
    const [mount = "", about = ""] = line.split(" - ");
    const [, , , root = "", point = ""] = mount.split(" ").map(decode);
    const [type, , options = ""] = about.split(" ");
    const isMount =
      controller === null ? type === "cgroup2" : type === "cgroup" && options.split(",").includes(controller);
    if (!isMount) continue;
    const inside = relative(root, cgroup);
    if (inside.split("/")[0] !== "..") return { point, path: resolve(point, inside) };
  }
  return null;
}

interface CgroupMount {
  /** The mount point: the folder of the highest cgroup that can be seen. */
  readonly point: string;
  readonly path: string;
}

/** Decodes octal escapes such as `\040` for a blank. */
const decode = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
