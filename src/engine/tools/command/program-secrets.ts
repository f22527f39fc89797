/** Secrets as programs and requests have them: by placeholders, which the broker replaces. */
export interface ProgramSecrets {
  /** Variables of a program with placeholders in place of references. `proxyPort`: null for one without network. */
  environment(
    env: Readonly<Record<string, string>>,
    proxyPort: () => Promise<number | null>,
  ): Promise<Record<string, string>>;
  /** Texts of a request with placeholders in place of references. */
  fill(texts: Readonly<Record<string, string>>): Record<string, string>;
  /** Where a request with placeholders is sent instead, and the headers that it then needs. */
  route(target: URL): { readonly url: URL; readonly headers: Readonly<Record<string, string>> };
}
