import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";

/** The descriptor on which a spare waits for its claim. Its engine's listening socket replaces it. */
export const SPARE_CHANNEL = 3;
/** The output of a spare that can be claimed. */
export const SPARE_READY = "ready\n";

/** The only message to a spare: it becomes an engine. */
const spareClaim = z.object({
  /** The path of the launch file that an engine of this incarnation would have. There is no such file. */
  launch_file: z.string(),
  /** The user and group that the engine runs as. Null for those of the daemon. */
  owner: z.nullable(z.object({ uid: z.int(), gid: z.int() })),
  /** The engine's folder, in which it runs. */
  folder: z.string(),
  /** The content of the launch file. */
  launch: z.string(),
});
export type SpareClaim = z.output<typeof spareClaim>;

export const encodeClaim = (claim: SpareClaim): Buffer => Buffer.from(JSON.stringify(claim));

/** Throws for a message that is not a claim. */
export const decodeClaim = (data: Buffer): SpareClaim => z.parse(spareClaim, JSON.parse(data.toString("utf8")));

const LAUNCH = "launch-";
/** As long as {@link LAUNCH}: the claim replaces one path by the other in the process's arguments and environment. */
const SPARE = "spare--";

/** The path that a spare carries in the place of a launch file's, from the path of a launch file. */
export const sparePath = (launchFile: string): string =>
  join(dirname(launchFile), basename(launchFile).replace(LAUNCH, SPARE));

export const isSparePath = (path: string): boolean => basename(path).startsWith(SPARE);

/** The folder of a spare's own, until it can be claimed. */
export const spareFolder = (path: string): string => path.replace(/\.json$/, "");
