import { join } from "node:path";
import type { Credentials } from "./credentials.ts";
import { CliFailure } from "./exit-codes.ts";
import { assertPaired } from "./pair-host.ts";
import { promptSecret, secretFromFile } from "./secret-input.ts";
import type { Settings } from "./settings.ts";

interface PlatformKey {
  readonly key: string;
  /** The product of a stored key. */
  readonly slug?: string | undefined;
  /** The environment variable of a key whose product is unknown. */
  readonly variable?: string;
}

/** From the environment, a file, the data folder of a daemon on this machine, or a prompt. */
export async function findAdminKey({ adminKey, adminKeyFile, dataDir }: Settings): Promise<string> {
  if (adminKey !== undefined) return adminKey;
  if (adminKeyFile !== undefined) return secretFromFile(adminKeyFile);
  const local = join(dataDir, "admin-key");
  // An unreadable file is reported below, unless a person can type the key.
  const key = (await secretFromFile(local).catch(() => null)) ?? (await promptSecret("Admin key: "));
  if (key !== null) return key;
  throw new CliFailure(
    "denied",
    `no admin key: set ORCH_ADMIN_KEY or ORCH_ADMIN_KEY_FILE, or ORCH_DATA_DIR as for the daemon (${local} cannot be read), or run this on a terminal to type it`,
  );
}

/**
 * The admin key of a call that could do without: as the environment gives it, or that of this machine's daemon, which is
 * sent to this daemon alone. Nobody is asked for it.
 */
export async function knownAdminKey(settings: Settings, credentials: Credentials): Promise<string | null> {
  const { adminKey, adminKeyFile, dataDir } = settings;
  if (adminKey !== undefined || adminKeyFile !== undefined) return findAdminKey(settings);
  const local = await secretFromFile(join(dataDir, "admin-key")).catch(() => null);
  return local !== null && (await credentials.isOwnHost()) ? local : null;
}

/** Whether a platform key is there without a prompt. */
export async function hasPlatformKey(
  { platformKey, platformKeyFile, product }: Settings,
  credentials: Credentials,
  wantedProduct: string | undefined,
): Promise<boolean> {
  if (wantedProduct === undefined && (platformKey !== undefined || platformKeyFile !== undefined)) return true;
  const slug = wantedProduct ?? product ?? (await credentials.currentProduct());
  return slug !== null && (await credentials.platformKey(slug)) !== null;
}

/** From the environment, the stored credentials, or a prompt. A product given by `--product` goes first. */
export async function findPlatformKey(
  settings: Settings,
  credentials: Credentials,
  wantedProduct: string | undefined,
): Promise<PlatformKey> {
  const { platformKey, platformKeyFile, product, url } = settings;
  if (wantedProduct === undefined) {
    if (platformKey !== undefined) return { key: platformKey, variable: "ORCH_PLATFORM_KEY" };
    if (platformKeyFile !== undefined)
      return { key: await secretFromFile(platformKeyFile), variable: "ORCH_PLATFORM_KEY_FILE" };
  }
  await assertPaired(credentials, url);
  const slug = wantedProduct ?? product ?? (await credentials.currentProduct());
  const stored = slug === null ? null : await credentials.platformKey(slug);
  const key = stored ?? (await promptSecret(`Platform key${slug === null ? "" : ` of ${slug}`}: `));
  if (key !== null) return { key, slug: slug ?? undefined };
  throw new CliFailure("denied", await noPlatformKey({ slug, url }, credentials));
}

async function noPlatformKey(
  { slug, url }: { readonly slug: string | null; readonly url: string },
  credentials: Credentials,
): Promise<string> {
  const stored = await credentials.products();
  const others = stored.length > 0 ? [] : await credentials.otherUrls();
  if (others.length > 0) {
    const elsewhere = `they are stored for ${others.join(", ")} (set ORCH_URL or --url)`;
    return `no platform keys are stored for ${url}; ${elsewhere}, or set ORCH_PLATFORM_KEY or ORCH_PLATFORM_KEY_FILE`;
  }
  const missing =
    slug === null ? `no product is the current one for ${url}` : `no platform key of ${slug} is stored for ${url}`;
  const remedies = [
    ...(stored.length === 0 ? [] : [`orchctl products use selects a stored product (${stored.join(", ")})`]),
    "orchctl products register creates a product with a key, orchctl products rotate-key a new key for an existing product",
    "or set ORCH_PLATFORM_KEY or ORCH_PLATFORM_KEY_FILE",
  ];
  return `${missing}: ${remedies.join("; ")}`;
}
