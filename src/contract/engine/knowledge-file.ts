/** Changes with the format: a daemon of another release then makes the file again. */
const FORMAT = 3;

/** In the catalog's folder of a product: a folder for each version of its knowledge, named by its digest. */
export const KNOWLEDGE_FOLDER = "knowledge";

/** The file of a version in its folder. */
export const KNOWLEDGE_FILE = `knowledge-${FORMAT}.sqlite`;
