import { Argument } from "commander";
import { withEngine } from "../connect-engine.ts";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";
import { fields, table } from "../table.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";

export const memoryLearnCommand: CommandMaker = (memory, settings) => {
  memory
    .command("learn <user>")
    .description("Run a learning batch over finished turns now, instead of later by itself")
    .addHelpText("after", example("orchctl memory learn alice"))
    .action(async (user: string, _options: unknown, command) => {
      const session = sessionOf(command, settings);
      const batch = await withEngine(
        session,
        user,
        (engine) => engine.triggerLearning(),
        `learning from turns of ${user}`,
      );
      const rows = Object.entries(batch).map(([name, value]) => [name, safe(value as unknown)] as const);
      session.print.document(batch, (columns) => fields(rows, columns));
    });
};

export const memorySkillsCommand: CommandMaker = (memory, settings) => {
  memory
    .command("skills <user>")
    .addArgument(new Argument("[decision]", "what to do with a skill").choices(["allow", "refuse"]))
    .argument("[id]", "the skill's ID, with a decision")
    .description("List skills that an engine has drafted, or allow or refuse one; it uses only allowed ones")
    .addHelpText("after", example("orchctl memory skills alice allow sd_0198c1b2-…"))
    .action(
      async (user: string, decision: "allow" | "refuse" | undefined, id: string | undefined, _options, command) => {
        const session = sessionOf(command, settings);
        if (decision === undefined) return listSkills(session, user);
        if (id === undefined) throw new CliFailure("usage", `expected the ID of the skill to ${decision}`);
        const decided = await withEngine(session, user, (engine) => engine.decideSkill(id, decision));
        session.print.document(decided, () => `${safe(decided.name)} is ${decided.state}`);
      },
    );
};

async function listSkills(session: Session, user: string): Promise<void> {
  const skills = await withEngine(session, user, (engine) => engine.skillDrafts());
  session.print.document({ skills }, (columns) =>
    skills.length === 0
      ? "no skill drafts"
      : table(
          ["NAME", "STATE", "ID", "TRUST"],
          skills.map(({ id, state, trust, name }) => [name, state, id, trust]),
          columns,
        ),
  );
}
