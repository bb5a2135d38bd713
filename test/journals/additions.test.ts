/** A later version may say more of a stored session only where it is named. */
import { describe, expect, it } from 'vitest';
import { pathIn, without, withoutEvents } from './additions.ts';

const session = {
  body: { turn: { id: 't1', ms: 5 }, messages: [{ role: 'user' }, { role: 'user', by: 'ada' }] },
};
const take = (path: string) => without(session, path.split('.'));

describe('what is named as an addition', () => {
  it('is taken out, and all else stays where it is', () => {
    expect(JSON.stringify(take('body.turn.ms'))).toBe(
      '{"rest":{"body":{"turn":{"id":"t1"},"messages":[{"role":"user"},{"role":"user","by":"ada"}]}},"met":true}',
    );
  });

  it('may be one of every item, and need not be in each', () => {
    const { rest, met } = take('body.messages.*.by');
    expect(met).toBe(true);
    expect(rest).toEqual({
      body: { turn: session.body.turn, messages: [{ role: 'user' }, { role: 'user' }] },
    });
  });

  it('may be of one journal only', () => {
    expect(pathIn('nested', 'nested:asked.2.tools')).toEqual(['asked', '2', 'tools']);
    expect(pathIn('other', 'nested:asked.2.tools')).toBeUndefined();
    expect(pathIn('other', 'asked.2')).toEqual(['asked', '2']);
  });

  it('may be an item of a list', () => {
    expect(take('body.messages.1').rest).toEqual({
      body: { turn: session.body.turn, messages: [{ role: 'user' }] },
    });
  });

  it.each(['body.turn.no', 'no.turn.ms', 'body.turn.id.ms', 'body.messages.role'])(
    'is told to be nowhere: %s',
    (path) => {
      expect(take(path)).toEqual({ rest: session, met: false });
    },
  );
});

describe('a journal that is further', () => {
  const reading = {
    done: [{ call: 'new.38.0' }],
    after: { status: 200, body: { at: 'x', seq: 42, last: 42 } },
  };

  it('is read as if the events were not there, and in nothing else', () => {
    expect(JSON.stringify(withoutEvents(reading, { events: 2, calls: { 'new.38.0': 'new.36.0' } }))).toBe(
      '{"done":[{"call":"new.36.0"}],"after":{"status":200,"body":{"at":"x","seq":40,"last":42}}}',
    );
    expect(JSON.stringify(withoutEvents(reading, { events: 0 }))).toBe(JSON.stringify(reading));
  });
});
