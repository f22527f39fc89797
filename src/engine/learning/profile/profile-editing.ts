import { MAX_PROFILE_BYTES, type Profile, type ProfileLine, profileBytes } from "../../../contract/engine/profile.ts";
import { isoTime } from "../../../shared/clock.ts";
import { InvalidInput } from "../../../shared/parse.ts";
import { EngineError } from "../../engine-error.ts";
import type { ProfileFacts } from "../../memory/profile/profile-facts.ts";
import type { ProfileTable, StoredLine } from "../../memory/profile/profile-table.ts";
import type { WriteLane } from "../../memory/write-lane.ts";
import { containsSecret } from "../contains-secret.ts";
import { saysObject } from "./says-object.ts";

export interface EditingParts {
  readonly profile: ProfileTable;
  readonly profileFacts: ProfileFacts;
  readonly lane: WriteLane;
  /** Ends a fact within the caller's transaction. */
  readonly endFact: (id: string, now: number) => void;
  readonly now: () => number;
}

/** What a person reads, corrects and deletes of the profile page. */
export class ProfileEditing {
  readonly #parts: EditingParts;

  constructor(parts: EditingParts) {
    this.#parts = parts;
  }

  read(): Profile {
    const lines = this.#parts.profile.lines();
    return { lines: lines.map(shown), bytes: profileBytes(lines), max_bytes: MAX_PROFILE_BYTES };
  }

  /** No learning batch changes the line any more. Facts of which it no longer has the object are ended. */
  correct(id: string, text: string): Promise<ProfileLine> {
    const { profile, profileFacts, lane, endFact, now } = this.#parts;
    if (containsSecret(text))
      throw new InvalidInput("text", "expected no key, password or card number: models are shown the profile");
    return lane.run(() => {
      const line = this.#known(id);
      const written = text.trim();
      const others = profile.lines().filter((one) => one.id !== id && one.origin === "person");
      if (profileBytes([...others, { text: written }]) > MAX_PROFILE_BYTES)
        throw new InvalidInput("text", `expected at most ${MAX_PROFILE_BYTES} bytes in all corrected lines`);
      for (const fact of profileFacts.ofLine(id)) if (!saysObject(written, fact.object)) endFact(fact.id, now());
      if (line.text !== written || line.origin !== "person") profile.correct(id, written, now());
      return shown(this.#known(id));
    });
  }

  /** Ends the facts of the line, and those of the same rounds that say the same in other words. */
  delete(id: string): Promise<void> {
    const { profile, profileFacts, lane, endFact, now } = this.#parts;
    return lane.run(() => {
      const line = this.#known(id);
      const others = profileFacts.besideLine(id).filter(({ object }) => saysObject(line.text, object));
      for (const fact of [...profileFacts.ofLine(id), ...others]) endFact(fact.id, now());
      profile.delete(id, now());
    });
  }

  #known(id: string): StoredLine {
    const line = this.#parts.profile.find(id);
    if (line === null) throw new EngineError("NOT_FOUND", "no line of the profile has this id");
    return line;
  }
}

const shown = ({ id, section, text, origin, sources, createdAt, updatedAt }: StoredLine): ProfileLine => ({
  id,
  section,
  text,
  origin,
  sources,
  created_at: isoTime(createdAt),
  updated_at: isoTime(updatedAt),
});
