import type { IdentitySource } from "../../src/engine/tools/web/identity-source.ts";

/** For tests in which nothing asks for a token. */
export const noIdentity: IdentitySource = () => Promise.reject(new Error("nobody gives tokens here"));

/** Tokens that name what was asked, and a number. */
export function testIdentity(): { readonly identity: IdentitySource; readonly given: string[] } {
  const given: string[] = [];
  const identity: IdentitySource = ({ audience, agent }) => {
    const part = (text: string) => Buffer.from(text).toString("base64url");
    const token = `eyJ${part(audience)}.eyJ${part(String(agent))}.${part(String(given.length))}signed`;
    given.push(token);
    return Promise.resolve(token);
  };
  return { identity, given };
}
