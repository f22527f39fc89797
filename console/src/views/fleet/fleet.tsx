import { useComputed } from "@preact/signals";
import { engines, products, slugOf } from "../../live/fleet.ts";
import { useSamples } from "../../live/samples.ts";
import { Empty } from "../../parts/empty.tsx";
import { SamplePlots } from "../../parts/sample-plots.tsx";
import { address, linkTo, setQuery } from "../../routing/address.ts";
import { admin } from "../../session/clients.ts";
import { FleetControls } from "./fleet-controls.tsx";
import { countGroups, filterFleet, readFilter } from "./fleet-filter.ts";
import { FleetTable } from "./fleet-table.tsx";
import { HostBar } from "./host-bar.tsx";

/** Every engine of every product, live. */
export const Fleet = () => {
  const samples = useSamples((signal) => admin.samples({ signal }), ["host"]);
  const filter = useComputed(() => readFilter(address.value.query));
  const rows = useComputed(() => filterFleet(engines.value?.values() ?? [], filter.value, slugOf));
  const counts = useComputed(() => countGroups(engines.value?.values() ?? [], filter.value, slugOf));
  return (
    <div class="fleet">
      <h1>Fleet</h1>
      <HostBar />
      {samples.data !== null && <SamplePlots series={samples.data} />}
      <FleetControls filter={filter.value} counts={counts.value} />
      {engines.value === null ? (
        <p class="dim" aria-busy="true">
          Reading engines
        </p>
      ) : rows.value.length > 0 ? (
        <FleetTable rows={rows.value} filter={filter.value} />
      ) : (
        <NoEngines isFiltered={engines.value.size > 0} />
      )}
    </div>
  );
};

const NoEngines = ({ isFiltered }: { readonly isFiltered: boolean }) => {
  if (isFiltered)
    return (
      <Empty title="No engine fits these filters.">
        <button type="button" onClick={() => setQuery({ q: "", product: "", state: "" })}>
          Show all engines
        </button>
      </Empty>
    );
  const [product] = products.value?.values() ?? [];
  return product === undefined ? (
    <Empty title="There is no product yet.">
      <p>
        A product is an application whose users get engines. <a href={linkTo("/products/new")}>Register one</a>
      </p>
    </Empty>
  ) : (
    <Empty title="There is no engine yet." command={`orchctl engines provision alice --product ${product.slug}`}>
      <p>A product's backend creates one for each of its users. To try it by hand:</p>
    </Empty>
  );
};
