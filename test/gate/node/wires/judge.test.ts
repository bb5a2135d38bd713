/** Tests that `npm run wires` can fail: it detects lost items and wrong counts. */
import { beforeAll, describe, expect, it } from 'vitest';
import { judge, type PlayedSession } from '../../../wires/session/judge.ts';
import { createDrawnStops, createEveryStop, type Moment, noStops } from '../../../wires/session/stops.ts';
import { playInMemory } from './play.ts';

describe('the verdict on a session', () => {
  let played: PlayedSession;
  beforeAll(async () => {
    ({ played } = await playInMemory({ wire: 'reasoning', isWatched: false, stops: noStops }));
  });
  const getToolRun = (tool: string) => {
    const run = played.effects.find((effect) => effect.tool === tool);
    if (!run) throw new Error(`The tool '${tool}' did not run.`);
    return run;
  };

  it('counts calls, executions, requests and unknown outcomes', async () => {
    const { calls, executions, requests, unknown } = await judge(played);
    expect({ calls, executions, requests, unknown }).toEqual({
      calls: 44,
      executions: 36,
      requests: 32,
      unknown: 0,
    });
  });

  it('reports a missing message, reply, end of a call and answer', async () => {
    const without = (type: string): PlayedSession => {
      const place = played.events.findLastIndex((event) => event.type === type);
      return { ...played, events: played.events.toSpliced(place, 1) };
    };
    expect((await judge(without('turn-started'))).lost).toEqual([
      'messages, at 2: nothing instead of Go on.',
    ]);
    expect((await judge(without('model-replied'))).lost).toEqual([
      'replies, at 16: nothing instead of ["And four more are done.",[]]',
    ]);
    expect((await judge(without('tool-call-ended'))).lost).toEqual([
      expect.stringMatching(/^a call of (look|pay) ended 0 times$/),
    ]);
    expect((await judge({ ...played, answers: ['All ten steps are done.', ''] })).lost).toEqual([
      'answers, at 2:  instead of And four more are done.',
    ]);
  });

  it.each([
    ['pay', 'ran 2 times'],
    ['save', 'ran 2 times under 2 keys'],
  ])('reports that the tool %s %s', async (tool, words) => {
    const again = { ...getToolRun(tool), key: 'another' };
    const { miscounted } = await judge({ ...played, effects: [...played.effects, again] });
    expect(miscounted).toEqual([`${tool} (${again.call}) ${words}`]);
  });

  it.each(['pay', 'save', 'look'])(
    'reports a call of %s that has a result in the journal but did not run',
    async (tool) => {
      const missing = getToolRun(tool);
      const effects = played.effects.filter((effect) => effect !== missing);
      expect((await judge({ ...played, effects })).miscounted).toEqual([
        expect.stringContaining(`${tool} (${missing.call}) ran 0 times`),
      ]);
    },
  );

  it('reports a run without a call in the journal, unless the tool only reads', async () => {
    const strays = ['look', 'pay'].map((tool) => ({ ...getToolRun(tool), call: 'stray' }));
    // The ids of a lost reply are free again, so another call may have the same id.
    const { call } = getToolRun('save');
    const under = ['look', 'pay'].map((tool) => ({ ...getToolRun(tool), call }));
    const { miscounted } = await judge({ ...played, effects: [...played.effects, ...strays, ...under] });
    expect(miscounted).toEqual(
      ['stray', call].map((id) => `pay (${id}) ran for a call that is not in the journal`),
    );
  });
});

describe('the kill positions', () => {
  const createMoment = (side: Moment['side'], seq: number, ...types: string[]): Moment => ({
    side,
    seq,
    types,
  });

  it('follow each append, except one that only records a take-over', () => {
    const { endsAt } = createEveryStop('after');
    expect(endsAt(createMoment('before', 3, 'model-replied'))).toBe(false);
    expect(endsAt(createMoment('after', 3, 'model-replied'))).toBe(true);
    expect(endsAt(createMoment('after', 4, 'turn-resumed'))).toBe(false);
    expect(endsAt(createMoment('after', 5, 'tool-call-ended'))).toBe(true);
  });

  it('include at most two in a row without progress, because otherwise the turn would be abandoned', () => {
    const { endsAt } = createEveryStop('after');
    const ends = [3, 4, 5, 6].map((seq) => endsAt(createMoment('after', seq, 'tool-call-started')));
    expect(ends).toEqual([true, true, false, false]);
    expect(endsAt(createMoment('after', 7, 'tool-call-ended'))).toBe(true);
  });

  it('are at or after the drawn positions, with one kill for each', () => {
    const { endsAt } = createDrawnStops([
      { side: 'after', seq: 6 },
      { side: 'before', seq: 4 },
    ]);
    const moments = [3, 5, 5, 7].flatMap((seq) => [
      createMoment('before', seq, 'model-replied'),
      createMoment('after', seq, 'model-replied'),
    ]);
    expect(moments.filter(endsAt)).toEqual([
      createMoment('before', 5, 'model-replied'),
      createMoment('after', 7, 'model-replied'),
    ]);
  });
});
