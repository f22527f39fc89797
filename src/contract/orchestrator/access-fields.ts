const POLICY_ACTIONS = ["provision", "start", "stop", "rotate_key", "destroy", "auto_provision"] as const;

/** The fields of a policy that say who may call, and how often. */
export const ACCESS_FIELDS = {
  max_engines: {
    value: { kind: "integer", min: 0, isNullable: true },
    default: 100,
    section: "access",
    label: "Engines",
    meaning: "Engines that are not destroyed.",
    takesEffect: "at once",
    option: "--max-engines <n>",
  },
  requests_per_minute: {
    value: { kind: "integer", min: 0, isNullable: true },
    default: 600,
    section: "access",
    label: "Requests per minute",
    meaning: "Calls per minute; a large one [counts more than once](orchestrator-api.md#limits).",
    takesEffect: "at once",
    option: "--requests-per-minute <n>",
  },
  allowed_actions: {
    value: { kind: "choices", values: POLICY_ACTIONS },
    default: POLICY_ACTIONS,
    section: "access",
    label: "Allowed actions",
    meaning: "Actions that the product's backend may call for.",
    takesEffect: "at once",
    option: "--allow <actions>",
  },
  private_hosts: {
    value: { kind: "list", of: "hosts", max: 64 },
    default: [],
    section: "access",
    label: "Private hosts",
    meaning:
      "Hosts and networks off the public internet that the daemon may call for the product, also without TLS. Public hosts need `https` and no entry.",
    takesEffect: "at once",
    option: "--private-hosts <hosts>",
  },
  allowed_origins: {
    value: { kind: "list", of: "origins", max: 64 },
    default: [],
    section: "access",
    label: "Allowed origins",
    meaning:
      "Origins of pages that may call [`/me`](browser.md) with a token of their user, such as `https://app.example.com`.",
    takesEffect: "at once",
    option: "--allowed-origins <origins>",
  },
  user_requests_per_minute: {
    value: { kind: "integer", min: 0, isNullable: true },
    default: 300,
    section: "access",
    label: "Requests per minute of a user",
    meaning: "Calls per minute that one user's [tokens](browser.md#limits) may make.",
    takesEffect: "at once",
    option: "--user-requests-per-minute <n>",
  },
  suspended: {
    value: { kind: "switch" },
    default: false,
    section: "access",
    label: "Suspended",
    meaning: "Refuses every action of the product, and every turn of its [engines](orchestrator-api.md#suspension).",
    takesEffect: "at once",
  },
  suspend: {
    value: { kind: "choice", values: ["drain", "now"] },
    default: "drain",
    section: "access",
    label: "Suspension",
    meaning: "What a suspension does to running turns: `drain` lets them end, `now` cancels them.",
    takesEffect: "at once",
  },
} as const;
