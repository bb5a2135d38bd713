import { LOOPS } from '../../loop/loop-seams.ts';
import { createModule, useOf } from '../../tool/module-use.ts';
import { discoverTools } from './discover-tools.ts';
import { LISTINGS } from './memory.ts';

/** The module of sources outside, which list their tools: whatever has `discover` names it in its `uses`. */
export const LISTED_TOOLS = useOf(createModule({ name: 'listings', nested: true, state: [LISTINGS] }));

LOOPS.give(LISTED_TOOLS, { prepare: discoverTools });
