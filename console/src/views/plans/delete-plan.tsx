import { useState } from "preact/hooks";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { ChoiceField } from "../../parts/field.tsx";
import { asProblem } from "../../parts/problem.ts";
import { admin } from "../../session/clients.ts";

interface DeletePlanProps {
  readonly product: string;
  readonly plan: string;
  /** The product's other plans. */
  readonly others: readonly string[];
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Deletes a plan. Where engines have it, the daemon says how many, and another plan can take its place. */
export const DeletePlan = ({ product, plan, others, onClose, onDeleted }: DeletePlanProps) => {
  const [refusal, setRefusal] = useState<string | null>(null);
  const [replacement, setReplacement] = useState(others[0] ?? "");
  const { isBusy, run } = useAction();
  const isStuck = refusal !== null && others.length === 0;
  const remove = async () => {
    const isDone = await run(async () => {
      try {
        await admin.deletePlan(product, plan, refusal === null ? {} : { replaceBy: replacement });
      } catch (error) {
        const { code, message } = asProblem(error);
        if (code !== "PLAN_IN_USE") throw error;
        setRefusal(message.split(";")[0] ?? message);
        throw error;
      }
    }, `The plan ${plan} is deleted.`);
    if (isDone) onDeleted();
  };
  return (
    <Confirm
      title={`Delete the plan ${plan}`}
      action={refusal === null ? "Delete plan" : `Delete plan, give ${replacement}`}
      isBusy={isBusy || isStuck}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      {refusal === null && <p>Engines that have it are not changed: the plan then stays.</p>}
      {refusal !== null && (
        <p class="field-problem" role="alert">
          {refusal}.
        </p>
      )}
      {refusal !== null && others.length > 0 && (
        <ChoiceField
          label="Give them"
          value={replacement}
          choices={others.map((name) => [name, name])}
          onChange={setReplacement}
        />
      )}
      {isStuck && <p>The product has no other plan that they could have.</p>}
    </Confirm>
  );
};
