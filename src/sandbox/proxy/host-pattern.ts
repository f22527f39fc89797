import { isIP } from "node:net";

/** One entry of a list of hosts. `port` is null for every port. */
export type HostPattern =
  /** Every host on the public internet. */
  | { readonly kind: "any"; readonly port: number | null }
  /** A host by name, in ASCII; with `subdomains` every name below it, but not itself. */
  | { readonly kind: "name"; readonly name: string; readonly subdomains: boolean; readonly port: number | null }
  /** An IP address, or a network of them. */
  | {
      readonly kind: "network";
      readonly address: string;
      readonly family: 4 | 6;
      readonly prefix: number;
      readonly port: number | null;
    };

type ReadHostPattern =
  | { readonly pattern: HostPattern; readonly problem: null }
  | { readonly pattern: null; readonly problem: string };

const FORM =
  "expected a host, *.host, host:port, an IP address, a network such as 10.1.0.0/16, or * for every public host";
const MAX_CHARACTERS = 260;
/** The allowed prefix lengths. A shorter prefix is most likely a mistake. */
const PREFIXES = { 4: { min: 8, max: 32 }, 6: { min: 7, max: 128 } } as const;

/** Reads one entry, such as `*.example.com:443`. Names become lower-case ASCII (IDNA), addresses their canonical form. */
export function readHostPattern(text: string): ReadHostPattern {
  if (text.length > MAX_CHARACTERS) return invalid(`expected at most ${MAX_CHARACTERS} characters`);
  const [, network, bits] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  if (network !== undefined && isIP(network) !== 0) return address(network, Number(bits), null);
  if (isIP(text) === 6) return address(text, 128, null);
  const [, bracketed, plain = "", digits] = /^(?:\[([^\]]*)\]|([^\s/?#@[\]\\%:]+))(?::(\d+))?$/.exec(text) ?? [];
  const port = digits === undefined ? null : Number(digits);
  if (port !== null && (port < 1 || port > 65_535)) return invalid("expected a port from 1 to 65535");
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? address(bracketed, 128, port) : invalid(FORM);
  if (isIP(plain) === 4) return address(plain, 32, port);
  if (plain === "*") return valid({ kind: "any", port });
  const subdomains = plain.startsWith("*.");
  const name = hostName(subdomains ? plain.slice(2) : plain);
  return name === null ? invalid(FORM) : valid({ kind: "name", name, subdomains, port });
}

/** The canonical text of an entry, as it is stored. */
export function formatHostPattern(pattern: HostPattern): string {
  const port = pattern.port === null ? "" : `:${pattern.port}`;
  switch (pattern.kind) {
    case "any":
      return `*${port}`;
    case "name":
      return `${pattern.subdomains ? "*." : ""}${pattern.name}${port}`;
    case "network": {
      const { address: ip, family, prefix } = pattern;
      if (prefix !== PREFIXES[family].max) return `${ip}/${prefix}`;
      return family === 6 && port !== "" ? `[${ip}]${port}` : `${ip}${port}`;
    }
    default:
      return pattern satisfies never;
  }
}

/** The host of a URL by the WHATWG parser, without brackets and final dot. Null for an invalid host. */
export function canonicalHost(host: string): string | null {
  const hostname = URL.parse(`http://${host}/`)?.hostname ?? "";
  const canonical = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return canonical === "" ? null : canonical;
}

/** Null for anything but a name, also for an IPv4 address in a form such as `0x7f.1`. */
function hostName(text: string): string | null {
  const name = canonicalHost(text);
  if (name === null || isIP(name) !== 0 || name.length > 253) return null;
  return name.split(".").every((label) => /^[a-z0-9_-]{1,63}$/.test(label)) ? name : null;
}

function address(text: string, prefix: number, port: number | null): ReadHostPattern {
  if (text.includes("%")) return invalid("expected an IPv6 address without a zone");
  const family = isIP(text) === 4 ? 4 : 6;
  const canonical = canonicalHost(family === 6 ? `[${text}]` : text);
  if (canonical === null) return invalid(FORM);
  if (canonical.startsWith("::ffff:")) return invalid("expected the IPv4 address instead of its IPv6 form");
  const { min, max } = PREFIXES[family];
  if (prefix < min || prefix > max) return invalid(`expected a prefix from /${min} to /${max}`);
  return valid({ kind: "network", address: canonical, family, prefix, port });
}

const valid = (pattern: HostPattern): ReadHostPattern => ({ pattern, problem: null });
const invalid = (problem: string): ReadHostPattern => ({ pattern: null, problem });
