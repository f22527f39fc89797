/** What messages of a task have that do not say it themselves: agent, model, effort and tools of the client, as JSON. */
export const sql = `
alter table tasks add column defaults text;
`;
