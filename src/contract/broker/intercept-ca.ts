import {
  type KeyObject,
  createECDH,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
} from "node:crypto";
import { createCertificate } from "../../shared/x509/certificate.ts";
import type { EngineStart } from "./engine-key.ts";

const CURVE = "prime256v1";
const SUBJECT = "orchd engine";
const DAY_MS = 86_400_000;
/** Clocks of containers differ. */
const BEFORE_MS = DAY_MS;
const CA_MS = 3650 * DAY_MS;
const HOST_MS = 7 * DAY_MS;

/** The authority of one start of an engine, whose tools trust it. Its private key is with broker and daemon alone. */
export interface InterceptCa {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export interface HostCertificate {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

/** Derived, so that nobody stores it: a broker that was started again has the same. */
export function interceptCa(sealingKey: Uint8Array, { engine, incarnation }: EngineStart): InterceptCa {
  for (let attempt = 0; ; attempt++) {
    const purpose = `orchd intercept\n${engine}\n${incarnation}\n${attempt}`;
    const scalar = Buffer.from(hkdfSync("sha256", sealingKey, "", purpose, 32));
    const curve = createECDH(CURVE);
    try {
      curve.setPrivateKey(scalar);
    } catch {
      // Beyond the order of the curve: 1 of 2^32.
      continue;
    }
    const point = curve.getPublicKey();
    const coordinate = (from: number) => point.subarray(from, from + 32).toString("base64url");
    const jwk = { kty: "EC", crv: "P-256", x: coordinate(1), y: coordinate(33), d: scalar.toString("base64url") };
    const privateKey = createPrivateKey({ key: jwk, format: "jwk" });
    return { privateKey, publicKey: createPublicKey(privateKey) };
  }
}

/** What tools trust, in PEM. */
export const caCertificate = (ca: InterceptCa, now: number): string =>
  createCertificate({
    subject: SUBJECT,
    issuer: SUBJECT,
    publicKey: ca.publicKey,
    signer: ca,
    notBefore: new Date(now - BEFORE_MS),
    notAfter: new Date(now + CA_MS),
    host: null,
  });

/** A certificate for a host, with a key of its own. */
export function hostCertificate(ca: InterceptCa, host: string, now: number): HostCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const cert = createCertificate({
    // A longer name is no common name. The alternative name counts.
    subject: host.slice(0, 64),
    issuer: SUBJECT,
    publicKey,
    signer: ca,
    notBefore: new Date(now - BEFORE_MS),
    notAfter: new Date(now + HOST_MS),
    host,
  });
  return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}
