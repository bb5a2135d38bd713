/** Runs before `wrangler dev` in `npm run dev`: creates a missing `.dev.vars`. */
import { ensureDevVars } from './dev-vars.ts';
import { root } from './worker-process.ts';

const line = ensureDevVars(root);
if (line !== undefined) console.log(line);
