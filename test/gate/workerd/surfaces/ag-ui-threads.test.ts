/** AG-UI threads in a list: the example reads the index, and opens a thread with the official client. */
import { expect, it } from 'vitest';
import { agUi } from '../../../../src/examples/ag-ui/ag-ui.ts';
import { listThreads, openThread } from '../../../../src/examples/ag-ui/threads.ts';
import { sessionIndex } from '../../../../src/modules/index/entry.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { ORIGIN } from '../http/client.ts';
import { createTenant } from '../modules/index/indexed.ts';

it('a thread that began over AG-UI is listed under its id, and opens with its messages', async () => {
  const { via } = createTenant({ use: [agUi(), sessionIndex()] });
  const fetch = async (url: string, init?: object) => via(url.replace(ORIGIN, ''), init);
  const place = { url: ORIGIN, token: 'a-token', agent: 'indexed', fetch };
  expect(await listThreads(place)).toEqual({ threads: [], next: null });
  const id = crypto.randomUUID();
  const content = registerScript('It is on its way.').message('Where is my order?');
  const first = openThread(place, id);
  first.addMessage({ id: 'm1', role: 'user', content });
  await first.runAgent();
  const thread = {
    id,
    name: expect.stringMatching(/^Where is my order\?/),
    updatedAt: expect.stringMatching(/^20.*Z$/),
    isUnread: true,
    status: 'idle',
  };
  await expect.poll(() => listThreads(place)).toEqual({ threads: [thread], next: null });
  const again = openThread(place, id);
  await again.runAgent();
  expect(again.messages.map((message) => [message.role, message.content])).toEqual([
    ['user', content],
    ['assistant', 'It is on its way.'],
  ]);
});
