/** The short form is part of every test run; `npm run test:faults` runs the long one. */
export const LONG = process.env["ORCHD_FAULTS"] === "long";
