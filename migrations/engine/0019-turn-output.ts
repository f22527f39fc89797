/** The result of a turn with an output schema, as JSON; null without one. */
export const sql = `
alter table turns add column output text;
`;
