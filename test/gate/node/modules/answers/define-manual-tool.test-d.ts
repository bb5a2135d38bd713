import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import type { Tool } from '../../../../../src/index.ts';
import { defineManualTool } from '../../../../../src/modules/answers/entry.ts';

const base = { description: 'Is run by the caller.' };

expectTypeOf(defineManualTool({ ...base, name: 'ask', input: v.object({ what: v.string() }) })).toEqualTypeOf<
  Tool<'ask', { what: string }>
>();
defineManualTool({ ...base, name: 'ask', expires: 1_000 });
// @ts-expect-error the caller runs a manual tool
defineManualTool({ ...base, name: 'both', run: () => 'ok' });
// @ts-expect-error the effect of a manual tool is unknown
defineManualTool({ ...base, name: 'effect', effect: 'read' });
