import type { Adapter, AdapterPayload } from "oidc-provider";

/** The records of an authorization server, by their kinds and ids: its own memory forgets those beyond a thousand. */
export function keptRecords(records: Map<string, AdapterPayload>): (model: string) => Adapter {
  const uids = new Map<string, string>();
  return (model) => {
    const name = (id: string) => `${model} ${id}`;
    return {
      async upsert(id, payload) {
        records.set(name(id), payload);
        if (payload.uid !== undefined) uids.set(payload.uid, name(id));
      },
      find: async (id) => records.get(name(id)),
      findByUid: async (uid) => records.get(uids.get(uid) ?? ""),
      findByUserCode: async () => undefined,
      async destroy(id) {
        records.delete(name(id));
      },
      async consume(id) {
        const found = records.get(name(id));
        if (found !== undefined) found.consumed = Math.floor(Date.now() / 1000);
      },
      async revokeByGrantId(grantId) {
        for (const [key, { grantId: of }] of records) if (of === grantId) records.delete(key);
      },
    };
  };
}
