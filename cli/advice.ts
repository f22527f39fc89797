/** The user and product of a call, as far as they are known. */
export interface AdviceContext {
  readonly user?: string | undefined;
  readonly product?: string | undefined;
}

/** Advice for a person, by error code. */
const ADVICE: Readonly<Record<string, (about: Required<AdviceContext>) => string>> = {
  PRODUCT_ALREADY_EXISTS: ({ product }) =>
    `orchctl products rotate-key ${product} creates a new key for it; the old key expires then, or after --grace`,
  PRODUCT_NOT_FOUND: () => "orchctl products list shows the products",
  ENGINE_ALREADY_EXISTS: ({ user }) => `orchctl engines admit ${user} uses the existing engine`,
  ENGINE_NOT_FOUND: ({ user }) =>
    `orchctl engines list shows the product's engines; orchctl engines provision ${user} creates one for ${user}`,
  ENGINE_NOT_RUNNING: ({ user }) => `orchctl engines start ${user} starts it`,
  INVALID_ENGINE_KEY: ({ user }) => `orchctl engines rotate-key ${user} creates a new key`,
  INVALID_PLATFORM_KEY: ({ product }) =>
    `orchctl products list shows this daemon's products; orchctl products rotate-key ${product} creates a new key`,
  INVALID_ADMIN_KEY: () =>
    "the key is the daemon's ORCH_ADMIN_KEY, or the content of admin-key in its data folder; set ORCH_ADMIN_KEY or ORCH_ADMIN_KEY_FILE",
  CATALOG_VERSION_NOT_FOUND: () => "orchctl catalog history lists the stored versions",
  CATALOG_CHANGED: () => "orchctl catalog diff FOLDER shows what differs from the current version",
  TASK_BUSY: ({ user }) =>
    `another turn of this task is running; orchctl questions ${user} shows whether it waits for an answer, orchctl cancel ${user} TASK ends it`,
};

export function adviceFor(
  code: string | null,
  { user = "USER", product = "SLUG" }: AdviceContext = {},
): string | undefined {
  return code !== null && Object.hasOwn(ADVICE, code) ? ADVICE[code]?.({ user, product }) : undefined;
}
