/** Other libraries' keys in a tool's literal: the compile error shows the right key. */
import * as v from 'valibot';
import { defineTool } from '../../src/index.ts';
import { defineManualTool } from '../../src/modules/answers/entry.ts';

const base = { name: 'pay', description: 'Pays.' } as const;
// @ts-expect-error Type '() => string' is not assignable to type 'WriteInstead<"run">'.
defineTool({ ...base, run: () => 'ok', execute: () => 'ok' });
// @ts-expect-error ... is not assignable to type 'WriteInstead<"input">'.
defineTool({ ...base, inputSchema: v.object({}), run: () => 'ok' });
// @ts-expect-error Type '"read"' is not assignable to type 'LeaveOut<"its caller runs it">'.
defineManualTool({ ...base, effect: 'read' });
