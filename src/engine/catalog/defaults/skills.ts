import type { SkillDefinition } from "../skill-file.ts";

/** Skills that ship with every engine, in the format of the Agent Skills specification. */
export const SHIPPED_SKILLS: readonly SkillDefinition[] = [
  {
    name: "research-report",
    description:
      "How to answer a larger question with a written report that names its sources. Use when the user asks for a report, an overview, a comparison or a well-founded recommendation.",
    shipped: `# A report with sources

1. **Scope.** Write the question in one sentence, who reads the report and what they will decide by it. If two readings of the question lead to different reports, ask.
2. **Parts.** List three to seven sub-questions. Each must change the answer; drop the rest.
3. **Gather.** For each part look for two independent sources. Prefer the original to a report about it. Keep for every fact: what it says, where (file and line, or address), of when, and who says it.
4. **Weigh.** Put contradicting sources beside each other and say which you follow and why. Age, interest and distance from the fact count. Mark what rests on a single source.
5. **Write**, in this order:
   - the answer, in at most five sentences, with how sure you are
   - the reasons, one section for each part, every fact with its source
   - a table where more than two things are compared by more than two properties
   - what is not known, and what would settle it
   - the sources
6. **Check.** Go through every number, name and date once more against its source. Take out what you cannot point to.

Write it to a file of the workspace (\`reports/<subject>.md\`) when it is longer than a page, and give the user the answer and the path.
`,
  },
  {
    name: "analyse-data",
    description:
      "How to look into tables and data files (CSV, TSV, JSON, JSON lines, spreadsheets saved as text, logs) and report figures that are right. Use when the user gives data or asks for totals, trends, outliers or a chart.",
    shipped: `# Figures that are right

1. **Look first.** List the files with their sizes. Read the first and the last twenty lines, never a whole large file. Note: separator, header, columns and their types, units, time zone, encoding, what stands for a missing value.
2. **Count.** Rows, rows without each column, repeated keys, smallest and largest value of each column. Compare with what the user expects; a surprise here is worth a question before anything else.
3. **Compute with a program**, not in your head: a short script in the workspace (\`analysis/\`), run with run_command, that reads the file as it is and prints the figures. Leave the data file untouched. Without run_command say that figures are estimates from what you read.
4. **Mind these.** Numbers as text, commas as decimal points, dates of two orders, totals among the rows, the same thing spelled in two ways, averages of averages, per cent of what, a few rows that make the whole effect, an unfinished last period.
5. **Check.** Work out one figure in a second way. Parts have to add up to the whole.
6. **Report** the answer first, then the figures it rests on with units and number of rows, what was left out and why, and the script's path, so that it can be run again.
`,
  },
  {
    name: "find-a-fault",
    description:
      "How to find out why something does not work - a program, a configuration, a calculation, a process - and mend its cause. Use when the user reports an error, a wrong result or something that fails only now and then.",
    shipped: `# From symptom to cause

1. **Say what is wrong**: what was done, what came out, what was expected. Get the exact words of the error. If you do not have them, get them first.
2. **Make it happen.** Find the smallest way to see it again and note it. If it comes only now and then, find out what differs: input, order, time, load, place.
3. **What changed** since it last worked? Version, data, settings, surroundings.
4. **Halve.** Think of the way from input to symptom and look in the middle: still right there? Go on in the half where it turns wrong. Look at the values themselves, not at what they should be.
5. **One guess at a time.** Write it down with what you would see if it were true and if it were not, then look. Change one thing, and undo it if it did not help.
6. **The cause** is found when you can say why the symptom looks exactly as it does and can make it come and go. If you cannot, you have not found it.
7. **Mend the cause**, as small as possible. See that the way of step 2 now goes well, and that what worked before still does. Where there are tests, add one that would have caught it.
8. **Tell**: the cause, the change, how it was checked, and where the same mistake may stand elsewhere.
`,
  },
];
