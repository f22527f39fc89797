import type { SetUserSecretRequest } from "@orchd/client";
import { useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { ChoiceField, TextField } from "../../parts/field.tsx";

interface SetSecretProps {
  readonly isBusy: boolean;
  readonly onSet: (name: string, secret: SetUserSecretRequest) => void;
  readonly onClose: () => void;
}

const PLACES = [
  ["header", "header Authorization: Bearer"],
  ["basic", "password of basic authentication"],
  ["query", "parameter of the query"],
  ["body", "body"],
] as const;
type Place = (typeof PLACES)[number][0];

/** Asks for a secret. Its value is sent, and shown nowhere again. */
export const SetSecret = ({ isBusy, onSet, onClose }: SetSecretProps) => {
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [hosts, setHosts] = useState("");
  const [place, setPlace] = useState<Place>("header");
  const listed = hosts.split(/[\s,]+/).filter((host) => host !== "");
  return (
    <Dialog title="Set a secret" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSet(name, { value, hosts: listed, place });
        }}
      >
        <TextField label="Name" value={name} onInput={setName} placeholder="GITHUB" isCode autoFocus />
        <TextField label="Value" value={value} onInput={setValue} isHidden />
        <TextField
          label="Hosts"
          value={hosts}
          onInput={setHosts}
          placeholder="api.github.com, github.com"
          hint="It is sent to these and to no others."
        />
        <ChoiceField
          label="Place"
          value={place}
          choices={PLACES}
          onChange={(chosen) => setPlace(PLACES.find(([one]) => one === chosen)?.[0] ?? "header")}
        />
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" disabled={isBusy || name === "" || value === "" || listed.length === 0}>
            Set secret
          </button>
        </div>
      </form>
    </Dialog>
  );
};
