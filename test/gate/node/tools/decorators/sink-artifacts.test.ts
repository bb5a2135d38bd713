import * as v from 'valibot';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type AnyTool,
  type ArtifactType,
  artifact,
  type DomainType,
  defineDomainType,
  defineTool,
  error,
  exitEarly,
  type Json,
  Secrets,
  text,
} from '../../../../../src/index.ts';
import { defineUnfolding } from '../../../../../src/kinds/entry.ts';
import {
  type ListSink,
  listSink,
  publishToBlackboard,
  requireApproval,
  sinkArtifacts,
  trackAssets,
} from '../../../../../src/modules/decorators/entry.ts';
import { createFakeCall } from '../fake-call.ts';
import { callTools, getShownResults, startSession } from './turns.ts';

const Score = defineDomainType({ name: 'Score', schema: v.looseObject({}) });
const Order = defineDomainType({
  name: 'Order',
  schema: v.object({ id: v.string(), at: v.pipe(v.string(), v.isoDate(), v.toDate()) }),
});

const createReturningTool = (value: unknown, output?: DomainType) =>
  defineTool({ name: 'find', description: 'Finds.', effect: 'read', output, run: () => value });

/** The artifacts that a sink receives for this result. */
async function sinkValue(value: unknown, type?: ArtifactType): Promise<readonly unknown[]> {
  const list = listSink();
  await sinkArtifacts(createReturningTool(value), list, { type }).call({}, createFakeCall().call);
  return list.items();
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a sinking tool', () => {
  it('passes its artifact to the sink, and returns the result unchanged (DEC-04, DEC-11)', async () => {
    const seen: [unknown, string][] = [];
    const find = sinkArtifacts(createReturningTool(artifact('Found 3.', { score: 3 })), (found, call) => {
      seen.push([found, call.id]);
    });
    const session = startSession([find], [callTools('find'), 'Done.']);
    const { turn, artifacts } = await session.send('Go.');
    expect(seen).toEqual([[{ score: 3 }, `${turn}.3.0`]]);
    expect(getShownResults(session)).toEqual(['Found 3.']);
    expect(artifacts).toEqual([{ call: `${turn}.3.0`, tool: 'find', value: { score: 3 } }]);
  });

  it.each([
    ['a text', text('words'), []],
    ['a string', 'words', []],
    ['undefined', undefined, []],
    ['an error', error('No.'), []],
    ['an artifact of the type', artifact('', Score, { n: 1 }), [{ n: 1 }]],
    ['an artifact of another type', artifact('', { name: 'Other' }, { n: 1 }), []],
    ['an untyped artifact of the same shape', { n: 1 }, []],
  ])(
    'passes only artifacts of its type to the sink if the tool returns %s (DEC-05)',
    async (_, value, taken) => {
      expect(await sinkValue(value, Score)).toEqual(taken);
    },
  );

  it('uses the type that the tool declares for its results (DEC-05)', async () => {
    const list = listSink();
    await sinkArtifacts(createReturningTool({ n: 1 }, Score), list, { type: Score }).call(
      {},
      createFakeCall().call,
    );
    expect(list.items()).toEqual([{ n: 1 }]);
  });

  it('passes on every artifact, but no text, if it has no type (DEC-05)', async () => {
    expect(await sinkValue({ n: 1 })).toEqual([{ n: 1 }]);
    expect(await sinkValue(artifact('', Score, 'a value'))).toEqual(['a value']);
    expect(await sinkValue('words')).toEqual([]);
    expect(await sinkValue(error('No.'))).toEqual([]);
  });

  it('passes the items of a list to the sink one by one, in order, and no item for an empty list (DEC-06)', async () => {
    expect(await sinkValue([{ n: 1 }, { n: 2 }, [3]])).toEqual([{ n: 1 }, { n: 2 }, [3]]);
    expect(await sinkValue([])).toEqual([]);
    expect(await sinkValue(artifact('', Score, [{ n: 1 }, { n: 2 }]), Score)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('passes on only the items of a mixed list that match the type (DEC-06)', async () => {
    const mixed = [{ id: 'o1', at: '2026-01-02' }, { id: 'c1' }, 'o2', { id: 'o3', at: '2026-01-03' }];
    expect(await sinkValue(artifact('', Order, mixed), Order)).toEqual([
      { id: 'o1', at: new Date('2026-01-02') },
      { id: 'o3', at: new Date('2026-01-03') },
    ]);
  });

  it('checks the type, then filters, then transforms (DEC-07)', async () => {
    const steps: string[] = [];
    const list = listSink<number>();
    const orders = [{ id: 'o1', at: '2026-01-02' }, { id: 'none' }, { id: 'o3', at: '2025-01-03' }];
    const find = sinkArtifacts(createReturningTool(artifact('', Order, orders)), list, {
      type: Order,
      filter: ({ id, at }) => {
        steps.push(`filter ${id}`);
        return at.getUTCFullYear() === 2026;
      },
      transform: ({ id, at }) => {
        steps.push(`transform ${id}`);
        return at.getTime();
      },
    });
    await find.call({}, createFakeCall().call);
    expect(steps).toEqual(['filter o1', 'transform o1', 'filter o3']);
    expect(list.items()).toEqual([Date.UTC(2026, 0, 2)]);
  });

  it('passes no artifact to the sink if the tool throws, and rethrows the error (DEC-07)', async () => {
    const list = listSink();
    const broken: AnyTool = { ...createReturningTool(1), call: () => Promise.reject(new Error('broken')) };
    await expect(sinkArtifacts(broken, list).call({}, createFakeCall().call)).rejects.toThrow('broken');
    expect(list.items()).toEqual([]);
  });

  it('passes the type and the journaled JSON to the sink', async () => {
    const seen: unknown[] = [];
    const find = createReturningTool(artifact('', Order, { id: 'o1', at: '2026-01-02' }));
    await sinkArtifacts(find, (_, call) => void seen.push(call.artifact), { type: Order }).call(
      {},
      createFakeCall().call,
    );
    const transforming = { type: Order, transform: () => 'made', into: { name: 'Made' } };
    await sinkArtifacts(find, (_, call) => void seen.push(call.artifact), transforming).call(
      {},
      createFakeCall().call,
    );
    expect(seen).toEqual([{ type: 'Order', json: { id: 'o1', at: '2026-01-02' } }, { type: 'Made' }]);
  });

  it('passes a copy to the sink', async () => {
    const find = sinkArtifacts(createReturningTool({ tags: ['a'] }), (found) => {
      if (isTagged(found)) found.tags.push('changed');
    });
    const session = startSession([find], [callTools('find'), 'Done.']);
    await session.send('Go.');
    expect(getShownResults(session)).toEqual(['{"tags":["a"]}']);
  });

  it('does not pass the secrets of the invocation to the sink', async () => {
    const list = listSink();
    const find = sinkArtifacts(createReturningTool({ note: 'by hunter22' }), list);
    await find.call({}, createFakeCall({ secrets: Secrets.of({ KEY: 'hunter22' }) }).call);
    expect(list.items()).toEqual([{ note: 'by [secret KEY]' }]);
  });

  it('keeps the result if its sink fails, and logs the failure', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const failure = new Error('The queue is full.');
    const sunkAfter: Json[] = [];
    const find = sinkArtifacts(createReturningTool([1, 2]), (found) => {
      if (found === 1) throw failure;
      sunkAfter.push(found);
    });
    const session = startSession([find], [callTools('find'), 'Done.']);
    await session.send('Go.');
    expect(getShownResults(session)).toEqual(['[1,2]']);
    expect(sunkAfter).toEqual([2]);
    expect(log.mock.calls).toEqual([["holdfast: a sink of tool 'find' failed", failure]]);
  });

  it('ends the turn if its sink throws a control-flow signal', async () => {
    const find = sinkArtifacts(createReturningTool({ n: 1 }), () => {
      throw exitEarly('Enough.');
    });
    const session = startSession([find], [callTools('find')]);
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'cancelled',
      signal: { type: 'exit', reason: 'Enough.' },
    });
  });

  it('does not wait for a sink if its call is aborted', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const stop = new AbortController();
    const find = sinkArtifacts(createReturningTool({ n: 1 }), () => {
      stop.abort();
      return new Promise<never>(() => {});
    });
    expect(await find.call({}, createFakeCall({ signal: stop.signal }).call)).toMatchObject({
      value: { n: 1 },
    });
    expect(log.mock.calls).toEqual([
      ["holdfast: a sink of tool 'tool' was abandoned, since its call was aborted"],
    ]);
  });
});

const isTagged = (value: unknown): value is { tags: string[] } =>
  typeof value === 'object' && value !== null && 'tags' in value;

describe('an unfolding tool with a sink', () => {
  const find = createReturningTool(artifact('Found 3.', { score: 3 }));
  const createFilesTool = (...tools: readonly AnyTool[]) =>
    defineUnfolding({ name: 'files', description: 'Files.', tools });

  it('passes the artifacts of its inner tools to the sink, at any depth, but not the result of its opening', async () => {
    const list = listSink();
    const outer = defineUnfolding({ name: 'outer', description: 'Outer.', tools: [createFilesTool(find)] });
    const session = startSession(
      [sinkArtifacts(outer, list)],
      [callTools('outer'), callTools('files'), callTools('find'), 'Done.'],
    );
    await session.send('Go.');
    expect(list.items()).toEqual([{ score: 3 }]);
    expect(getShownResults(session).at(-1)).toBe('Found 3.');
  });

  it('passes the artifact of an inner tool to the sink if the model calls that tool through it', async () => {
    const list = listSink();
    const replies = [{ calls: [{ name: 'files', input: { find: {} } }] }, callTools('find'), 'Done.'];
    const session = startSession([sinkArtifacts(createFilesTool(find), list)], replies);
    await session.send('Go.');
    expect(list.items()).toEqual([{ score: 3 }]);
  });

  it('passes an artifact to the sink once with a guard on either side, and the guard asks about each call', async () => {
    for (const guarded of [
      (tool: AnyTool, list: ListSink<unknown>) => requireApproval(sinkArtifacts(tool, list), 'May I?'),
      (tool: AnyTool, list: ListSink<unknown>) => sinkArtifacts(requireApproval(tool, 'May I?'), list),
    ]) {
      const list = listSink();
      const session = startSession(
        [guarded(createFilesTool(find), list)],
        [callTools('files'), callTools('find'), 'Done.'],
      );
      expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
      expect(list.items()).toEqual([]);
      await session.decide('find', { decision: 'approve' });
      expect(list.items()).toEqual([{ score: 3 }]);
    }
  });

  it.each<[string, (tool: AnyTool) => AnyTool, unknown]>([
    ['publishToBlackboard', (tool) => publishToBlackboard(tool, { name: 'found' }), { name: 'found' }],
    ['trackAssets', (tool) => trackAssets(tool), { name: 'asset::7' }],
  ])('publishes the artifacts of its inner tools with %s', async (_, decorated, entry) => {
    const made = createReturningTool({ id: 7 });
    const session = startSession(
      [decorated(createFilesTool(made))],
      [callTools('files'), callTools('find'), 'Done.'],
    );
    await session.send('Go.');
    expect((await session.state()).blackboard).toMatchObject([{ ...Object(entry), value: { id: 7 } }]);
  });
});
