/** The daemon's address. The console is at `console/` below it, and the daemon may be below a path itself. */
export const BASE_URL = new URL("..", document.baseURI).href;
