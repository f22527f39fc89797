import * as z from "zod/mini";
import { byteLength, characters } from "../../shared/parse.ts";
import { type RecordOf, field, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";

/** The sections of the profile page, in its order. */
export const PROFILE_SECTIONS = ["about", "people", "work", "preferences", "plans"] as const;
export type ProfileSection = (typeof PROFILE_SECTIONS)[number];

/** Characters of a line, and bytes of all lines. */
export const MAX_LINE_LENGTH = 200;
export const MAX_PROFILE_BYTES = 2048;

export const profileBytes = (lines: readonly { readonly text: string }[]): number =>
  lines.reduce((sum, line) => sum + byteLength(line.text), 0);

const lineId = field(text, "The line's id.", "pl_01jd3vbf5c");

const profileLine = record("ProfileLine", "A line of the profile page.", {
  id: lineId,
  section: field(z.enum(PROFILE_SECTIONS), "The section of the page.", "about"),
  text: field(text, "What the line says.", "Lives in Lyon."),
  origin: field(
    z.enum(["learned", "person"]),
    "`learned`: a learning batch wrote it. `person`: a person has corrected it, and no batch changes it.",
    "learned",
  ),
  sources: field(z.array(text), "The ids of the rounds that it derives from.", ["ep_01jd3va0xk"]),
  created_at: field(time, "When the line was written first."),
  updated_at: field(time, "When its text was written."),
});
export type ProfileLine = RecordOf<typeof profileLine>;

const profile = record("Profile", "The profile page: what the user has said of themselves, in short.", {
  lines: field(z.array(profileLine), "The lines in the order of the page."),
  bytes: field(count, "Bytes of the lines' texts.", 640),
  max_bytes: field(count, "Most bytes that they take.", MAX_PROFILE_BYTES),
});
export type Profile = RecordOf<typeof profile>;

/** A person's text of a line. */
export const correctProfileRequest = z.object({
  text: field(
    characters(1, MAX_LINE_LENGTH).check(
      z.refine((value) => value.trim() !== "", { error: "expected more than white space", abort: true }),
      z.refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), {
        error: "expected one line without control characters and broken surrogates",
      }),
    ),
    `What the line says from now on: 1 to ${MAX_LINE_LENGTH} characters, one line.`,
    "Lives in Paris.",
  ),
});

/** The bodies of the routes of the profile. */
export const PROFILE_RESPONSES = {
  Profile: profile,
  ProfileLine: profileLine,
  ProfileLineDeleted: z
    .object({ id: lineId, deleted: field(z.literal(true), "Always `true`.") })
    .check(z.meta({ description: "A line that a person has deleted." })),
} as const satisfies Record<string, z.ZodMiniType>;
