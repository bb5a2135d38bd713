import * as v from 'valibot';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { artifact, defineDomainType, defineTool } from '../../../../../src/index.ts';
import {
  blackboardSink,
  compositeSink,
  listSink,
  publishToBlackboard,
  sinkArtifacts,
} from '../../../../../src/modules/decorators/entry.ts';
import { scriptedModel, type TestSession } from '../../../../../src/testing/entry.ts';
import { createMemoryLoop, runForOutput } from '../../../../doors/loop.ts';
import { captureWarnings } from '../../../../fixtures/warnings.ts';
import { createFakeCall } from '../fake-call.ts';
import { callTools, createCrashingTool, getShownResults, startSession } from './turns.ts';

const Hit = defineDomainType({
  name: 'Hit',
  schema: v.object({ score: v.number(), document: v.object({ title: v.string() }) }),
});
const Document = defineDomainType({ name: 'Document', schema: v.object({ title: v.string() }) });
const hits = [
  { score: 0.9, document: { title: 'A' } },
  { score: 0.1, document: { title: 'B' } },
];
const search = defineTool({
  name: 'search',
  description: 'Searches.',
  effect: 'read',
  output: Hit,
  run: () => hits,
});
const other = defineTool({
  name: 'other',
  description: 'Else.',
  effect: 'read',
  run: () => artifact('One.', { name: 'Other' }, { n: 1 }),
});

/** The blackboard after a turn that calls each of these tools. */
async function getBlackboard(...tools: Parameters<typeof startSession>[0]) {
  const session = startSession(tools, [callTools(...tools.map(({ name }) => name)), 'Done.']);
  await session.send('Go.');
  return (await session.state()).blackboard;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a publishing tool', () => {
  it('publishes every artifact under the name of its type if it has no type filter (DEC-08)', async () => {
    expect(await getBlackboard(publishToBlackboard(search), publishToBlackboard(other))).toEqual([
      { type: 'Hit', value: hits[0] },
      { type: 'Hit', value: hits[1] },
      { type: 'Other', value: { n: 1 } },
    ]);
  });

  it('publishes only the artifacts of one type, filtered and transformed into another type (DEC-08)', async () => {
    const published = publishToBlackboard(search, {
      type: Hit,
      filter: ({ score }) => score > 0.5,
      transform: ({ document }) => document,
      into: Document,
    });
    expect(await getBlackboard(published, publishToBlackboard(other, { type: Hit }))).toEqual([
      { type: 'Document', value: { title: 'A' } },
    ]);
  });

  it('publishes under a name, and a lookup by that name returns the newest artifact (DEC-08)', async () => {
    const published = publishToBlackboard(search, { name: 'hit' });
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      effect: 'read',
      run: (_, { blackboard }) => blackboard.get('hit') ?? 'nothing',
    });
    const session = startSession([published, look], [callTools('search'), callTools('look'), 'Done.']);
    await session.send('Go.');
    expect(getShownResults(session)[1]).toBe('{"score":0.1,"document":{"title":"B"}}');
  });

  it('publishes once, even if another Worker resumes the turn', async () => {
    const session: TestSession = startSession(
      [publishToBlackboard(search), createCrashingTool(() => session)],
      [callTools('search'), callTools('crash'), 'Done.'],
    );
    await session.send('Go.');
    session.restart();
    expect((await session.state()).blackboard).toHaveLength(2);
  });

  it('keeps the original JSON if the schema of the type transforms it', async () => {
    const Day = defineDomainType({ name: 'Day', schema: v.object({ at: v.pipe(v.string(), v.toDate()) }) });
    const today = defineTool({
      name: 'today',
      description: 'Tells the day.',
      effect: 'read',
      output: Day,
      run: () => ({ at: '2026-01-02' }),
    });
    expect(await getBlackboard(publishToBlackboard(today, { type: Day }))).toEqual([
      { type: 'Day', value: { at: '2026-01-02' } },
    ]);
  });

  it('logs an error if the output of a transform is not JSON, and keeps the result', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const published = publishToBlackboard(other, { transform: () => new WeakMap() });
    const session = startSession([published], [callTools('other'), 'Done.']);
    await session.send('Go.');
    expect(getShownResults(session)).toEqual(['One.']);
    expect(log.mock.calls).toEqual([
      [
        "holdfast: a sink of tool 'other' failed",
        new TypeError('call.blackboard: the value at `$` is a WeakMap, which is not JSON.'),
      ],
    ]);
  });
});

describe('a blackboard sink without a session', () => {
  const createOutsideCall = () => createFakeCall({ inSession: false, tool: 'other' });
  const PROBLEM = "There is no session, so the artifact of tool 'other' was not published to a blackboard.";

  it('keeps the result, and logs one warning (DEC-09)', async () => {
    const warned = captureWarnings();
    const published = publishToBlackboard(other);
    const { call, board } = createOutsideCall();
    for (let n = 0; n < 2; n += 1) expect((await published.call({}, call)).text()).toBe('One.');
    expect(warned).toEqual([`holdfast: ${PROBLEM}`]);
    expect(board).toEqual([]);
  });

  it('does not interrupt a loop without a blackboard (DEC-09)', async () => {
    const warned = captureWarnings();
    const model = scriptedModel([callTools('other', 'other'), 'Done.']);
    const { loop, state } = createMemoryLoop({ tools: [publishToBlackboard(other)], model });
    expect(await runForOutput(loop)).toMatchObject({ outcome: 'completed' });
    expect(model.requests[1]?.messages.slice(-2)).toMatchObject([{ text: 'One.' }, { text: 'One.' }]);
    expect(state.blackboard).toEqual([]);
    expect(warned).toEqual([`holdfast: ${PROBLEM}`]);
  });

  it('ends the turn as misconfigured if it is strict (DEC-09)', async () => {
    const list = listSink();
    const strict = sinkArtifacts(other, compositeSink(blackboardSink({ strict: true }), list));
    const { call } = createOutsideCall();
    await expect(strict.call({}, call)).rejects.toMatchObject({
      name: 'ToolConfigurationError',
      signal: { type: 'misconfigured', reason: PROBLEM },
    });
    expect(list.items()).toHaveLength(1);
  });

  it('publishes in a session even if it is strict (DEC-09)', async () => {
    expect(await getBlackboard(sinkArtifacts(other, blackboardSink({ strict: true, name: 'n' })))).toEqual([
      { name: 'n', type: 'Other', value: { n: 1 } },
    ]);
  });
});
