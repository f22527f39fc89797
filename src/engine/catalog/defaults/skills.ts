import type { SkillDefinition } from "../skill-file.ts";

/** Skills that ship with every engine, in the format of the Agent Skills specification. */
export const SHIPPED_SKILLS: readonly SkillDefinition[] = [
  {
    name: "research-report",
    description:
      "How to answer a larger question with a written report that names its sources. Use when the user asks for a report, an overview, a comparison or a well-founded recommendation.",
    shipped: `# A report with sources

1. **Scope.** Write the question in one sentence. Write who reads the report and what they will decide. If two readings of the question lead to different reports, ask.
2. **Parts.** List three to seven sub-questions. Drop a sub-question that cannot change the answer.
3. **Gather.** Find two independent sources for each part. Prefer the original to a report about it. Keep for each fact: the statement, the source (file and line, or address), its date, its author.
4. **Weigh.** Put contradicting sources side by side. Say which you follow and why. Consider age, interest and distance from the fact. Mark a fact with a single source.
5. **Write**, in this order:
   - the answer, in at most five sentences, with how sure you are
   - the reasons, one section for each part, every fact with its source
   - a table, if you compare more than two things by more than two properties
   - what is unknown, and what would settle it
   - the sources
6. **Check.** Compare every number, name and date with its source. Remove what has no source.

If the report is longer than a page, write it to a file of the workspace (\`reports/<subject>.md\`). Give the user the answer and the path.
`,
  },
  {
    name: "analyse-data",
    description:
      "How to look into tables and data files (CSV, TSV, JSON, JSON lines, spreadsheets saved as text, logs) and report figures that are right. Use when the user gives data or asks for totals, trends, outliers or a chart.",
    shipped: `# Figures that are right

1. **Look first.** List the files with their sizes. Read the first and the last twenty lines, never a whole large file. Note: separator, header, columns and their types, units, time zone, encoding, marks for missing values.
2. **Count.** Rows, rows without each column, duplicate keys, minimum and maximum of each column. Compare with what the user expects. Ask about a surprise before you go on.
3. **Compute with a program**, not in your head. Write a short script in the workspace (\`analysis/\`) that reads the unchanged data file and prints the figures. Run it with run_command. Without run_command, say that the figures are estimates.
4. **Watch for** numbers as text, decimal commas, mixed date orders, totals among the rows, one thing spelled in two ways, averages of averages, percentages without a base, a few rows that make the whole effect, an unfinished last period.
5. **Check.** Compute one figure in a second way. Parts must add up to the whole.
6. **Report** the answer first. Then give the figures behind it with units and number of rows, what you left out and why, and the path of the script.
`,
  },
  {
    name: "find-a-fault",
    description:
      "How to find out why something does not work - a program, a configuration, a calculation, a process - and fix its cause. Use when the user reports an error, a wrong result or something that fails only now and then.",
    shipped: `# From symptom to cause

1. **State the fault**: what was done, what came out, what was expected. Get the exact error text first.
2. **Reproduce it.** Find the smallest way and note it. If it fails only now and then, find out what differs: input, order, time, load, machine.
3. **What changed** since it last worked? Version, data, settings, environment.
4. **Bisect.** Look in the middle between input and symptom: still right there? Go on in the half where it turns wrong. Look at the actual values, not the expected ones.
5. **One guess at a time.** Write down what you would see if it were true and if it were not. Then look. Change one thing, and undo it if it did not help.
6. **Prove the cause.** You have found it when you can explain the exact symptom and can make it come and go.
7. **Fix the cause** with the smallest change. Check that step 2 now succeeds and that the rest still works. If there are tests, add one that would have caught it.
8. **Report** the cause, the change, how you checked it, and where the same mistake may be.
`,
  },
];
