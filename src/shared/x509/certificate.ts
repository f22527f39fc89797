import { type KeyObject, createHash, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import { TRUE, bits, integer, objectId, octets, sequence, set, tagged, text, time } from "./der.ts";

const ECDSA_WITH_SHA256 = sequence(objectId("1.2.840.10045.4.3.2"));
const COMMON_NAME = objectId("2.5.4.3");
const EXTENSIONS = {
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyId: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
} as const;
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
/** Bits 5 and 6: certificates and revocation lists. */
const CA_USAGE = bits(Buffer.from([0x06]), 1);
/** Bit 0: signatures. */
const SERVER_USAGE = bits(Buffer.from([0x80]), 7);

export interface CertificateParts {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  /** The keys of the issuer, on the curve P-256. */
  readonly signer: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** The name or address of a server. Null: of an authority, which signs those of servers. */
  readonly host: string | null;
}

/** An X.509 certificate (RFC 5280), in PEM. */
export function createCertificate(parts: CertificateParts): string {
  const { subject, issuer, publicKey, signer, notBefore, notAfter, host } = parts;
  const body = sequence(
    tagged(0, true, integer(Buffer.from([2]))),
    integer(serialNumber()),
    ECDSA_WITH_SHA256,
    nameOf(issuer),
    sequence(time(notBefore), time(notAfter)),
    nameOf(subject),
    spkiOf(publicKey),
    tagged(3, true, sequence(...extensionsOf({ publicKey, issuerKey: signer.publicKey, host }))),
  );
  const signature = sign("sha256", body, signer.privateKey);
  const certificate = sequence(body, ECDSA_WITH_SHA256, bits(signature));
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** 16 random bytes, positive and without leading zeros. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f);
  return bytes;
}

const spkiOf = (key: KeyObject): Buffer => key.export({ type: "spki", format: "der" });
const nameOf = (commonName: string): Buffer => sequence(set(sequence(COMMON_NAME, text(commonName))));
const keyIdOf = (key: KeyObject): Buffer => createHash("sha256").update(spkiOf(key)).digest().subarray(0, 20);

function extensionsOf({
  publicKey,
  issuerKey,
  host,
}: {
  readonly publicKey: KeyObject;
  readonly issuerKey: KeyObject;
  readonly host: string | null;
}): readonly Buffer[] {
  const extension = (name: keyof typeof EXTENSIONS, content: Uint8Array, isCritical = false) =>
    sequence(objectId(EXTENSIONS[name]), ...(isCritical ? [TRUE] : []), octets(content));
  const ids = [
    extension("subjectKeyId", octets(keyIdOf(publicKey))),
    extension("authorityKeyId", sequence(tagged(0, false, keyIdOf(issuerKey)))),
  ];
  if (host === null)
    return [
      extension("basicConstraints", sequence(TRUE, integer(Buffer.from([0]))), true),
      extension("keyUsage", CA_USAGE, true),
      ...ids,
    ];
  return [
    extension("basicConstraints", sequence(), true),
    extension("keyUsage", SERVER_USAGE, true),
    extension("extendedKeyUsage", sequence(objectId(SERVER_AUTH))),
    extension("subjectAltName", sequence(alternativeName(host))),
    ...ids,
  ];
}

/** Also of an empty subject the name counts that stands here. */
const alternativeName = (host: string): Buffer =>
  isIP(host) === 0 ? tagged(2, false, Buffer.from(host, "ascii")) : tagged(7, false, addressBytes(host));

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail = ""] = address.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return Buffer.from([...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}
