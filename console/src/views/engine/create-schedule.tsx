import type { ScheduleOptions } from "@orchd/client";
import { useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { ChoiceField, TextField } from "../../parts/field.tsx";
import { notify } from "../../parts/notices.tsx";
import { ModelFields, modelChoice } from "./model-fields.tsx";
import { asProblem, fieldProblem } from "../../parts/problem.ts";

interface CreateScheduleProps {
  readonly create: (schedule: ScheduleOptions) => Promise<unknown>;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

type Kind = ScheduleOptions["timing"]["kind"];
const KINDS = [
  ["cron", "by a cron expression"],
  ["every", "every so many minutes"],
  ["at", "once"],
] as const satisfies readonly (readonly [Kind, string])[];

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What a schedule sends, and when. The daemon checks the fields. */
export const CreateSchedule = ({ create, onClose, onCreated }: CreateScheduleProps) => {
  const [kind, setKind] = useState<Kind>("cron");
  const [inputs, setInputs] = useState<Readonly<Record<string, string>>>({
    cron: "0 8 * * *",
    time_zone: HERE,
    every: "60",
  });
  const [effort, setEffort] = useState("");
  const [problem, setProblem] = useState<{ readonly field: string; readonly text: string } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const input = (name: string, label: string) => ({
    label,
    value: inputs[name] ?? "",
    problem: problem?.field === name ? problem.text : null,
    onInput: (value: string) => setInputs((known) => ({ ...known, [name]: value })),
  });
  const submit = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await create({ ...scheduleOf(kind, inputs), ...modelChoice(inputs["model"], effort) });
      notify("done", "The schedule is created.");
      onCreated();
    } catch (error) {
      const failure = asProblem(error);
      const named = fieldProblem(failure);
      const field = named === null ? null : (INPUTS[named.field] ?? null);
      if (named !== null && field !== null) setProblem({ field, text: named.text });
      else notify("problem", `${failure.message} (${failure.code})`);
      setBusy(false);
    }
  };
  return (
    <Dialog title="New schedule" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TextField {...input("name", "Name")} autoFocus />
        <TextField {...input("message", "Message")} isLong />
        <ChoiceField
          label="When"
          value={kind}
          choices={KINDS}
          onChange={(value) => setKind(KINDS.find(([one]) => one === value)?.[0] ?? "cron")}
        />
        {kind === "cron" && (
          <>
            <TextField {...input("cron", "Cron expression")} hint="Minute, hour, day, month, day of week." isCode />
            <TextField {...input("time_zone", "Time zone")} />
          </>
        )}
        {kind === "every" && <TextField {...input("every", "Minutes")} inputMode="decimal" />}
        {kind === "at" && (
          <TextField {...input("at", "Time")} placeholder="2026-12-24T18:00" hint="In this browser's time." />
        )}
        <ModelFields model={input("model", "Model")} effort={effort} onEffort={setEffort} />
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy}>
            Create schedule
          </button>
        </div>
      </form>
    </Dialog>
  );
};

/** The input for each field that the daemon names. */
const INPUTS: Readonly<Record<string, string>> = {
  name: "name",
  message: "message",
  model: "model",
  "timing.cron": "cron",
  "timing.time_zone": "time_zone",
  "timing.every_s": "every",
  "timing.at": "at",
};

function scheduleOf(kind: Kind, inputs: Readonly<Record<string, string>>): ScheduleOptions {
  const text = (name: string) => (inputs[name] ?? "").trim();
  const shared = { name: text("name"), message: inputs["message"] ?? "" };
  switch (kind) {
    case "cron":
      return { ...shared, timing: { kind, cron: text("cron"), time_zone: text("time_zone") } };
    case "every":
      return { ...shared, timing: { kind, every_s: Math.round(Number(text("every")) * 60) } };
    case "at": {
      const at = new Date(text("at"));
      return { ...shared, timing: { kind, at: Number.isNaN(at.getTime()) ? text("at") : at.toISOString() } };
    }
    default:
      return kind satisfies never;
  }
}
