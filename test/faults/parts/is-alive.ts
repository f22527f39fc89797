import { readText } from "../../helpers/fleet.ts";

/** A zombie holds no port and no memory: it only waits to be noticed by its parent. */
export const isAlive = (pid: number): boolean => {
  const stat = readText(`/proc/${pid}/stat`);
  return stat !== "" && !/\) [ZX] /.test(stat);
};
