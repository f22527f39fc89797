/** Stands in for `store/migrate.ts`: the simulated server has the tables of the migrations. */
export const migrateToLatest = (): Promise<readonly string[]> => Promise.resolve([]);
export const grantDaemonPrivileges = (): Promise<void> => Promise.resolve();
export const mayRewriteAudit = (): Promise<boolean> => Promise.resolve(false);
