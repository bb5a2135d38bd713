import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import {
  type AnyTool,
  defineTextTool,
  defineTool,
  type Tool,
  type ToolResult,
} from '../../../../../src/index.ts';
import { definePipeline } from '../../../../../src/kinds/entry.ts';

const base = { description: 'Does something.', effect: 'read' } as const;
const find = defineTool({
  ...base,
  name: 'find',
  input: v.object({ top: v.optional(v.number(), 3) }),
  run: ({ top }) => ({ rows: [top] }),
});
const shout = defineTextTool({ ...base, name: 'shout', run: (input) => input.toUpperCase() });

// A pipeline has its first step's input, its last step's output, and its name as a literal.
const named = definePipeline({ name: 'both', steps: [find, shout] });
expectTypeOf(named).toEqualTypeOf<Tool<'both', { top: number }, string>>();

const adapted = definePipeline({
  steps: [
    {
      tool: shout,
      adapt: (result) => {
        expectTypeOf(result).toEqualTypeOf<ToolResult>();
        return { top: result.content.length };
      },
    },
    find,
  ],
  onFailure: 'continue',
});
expectTypeOf(adapted).toEqualTypeOf<Tool<string, string, { rows: number[] }>>();

expectTypeOf(definePipeline({ name: 'none', steps: [] })).toEqualTypeOf<Tool<'none', string, string>>();

// Steps that are known only at run time.
export const createUntypedPipeline = (steps: readonly AnyTool[]): AnyTool =>
  definePipeline({ name: 'any', steps });
export const tools: readonly AnyTool[] = [named, adapted];

// @ts-expect-error an adapter needs a step
definePipeline({ steps: [find, { adapt: () => 'x' }] });

// @ts-expect-error a number is not an input
definePipeline({ steps: [{ tool: find, adapt: () => 3 }, shout] });

// @ts-expect-error there is no such policy
definePipeline({ steps: [find], onFailure: 'retry' });

// @ts-expect-error a pipeline needs steps
definePipeline({ name: 'steps' });
