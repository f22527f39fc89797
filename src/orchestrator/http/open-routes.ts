import { sendDocs, sendOpenApi } from "../../shared/http/interface-documents.ts";
import { VERSION } from "../../shared/version.ts";
import { sendConsoleAsset, sendConsolePage } from "./console-page.ts";
import { ApiError } from "../api-error.ts";
import type { Readiness } from "../status/readiness.ts";
import type { Replica } from "../status/replica-role.ts";
import type { OidcSettings } from "../identity/oidc-settings.ts";
import type { Call } from "./call.ts";

export interface OpenRoutesParts {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The folder of the generated API documents. */
  readonly documentsDir: string;
  readonly hostId: string;
  readonly replica: Pick<Replica, "role" | "leader">;
  /** The folder of the built console. */
  readonly consoleDir: string;
  /** Null: people sign in by the admin key and links alone. */
  readonly oidc: Pick<OidcSettings, "issuer" | "consoleUrl"> | null;
}

type OpenCall = Pick<Call, "response" | "params">;

/** The routes without a key. They need no database, so the daemon serves them while it starts. */
export function openRoutes(
  readiness: Readiness,
  { startedAt, documentsDir, consoleDir, replica, hostId, oidc }: OpenRoutesParts,
) {
  const whoLeads = () => ({ role: replica.role, leader: replica.leader });
  return {
    health: () => ({
      status: 200,
      body: {
        status: "ok",
        version: VERSION,
        host_id: hostId,
        uptime_s: Math.floor((performance.now() - startedAt) / 1000),
        ...whoLeads(),
      },
    }),
    ready: async () => {
      const reason = await readiness.notReadyReason();
      if (reason !== null) throw new ApiError("SERVICE_UNAVAILABLE", reason, { retryAfterS: 1 });
      return { status: 200, body: { status: "ready", version: VERSION, ...whoLeads() } };
    },
    openapi: async ({ response }: OpenCall) => {
      await sendOpenApi(response, documentsDir);
      return undefined;
    },
    docs: async ({ response }: OpenCall) => {
      await sendDocs(response, documentsDir);
      return undefined;
    },
    consolePage: async ({ response }: OpenCall) => {
      await sendConsolePage(response, consoleDir);
      return undefined;
    },
    signInOptions: () => ({
      status: 200,
      body: { oidc: oidc === null ? null : { issuer: oidc.issuer, url: `${oidc.consoleUrl}sign-in/begin` } },
    }),
    consoleAsset: async ({ response, params }: OpenCall) => {
      await sendConsoleAsset(response, consoleDir, params["file"] ?? "");
      return undefined;
    },
  };
}
