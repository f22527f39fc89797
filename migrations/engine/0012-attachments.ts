/** The files of a finished call's result, as JSON; null without any. */
export const sql = `
alter table tool_calls add column attachments text;
`;
