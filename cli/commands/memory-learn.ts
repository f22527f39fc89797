import { Argument } from "commander";
import { withEngine } from "../engine-of.ts";
import { CliFailure } from "../exit-codes.ts";
import { fields, safe, table } from "../output.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";

export const memoryLearnCommand: CommandMaker = (memory, settings) => {
  memory
    .command("learn <user>")
    .description("Have an engine learn now from turns that are over, instead of by itself later")
    .addHelpText("after", example("orchctl memory learn alice"))
    .action(async (user: string, _options: unknown, command) => {
      const session = sessionOf(command, settings);
      const batch = await withEngine(session, user, (engine) => engine.triggerLearning());
      session.print.document(batch, () =>
        fields(Object.entries(batch).map(([name, value]) => [name, safe(value as unknown)])),
      );
    });
};

export const memorySkillsCommand: CommandMaker = (memory, settings) => {
  memory
    .command("skills <user>")
    .addArgument(new Argument("[decision]", "what to do with one").choices(["allow", "refuse"]))
    .argument("[id]", "the skill's id, with a decision")
    .description("Skills that an engine has drafted from its own work; it uses none before you allow it")
    .addHelpText("after", example("orchctl memory skills alice allow sd_0198c1b2-…"))
    .action(
      async (user: string, decision: "allow" | "refuse" | undefined, id: string | undefined, _options, command) => {
        const session = sessionOf(command, settings);
        if (decision === undefined) return listSkills(session, user);
        if (id === undefined) throw new CliFailure("usage", `expected the id of the skill to ${decision}`);
        const decided = await withEngine(session, user, (engine) => engine.decideSkill(id, decision));
        session.print.document(decided, () => `${safe(decided.name)} is ${decided.state}`);
      },
    );
};

async function listSkills(session: Session, user: string): Promise<void> {
  const skills = await withEngine(session, user, (engine) => engine.skillDrafts());
  session.print.document({ skills }, () =>
    skills.length === 0
      ? "no skill has been drafted"
      : table(
          ["ID", "STATE", "TRUST", "NAME"],
          skills.map(({ id, state, trust, name }) => [id, state, trust, name]),
        ),
  );
}
