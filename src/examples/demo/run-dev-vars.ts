/** Creates `.dev.vars` if it is missing. `npm run dev` runs it before `wrangler dev`. */
import { ensureDevVars } from './dev-vars.ts';
import { root } from './worker-process.ts';

const line = ensureDevVars(root);
if (line !== undefined) console.log(line);
