/** Whom a call was about, as far as that is known. */
export interface About {
  readonly user?: string | undefined;
  readonly product?: string | undefined;
}

/** What to do about some refusals, for a person who reads them; scripts have the code. */
const ADVICE: Readonly<Record<string, (about: Required<About>) => string>> = {
  PRODUCT_ALREADY_EXISTS: ({ product }) =>
    `orchctl products rotate-key ${product} makes a new key for it; the old key ends then, or after --grace`,
  PRODUCT_NOT_FOUND: () => "orchctl products list shows the products there are",
  ENGINE_ALREADY_EXISTS: ({ user }) => `orchctl engines admit ${user} takes the engine that is there`,
  ENGINE_NOT_FOUND: ({ user }) =>
    `orchctl engines list shows the product's engines; orchctl engines provision ${user} creates one for ${user}`,
  ENGINE_NOT_RUNNING: ({ user }) => `orchctl engines start ${user} starts it`,
  INVALID_ENGINE_KEY: ({ user }) => `orchctl engines rotate-key ${user} makes a new key`,
  INVALID_PLATFORM_KEY: ({ product }) =>
    `orchctl products list shows this daemon's products; orchctl products rotate-key ${product} makes a new key`,
  INVALID_ADMIN_KEY: () =>
    "the key is the daemon's ORCH_ADMIN_KEY, or in the file admin-key of its data folder; give it by ORCH_ADMIN_KEY or ORCH_ADMIN_KEY_FILE",
  TASK_BUSY: ({ user }) =>
    `another turn of this task is running; orchctl questions ${user} tells whether it waits for an answer`,
};

export function adviceFor(code: string | null, { user = "USER", product = "SLUG" }: About = {}): string | undefined {
  return code !== null && Object.hasOwn(ADVICE, code) ? ADVICE[code]?.({ user, product }) : undefined;
}
