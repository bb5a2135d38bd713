import { expect, it } from 'vitest';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createSessionPath, post, readSentEvents, readUntil, SSE_HEADERS, send } from '../http/client.ts';

it('a message that the model schedules starts a turn for the same caller, with their context', async () => {
  const session = createSessionPath('marathon');
  const later = { name: 'schedule_message', input: { message: 'Look again.', when: 'in 0 seconds' } };
  const { message } = registerScript({ calls: [later] }, 'I will.', 'I have looked again.');
  await post(session, { message: message(), context: { locale: 'de' } });
  const events = readSentEvents(await send(`${session}/events`, { headers: SSE_HEADERS }));
  await readUntil(events, 'turn-ended');
  const second = await readUntil(events, 'turn-ended');
  await events.return(undefined);
  expect(second[0]).toMatchObject({
    event: 'turn-started',
    data: { message: 'Look again.', context: { locale: 'de' }, principal: { id: 'local' } },
  });
  expect(second.map(({ event }) => event)).toEqual(['turn-started', 'model-replied', 'turn-ended']);
});
