import { type IncomingMessage, createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type CryptoKey, type JWTPayload, SignJWT, exportJWK, generateKeyPair } from "jose";
import type { Test } from "tap";

export const FORGED_CLIENT = { id: "console", secret: "a-secret-of-more-than-thirty-two-bytes" } as const;

/** No answer ever comes. */
export const SILENCE = { status: 0, body: "" } as const;

type Answer = { readonly status?: number; readonly type?: string; readonly body: string | object };

export interface ForgingProvider {
  readonly issuer: string;
  /** Claims beside those that a valid token has; undefined removes one. */
  claims: Readonly<Record<string, unknown>>;
  /** Makes another token of the claims. */
  forge: ((claims: JWTPayload) => string | Promise<string>) | null;
  /** Fields of its description beside the usual. */
  description: Readonly<Record<string, unknown>>;
  userinfo: object | null;
  /** Other answers, by path. */
  readonly answers: Map<string, Answer>;
  /** The forms that its token endpoint got. */
  readonly forms: URLSearchParams[];
  readonly privateKey: CryptoKey;
  readonly publicPem: string;
  /** The nonce of the next token. */
  nonce: string;
}

/** An identity provider that says whatever a test wants. */
export async function startForgingProvider(t: Test): Promise<ForgingProvider> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = await exportJWK(publicKey);
  const server = createServer((request, response) => {
    void answer(request).then(({ status = 200, type = "application/json", body }) => {
      if (status === SILENCE.status) return;
      response.writeHead(status, { "content-type": type });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: ForgingProvider = {
    issuer,
    claims: {},
    forge: null,
    description: {},
    userinfo: null,
    answers: new Map(),
    forms: [],
    privateKey,
    publicPem: JSON.stringify(jwk),
    nonce: "",
  };
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const [path = ""] = (request.url ?? "").split("?");
    const form = new URLSearchParams(await text(request));
    if (path === "/token") provider.forms.push(form);
    const other = provider.answers.get(path);
    if (other !== undefined) return other;
    if (path === "/.well-known/openid-configuration")
      return {
        body: {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          ...(provider.userinfo !== null && { userinfo_endpoint: `${issuer}/userinfo` }),
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
          ...provider.description,
        },
      };
    if (path === "/jwks") return { body: { keys: [{ ...jwk, alg: "RS256", use: "sig", kid: "one" }] } };
    if (path === "/userinfo") return { body: provider.userinfo ?? {} };
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: issuer, aud: FORGED_CLIENT.id, sub: "u-1", iat: now, exp: now + 300, nonce: provider.nonce };
    const claims = { ...usual, ...provider.claims } as JWTPayload;
    const sign = provider.forge ?? ((of: JWTPayload) => signed(of, privateKey));
    return { body: { access_token: "a", token_type: "Bearer", id_token: await sign(claims) } };
  };
  return provider;
}

export const signed = (
  claims: JWTPayload,
  key: CryptoKey | Uint8Array,
  { alg = "RS256", kid = "one" }: { readonly alg?: string; readonly kid?: string } = {},
): Promise<string> => new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key);

/** A token without a signature. */
export const unsigned = (claims: JWTPayload, alg: string): string =>
  `${[{ alg, typ: "JWT" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.`;
