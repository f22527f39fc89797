import PQueue from "p-queue";
import { inBackground } from "../../shared/background.ts";
import { delay } from "../../shared/clock.ts";
import { sendEngineKnowledge, setEngineKnowledge } from "../engine-calls/engine-knowledge.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { EngineHost, HostContext } from "../host-context.ts";
import type { CurrentKnowledge } from "../store/knowledge.ts";
import { prepareKnowledge } from "./prepare-knowledge.ts";
import { inSleepLane } from "./sleep-lane.ts";

/** Engines that are told at the same time. */
const TOLD_AT_ONCE = 16;
/** Documents that are stored one after the other become one version. */
const GATHER_MS = 300;
/** When a version that an engine does not search is tried again. */
const RETRY_MS = 10_000;

/** Makes an engine search the current version of its product's knowledge. A failure is tried again later. Never rejects. */
export function reloadKnowledge(host: EngineHost, live: LiveEngine): Promise<void> {
  // In order, so that an earlier version does not replace a later one.
  return host.lanes.run(`knowledge ${live.id}`, async () => {
    const current = await host.directory.knowledgeOf(live.productId).catch(() => null);
    if (current === null) return;
    const known = knownOf(host, live, current);
    if (!isDue(live, known)) return;
    const { wanted, problem } = await reload(host, live, current).catch((error: unknown) => ({
      wanted: known,
      problem: error,
    }));
    live.knowledge = {
      ...(problem === null ? wanted : live.knowledge),
      tried: { ...wanted, at: performance.now() },
    };
    if (problem === null) {
      const { launch } = live.order;
      // For a restart without the database.
      live.order = { ...live.order, launch: { ...launch, product_knowledge: { ...wanted } } };
    } else if (problem !== "replaced") {
      const fields = { engine_id: live.id, version: wanted.version, err: problem };
      host.logger.warn(fields, "failed to tell an engine its product's knowledge");
    }
  });
}

/** The version by the name of its file, where that is known: more vectors make another one. */
const knownOf = ({ backend }: Pick<HostContext, "backend">, live: LiveEngine, current: CurrentKnowledge) => ({
  ...current,
  digest: current.digest && (backend.knowledge.known(live.productId, current.digest)?.name ?? live.knowledge.digest),
});

const isDue = ({ knowledge: { tried, ...used } }: LiveEngine, wanted: CurrentKnowledge): boolean =>
  !isSame(used, wanted) && (!isSame(tried, wanted) || performance.now() - tried.at >= RETRY_MS);

const isSame = (one: Pick<LiveEngine["knowledge"], "version" | "digest">, wanted: CurrentKnowledge): boolean =>
  one.version === wanted.version && one.digest === wanted.digest;

/** The problem is null when the engine searches the version. `replaced`: there is a later one. */
async function reload(
  host: EngineHost,
  live: LiveEngine,
  current: CurrentKnowledge,
): Promise<{ readonly wanted: CurrentKnowledge; readonly problem: unknown }> {
  const file = await prepareKnowledge(host, live.productId, current);
  const wanted = { ...current, digest: file?.name ?? null };
  if (file === null && current.digest !== null) return { wanted, problem: "replaced" };
  // A connection to an engine that falls asleep would wake it.
  const problem = await inSleepLane(host, live.id, () => tell(host, live, wanted));
  return { wanted, problem };
}

/** Null, or why the engine does not search the version. */
async function tell(host: EngineHost, live: LiveEngine, wanted: CurrentKnowledge): Promise<string | null> {
  if (host.live.get(live.id) !== live) return null;
  const target = { url: live.url, token: live.controlToken };
  const told = await setEngineKnowledge(target, wanted);
  if (told.kind === "failed") return told.reason;
  // An engine of an earlier release has no such call, and no tool that searches.
  if (told.kind !== "missing" || wanted.digest === null) return null;
  const file = host.backend.knowledge.fileOf(live.productId, wanted.digest);
  const sent = await sendEngineKnowledge(target, wanted.digest, file);
  if (sent !== null) return sent;
  const again = await setEngineKnowledge(target, wanted);
  return again.kind === "told" ? null : "the engine does not find the file that was sent";
}

/** Makes the current version and tells the product's running engines, in the background. */
export function rollOutKnowledge(host: EngineHost, productId: string): void {
  const rollOut = host.lanes.run(`knowledge of ${productId}`, async () => {
    await delay(GATHER_MS, host.stopping);
    const engines = host.live.all().filter((live) => live.productId === productId && live.fallingAsleep === null);
    await prepareCurrent(host, productId);
    await new PQueue({ concurrency: TOLD_AT_ONCE }).addAll(engines.map((live) => () => reloadKnowledge(host, live)));
    await collectKnowledge(host, productId);
  });
  inBackground("roll-out of knowledge", rollOut, { product_id: productId });
}

/** So that the next engine to start does not wait for it. */
async function prepareCurrent(host: EngineHost, productId: string): Promise<void> {
  const current = await host.directory.knowledgeOf(productId);
  if (current !== null) await prepareKnowledge(host, productId, current);
}

/** Removes files of the product's knowledge that neither it nor an engine uses. */
export async function collectKnowledge(
  { directory, live, backend, now }: Pick<HostContext, "directory" | "live" | "backend" | "now">,
  productId: string,
): Promise<void> {
  const digest = (await directory.knowledgeOf(productId))?.digest ?? null;
  const used = live.all().flatMap((one) => (one.productId === productId ? [one.knowledge.digest] : []));
  const names = new Set(used.filter((name) => name !== null));
  await backend.knowledge.collect(productId, { digest, names }, now());
}
