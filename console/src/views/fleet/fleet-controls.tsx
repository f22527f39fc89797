import { products } from "../../live/fleet.ts";
import { formatCount } from "../../parts/format.ts";
import { SearchField } from "../../parts/search-field.tsx";
import { type StateGroup, STATE_GROUPS } from "../../parts/state-badge.tsx";
import { setQuery } from "../../routing/address.ts";
import type { FleetFilter } from "./fleet-filter.ts";

interface ControlsProps {
  readonly filter: FleetFilter;
  readonly counts: ReadonlyMap<StateGroup, number>;
}

/** Search, product and state. Each is in the address. */
export const FleetControls = ({ filter, counts }: ControlsProps) => (
  <div class="controls" role="search">
    <SearchField placeholder="Search users" value={filter.search} onInput={(q) => setQuery({ q })} />
    <select
      aria-label="Product"
      value={filter.product}
      onChange={({ currentTarget }) => setQuery({ product: currentTarget.value })}
    >
      <option value="">All products</option>
      {[...(products.value?.values() ?? [])].map(({ id, slug }) => (
        <option key={id} value={slug}>
          {slug}
        </option>
      ))}
    </select>
    <div class="chips" role="group" aria-label="State">
      {STATE_GROUPS.map((group) => (
        <button
          key={group}
          type="button"
          class={`chip state ${group}`}
          aria-pressed={filter.group === group}
          onClick={() => setQuery({ state: filter.group === group ? "" : group })}
        >
          <span class="dot" aria-hidden="true" />
          {group} <b>{formatCount(counts.get(group))}</b>
        </button>
      ))}
    </div>
  </div>
);
