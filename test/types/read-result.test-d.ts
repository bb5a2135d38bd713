import { describe, expectTypeOf, it } from 'vitest';
import { defineAgent, readResult, type ToolInput } from '../../src/index.ts';
import { after, definePlaybook } from '../../src/kinds/entry.ts';

describe('readResult', () => {
  it('has a literal name and a typed input', () => {
    expectTypeOf(readResult().name).toEqualTypeOf<'read_result'>();
    expectTypeOf<ToolInput<ReturnType<typeof readResult>>>().toEqualTypeOf<{
      readonly result: string;
      readonly from?: number;
    }>();
  });

  it('is listed like any tool, and conditions refer to it by name', () => {
    const look = readResult();
    defineAgent({ name: 'a', description: 'A.', instructions: '', tools: [look] });
    definePlaybook({ name: 'p', description: 'P.', tools: [look], locked: [] });
    definePlaybook({
      name: 'p',
      description: 'P.',
      tools: [look],
      // @ts-expect-error: no tool of the playbook has this name
      locked: [{ tool: look, unlockedBy: after('read_results') }],
    });
    // @ts-expect-error: it takes no options
    readResult({ characters: 5 });
  });
});
