/** Runs before `wrangler dev` in `npm run dev`: makes sure that there is a `.dev.vars`. */
import { ensureDevVars } from './dev-vars.ts';
import { root } from './worker-process.ts';

const line = ensureDevVars(root);
if (line !== undefined) console.log(line);
