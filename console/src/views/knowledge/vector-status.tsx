import type { ProductKnowledge } from "@orchd/client";
import { formatCount } from "../../parts/format.ts";

interface VectorStatusProps {
  readonly embeddings: NonNullable<ProductKnowledge["embeddings"]>;
}

/** How many passages are found by their meaning too, and why others are not. */
export const VectorStatus = ({ embeddings: { model, embedded, waiting, last_error: error } }: VectorStatusProps) => (
  <>
    <p class="dim">
      {formatCount(embedded)} passages have vectors of <bdi>{model}</bdi>
      {waiting > 0 && `, ${formatCount(waiting)} wait for one and are found by words`}.
    </p>
    {error !== null && (
      <p>
        The last call of the embeddings endpoint failed: <bdi>{error}</bdi>
      </p>
    )}
  </>
);
