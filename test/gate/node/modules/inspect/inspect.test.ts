import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../../../../src/index.ts';
import { inspect, type LoopInspector } from '../../../../../src/modules/inspect/entry.ts';
import { createTestSession } from '../../../../../src/testing/entry.ts';

const clerk = { name: 'clerk', description: 'Works.', instructions: 'Work.' };

describe('`inspect`', () => {
  it('runs all inspectors of an app and its agent, those of the app first', async () => {
    const seen: string[] = [];
    const createNotingInspector = (name: string): LoopInspector => ({
      afterModelCall: () => seen.push(name),
    });
    const agent = defineAgent({
      ...clerk,
      use: [
        inspect(createNotingInspector('a'), createNotingInspector('b')),
        inspect(createNotingInspector('c')),
      ],
    });
    await createTestSession(agent, { replies: ['Done.'], use: [inspect(createNotingInspector('app'))] }).send(
      'Go.',
    );
    expect(seen).toEqual(['app', 'a', 'b', 'c']);
  });

  it('refuses a value that is not an object, such as a function', () => {
    const given = (() => {}) as unknown as LoopInspector; // as untyped code may
    expect(() => inspect({}, given)).toThrow(
      new TypeError(
        'inspect: the inspector at index 1 must be an object with functions, such as loggingInspector().',
      ),
    );
  });
});
