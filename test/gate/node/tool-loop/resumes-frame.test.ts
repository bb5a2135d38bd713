import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineTool } from '../../../../src/index.ts';
import { createTestSession, type TestSession } from '../../../../src/testing/entry.ts';
import { hasOpenFrame } from '../../../doors/loop.ts';
import { callTools, createDiggingTool } from './scenes.ts';

describe('a call that opens a frame', () => {
  it('can detect whether an interrupted run has already opened its frame', async () => {
    const told: boolean[] = [];
    let isFirst = true;
    const dies = defineTool({
      name: 'die',
      description: 'Dies.',
      effect: 'idempotent', // The effect forces the outbox to store earlier events.
      run: () => {
        if (isFirst) session.kill();
        isFirst = false;
        return 'alive';
      },
    });
    const dig = createDiggingTool([dies]);
    const asks: AnyTool = {
      ...dig,
      call(input, call) {
        told.push(hasOpenFrame(call));
        return dig.call(input, call);
      },
    };
    const agent = defineAgent({ name: 'clerk', description: 'Digs.', instructions: '', tools: [asks] });
    const session: TestSession = createTestSession(agent, {
      replies: [callTools('dig'), callTools('die'), 'Dug.', 'Done.'],
      warm: true,
    });
    await session.send('Go.');
    expect(told).toEqual([false, true]);
  });
});
