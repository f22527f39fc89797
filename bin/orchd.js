#!/usr/bin/env -S node --max-semi-space-size=8
// The option saves 50 MB of memory for short-lived objects, and costs no speed.
import { launch } from "./launch.js";

await launch("orchd");
