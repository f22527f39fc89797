import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts texts and small files with the deployment's secret key and derives tokens that need no storage. */
export class SealedBox {
  readonly #sealing: Buffer;
  readonly #deriving: Buffer;

  constructor(secret: string) {
    const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
    this.#sealing = derive("orchd seal");
    this.#deriving = derive("orchd token");
  }

  seal(text: string): Buffer {
    return this.sealBytes(Buffer.from(text, "utf8"));
  }

  /** AES-256-GCM: nonce, tag, ciphertext. */
  sealBytes(bytes: Uint8Array): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#sealing, nonce);
    const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }

  /** Decrypts. Throws when the text was sealed with another key or altered. */
  open(box: Buffer): string {
    return this.openBytes(box).toString("utf8");
  }

  /** As {@link open}. */
  openBytes(box: Buffer): Buffer {
    const nonce = box.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv("aes-256-gcm", this.#sealing, nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(box.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(box.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  }

  /** Derives a token. The same parts give the same token with the same secret. */
  token(...parts: readonly string[]): string {
    return createHmac("sha256", this.#deriving).update(parts.join("\n")).digest("base64url");
  }
}
