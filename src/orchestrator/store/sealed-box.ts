import { createHmac, hkdfSync } from "node:crypto";
import { decrypt, encrypt } from "./aes-gcm.ts";

const derive = (secret: string, purpose: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));

/** Encrypts texts and small files with the deployment's secret key and derives tokens that need no storage. */
export class SealedBox {
  readonly #sealing: Buffer;
  readonly #previous: Buffer | null;
  readonly #deriving: Buffer;

  /** `previous`: a key that opens what it has sealed, while that is not sealed again. */
  constructor(secret: string, previous: string | null = null) {
    this.#sealing = derive(secret, "orchd seal");
    this.#previous = previous === null ? null : derive(previous, "orchd seal");
    this.#deriving = derive(secret, "orchd token");
  }

  get hasPrevious(): boolean {
    return this.#previous !== null;
  }

  seal(text: string): Buffer {
    return this.sealBytes(Buffer.from(text, "utf8"));
  }

  sealBytes(bytes: Uint8Array): Buffer {
    return encrypt(this.#sealing, bytes);
  }

  /** Decrypts. Throws when the text was sealed with an unknown key or altered. */
  open(box: Buffer): string {
    return this.openBytes(box).toString("utf8");
  }

  /** As {@link open}. */
  openBytes(box: Buffer): Buffer {
    if (this.#previous === null) return decrypt(this.#sealing, box);
    try {
      return decrypt(this.#sealing, box);
    } catch {
      return decrypt(this.#previous, box);
    }
  }

  /** Seals again what the previous key has sealed. Null: the current key has. Throws as {@link open} does. */
  reseal(box: Buffer): Buffer | null {
    try {
      decrypt(this.#sealing, box);
      return null;
    } catch {
      return this.sealBytes(this.openBytes(box));
    }
  }

  /** Derives a token. The same parts give the same token with the same secret. */
  token(...parts: readonly string[]): string {
    return createHmac("sha256", this.#deriving).update(parts.join("\n")).digest("base64url");
  }
}
