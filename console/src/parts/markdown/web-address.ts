/** The address that a link may lead to: a page of the web or a mailbox. Null for a script, a file or the page itself. */
export const webAddress = (href: string): string | null => (/^(?:https?:\/\/|mailto:)/i.test(href) ? href : null);
