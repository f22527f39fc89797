import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { writeWhole } from "../write-whole.ts";

export const vectorsConvertCommand: CommandMaker = (vectors, settings) => {
  vectors
    .command("convert <file>")
    .description("Make the related words of a language from word vectors, in the text format of fastText and GloVe")
    .requiredOption("-o, --output <folder>", "the folder to write, for ENGINE_WORD_VECTORS")
    .addHelpText("after", example("orchctl vectors convert cc.de.300.vec --output /srv/word-vectors/de"))
    .action(async (file: string, { output }: { output: string }, command) => {
      const session = sessionOf(command, settings);
      // Loaded on use: no other command reads vectors.
      const { nearestTerms } = await import("../../src/shared/words/nearest-terms.ts");
      const { readWordVectors } = await import("../../src/shared/words/read-word-vectors.ts");
      const { RELATED_TERMS, relatedTermsFile } = await import("../../src/shared/words/related-terms-file.ts");
      const read = await readWordVectors(file).catch((error: unknown) => {
        throw new CliFailure("usage", `${file}: ${error instanceof Error ? error.message : String(error)}`);
      });
      const bytes = relatedTermsFile(read.terms, nearestTerms(read));
      mkdirSync(output, { recursive: true });
      const path = join(output, RELATED_TERMS);
      await writeWhole(path, new Blob([new Uint8Array(bytes)]).stream());
      // Engines that run as another user read it.
      chmodSync(path, 0o644);
      const made = { file: path, terms: read.terms.length, dimensions: read.dimensions, bytes: bytes.length };
      session.print.document(made, () => `${safe(path)} has the related words of ${made.terms} words`);
    });
};
