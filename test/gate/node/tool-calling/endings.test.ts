import { expect, it } from 'vitest';
import { discoveryIn } from '../../../../src/kinds/entry.ts';
import type { ModelReply } from '../../../../src/model/entry.ts';
import { decorate } from '../../../../src/modules/decorators/entry.ts';
import {
  createToolCallingManager,
  defineToolCallingOptions,
} from '../../../../src/modules/tool-calling/entry.ts';
import { createReadingTool } from '../tool-loop/scenes.ts';

it('the cleanup functions of a call all run after the calls of the reply, even if one of them throws', async () => {
  const happened: string[] = [];
  const look = createReadingTool('look', () => void happened.push('look'));
  const ends = decorate(look, {
    call(input, call) {
      discoveryIn(call).atEnd(() => {
        happened.push('end');
        throw new Error('No.');
      });
      discoveryIn(call).atEnd(async () => happened.push('end again'));
      return look.call(input, call);
    },
  });
  const reply: ModelReply = {
    text: '',
    toolCalls: [{ id: 'p', name: 'look', input: '{}' }],
    finish: 'tool-calls',
  };
  const options = defineToolCallingOptions({ tools: [ends] });
  await createToolCallingManager({}).executeToolCalls([{ role: 'user', text: 'Go.' }], reply, options);
  expect(happened).toEqual(['look', 'end', 'end again']);
});
