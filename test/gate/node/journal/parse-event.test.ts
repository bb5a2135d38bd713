import { expect, it } from 'vitest';
import { NewerEventError, parseBodies, parseEvent, toRow } from '../../../doors/journal.ts';
import { createModelReplied } from './journal.ts';

it('the row of an event has separate columns for its type and turn, so that its body need not be parsed', () => {
  const row = toRow(createModelReplied(['a look']));
  expect(row).toMatchObject({ type: 'model-replied', turn: 't1' });
  expect(toRow({ type: 'session-opened', incarnation: 'i', agent: 'a' }).turn).toBe('');
});

it('an event is unchanged after it is written and read', () => {
  const event = createModelReplied(['a __proto__'], {
    text: '\u2028"{',
    usage: { inputTokens: 1, outputTokens: 2 },
  });
  expect(parseEvent({ ...toRow(event), seq: 7, at: 99 })).toEqual({ seq: 7, at: 99, ...event });
});

it('an event of a newer version causes a NewerEventError', () => {
  const row = { type: 'x', turn: '', body: '{"v":99,"type":"x"}', seq: 7, at: 0 };
  expect(() => parseEvent(row)).toThrow(NewerEventError);
  expect(() => parseEvent(row)).toThrow(
    'Event 7 was written by a newer version of this Worker. Try again when the deployment is complete.',
  );
});

it('an event of an unknown type causes an error at any version', () => {
  const row = { type: 'turn-noted', turn: 't1', body: '{"v":1,"type":"turn-noted"}', seq: 7, at: 0 };
  expect(() => parseEvent(row)).toThrow(
    'Event 7 was written by a newer version of this Worker. Try again when the deployment is complete.',
  );
});

it('an event whose body has a newer version causes an error', () => {
  expect(() => parseBodies('[{"v":1,"type":"turn-started"},{"v":99,"type":"turn-started"}]')).toThrow(
    'An event was written by a newer version of this Worker. Try again when the deployment is complete.',
  );
});
