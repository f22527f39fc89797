import type { WebhookOptions } from "@orchd/client";
import { ChoiceField, TextField } from "../../parts/field.tsx";

interface ModelFieldsProps {
  readonly model: {
    readonly label: string;
    readonly value: string;
    readonly problem?: string | null;
    readonly onInput: (value: string) => void;
  };
  readonly effort: string;
  readonly onEffort: (effort: string) => void;
}

type Effort = NonNullable<WebhookOptions["effort"]>;
const EFFORTS = ["low", "medium", "high"] as const satisfies readonly Effort[];
const CHOICES = [["", "the agent's"], ...EFFORTS.map((effort) => [effort, effort] as const)] as const;

/** The model and the effort of the turns of a schedule or a webhook. */
export const ModelFields = ({ model, effort, onEffort }: ModelFieldsProps) => (
  <>
    <TextField {...model} hint="Empty: the agent's." isCode />
    <ChoiceField label="Effort" value={effort} choices={CHOICES} onChange={onEffort} />
  </>
);

/** The fields that were chosen. */
export function modelChoice(model = "", effort = ""): { readonly model?: string; readonly effort?: Effort } {
  const chosen = EFFORTS.find((one) => one === effort);
  return { ...(model.trim() !== "" && { model: model.trim() }), ...(chosen !== undefined && { effort: chosen }) };
}
