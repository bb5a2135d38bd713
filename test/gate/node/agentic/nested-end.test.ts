/** A nested loop that ended in a way that says nothing of itself: whoever called is told how. */

import { expect, it } from 'vitest';
import { defineAgenticTool } from '../../../../src/kinds/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { scriptedModel } from '../../../../src/testing/entry.ts';
import { memoryLoop, runToolLoop } from '../../../doors/loop.ts';
import { does } from '../unfolding/scenes.ts';

it('a nested loop without a reason for its end is told by its outcome', async () => {
  const dig = defineAgenticTool({
    name: 'dig',
    description: 'Digs.',
    input: jsonSchema({ type: 'object' }),
    tools: [does('look')],
  });
  const model = scriptedModel([{ calls: [{ name: 'dig' }] }, 'I could not.']);
  const { loop } = memoryLoop({ tools: [dig], model, message: 'Go.', inSession: true });
  await runToolLoop({ ...loop, run: async () => ({ outcome: 'cancelled' }) });
  expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({
    role: 'tool',
    text: 'Error: The nested loop ended as cancelled.',
  });
});
