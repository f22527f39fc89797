const folder = process.env["NODE_COMPILE_CACHE"];

/** For the environment of a built program: the compile cache of the test run. Empty in a file that runs without tap. */
export const compileCache = folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
