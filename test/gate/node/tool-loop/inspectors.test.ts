import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { type AnyTool, defineAgent, defineTool, replan, type ToolSource } from '../../../../src/index.ts';
import { inspect, type LoopInspector, type LoopMoments } from '../../../../src/modules/inspect/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { createOutsideSource } from './outside.ts';
import { callTools, createDiggingTool, createReadingTool } from './scenes.ts';

type SeenMoment = { readonly [M in keyof LoopMoments]: readonly [M, LoopMoments[M]] }[keyof LoopMoments];

/** Returns an inspector that records everything. */
function createWitness() {
  const seen: SeenMoment[] = [];
  const inspector: LoopInspector = {
    beforeModelCall: (one) => void seen.push(['beforeModelCall', one]),
    afterModelCall: (one) => void seen.push(['afterModelCall', one]),
    beforeToolCall: (one) => void seen.push(['beforeToolCall', one]),
    afterToolCall: (one) => void seen.push(['afterToolCall', one]),
    afterIteration: (one) => void seen.push(['afterIteration', one]),
  };
  const listMoments = <M extends keyof LoopMoments>(moment: M): LoopMoments[M][] =>
    seen.flatMap(([name, one]) => (name === moment ? [one as LoopMoments[M]] : []));
  return { inspector, seen, of: listMoments, moments: () => seen.map(([moment]) => moment) };
}

const createTestAgent = (tools: readonly ToolSource[], ...inspectors: LoopInspector[]) =>
  defineAgent({
    name: 'clerk',
    description: 'Works.',
    instructions: 'Work.',
    tools,
    use: [inspect(...inspectors)],
  });

let logSpy: MockInstance;
beforeEach(() => {
  logSpy = vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => logSpy.mockRestore());

describe('an inspector', () => {
  it('receives each model call, tool call and iteration in order, counted from 1 (CBK-01, CBK-05)', async () => {
    const { inspector, seen, moments } = createWitness();
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      effect: 'read',
      metadata: { group: 'eyes' },
      run: () => ({ seen: 3 }),
    });
    const session = createTestSession(createTestAgent([look], inspector), {
      replies: [callTools('look'), 'Three.'],
    });
    const { turn } = await session.send('How many?');
    expect(moments()).toEqual([
      ...['beforeModelCall', 'afterModelCall', 'beforeToolCall', 'afterToolCall', 'afterIteration'],
      ...['beforeModelCall', 'afterModelCall', 'afterIteration'],
    ]);
    const place = { session: 'test', turn, frame: '', path: 'clerk', principal: { id: 'tester' } };
    const call = { id: `${turn}.3.0`, name: 'look', input: '{}' };
    const ms = expect.any(Number);
    const definition = expect.any(Function);
    expect(seen.map(([, one]) => one)).toEqual([
      {
        ...place,
        iteration: 1,
        messages: [
          { role: 'system', text: 'Work.' },
          { role: 'user', text: 'How many?' },
        ],
        tools: ['look'],
        sourcesAsked: 0,
        tokenEstimate: expect.any(Function),
      },
      {
        ...place,
        iteration: 1,
        model: 'scripted',
        text: '',
        calls: [call],
        finish: 'tool-calls',
        usage: { inputTokens: 10, outputTokens: 5 },
        ms,
      },
      { ...place, iteration: 1, call, metadata: { group: 'eyes' }, definition },
      {
        ...place,
        iteration: 1,
        call,
        metadata: { group: 'eyes' },
        definition,
        result: { type: 'artifact', value: { seen: 3 } },
        text: '{"seen":3}',
        ms,
      },
      { ...place, iteration: 1, calls: [call] },
      expect.objectContaining({ iteration: 2, messages: session.requests[1]?.messages }),
      expect.objectContaining({ iteration: 2, text: 'Three.', calls: [], finish: 'stop' }),
      { ...place, iteration: 2, calls: [] },
    ]);
  });

  it('receives the number of offered tools and requested sources in each iteration (S2-21)', async () => {
    const { inspector, of } = createWitness();
    const shop = createOutsideSource('shop', (asked) => [`buy_${asked}`], {
      isStale: (view) => view.iterations > 0,
    });
    const bank = createOutsideSource('bank', () => ['pay']);
    const agent = createTestAgent([shop.provider, bank.provider, createReadingTool('look')], inspector);
    await createTestSession(agent, { replies: [callTools('look'), 'Done.'] }).send('Go.');
    expect(
      of('beforeModelCall').map((seen) => [seen.iteration, seen.tools.length, seen.sourcesAsked]),
    ).toEqual([
      [1, 3, 2],
      [2, 3, 3],
    ]);
  });

  it('can request a token estimate for a request (CBK-01)', async () => {
    const { inspector, of } = createWitness();
    await createTestSession(createTestAgent([], inspector), { replies: ['Hi.'] }).send('x'.repeat(4_000));
    const [first] = of('beforeModelCall');
    expect(first?.tokenEstimate()).toBeGreaterThan(1_000);
    expect(first?.tokenEstimate()).toBeLessThan(1_050);
  });

  it('also receives calls that fail, that are refused and that name an unknown tool (CBK-05, TNF-07)', async () => {
    const { inspector, of } = createWitness();
    const broken = createReadingTool('broken', () => {
      throw new Error('No.');
    });
    const session = createTestSession(createTestAgent([broken], inspector), {
      replies: [
        { calls: [{ name: 'broken' }, { name: 'nothing' }, { name: 'broken', input: '[' }] },
        'Well.',
      ],
    });
    await session.send('Go.');
    expect(of('afterToolCall').map(({ call, result, text }) => [call.name, result, text])).toEqual([
      [
        'nothing',
        expect.objectContaining({ reason: 'unknown-tool' }),
        expect.stringMatching(/^Error: Tool 'not/),
      ],
      [
        'broken',
        expect.objectContaining({ reason: 'invalid-input' }),
        expect.stringMatching(/^Error: The input/),
      ],
      ['broken', { type: 'error', message: 'No.', reason: 'threw' }, 'Error: No.'],
    ]);
    expect(of('beforeToolCall')).toHaveLength(3);
  });

  it('receives the duration of a call according to the clock of the session', async () => {
    const { inspector, of } = createWitness();
    let now = 0;
    const slow = createReadingTool('slow', () => {
      now += 70;
    });
    const clock = { now: () => now, after: () => () => {} };
    const agent = createTestAgent([slow], inspector);
    await createTestSession(agent, { replies: [callTools('slow'), 'Done.'], clock }).send('Go.');
    expect(of('afterToolCall').map(({ ms }) => ms)).toEqual([70]);
  });

  it.each<[string, AnyTool, string]>([
    ['returns directly', createReadingTool('last', () => 'So.', { returnDirect: true }), 'returned-direct'],
    [
      'requests replanning',
      createReadingTool('last', () => {
        throw replan('Other.');
      }),
      'completed',
    ],
  ])('receives the end of the iteration if a call %s (CBK-04)', async (_, tool, outcome) => {
    const { inspector, of } = createWitness();
    const session = createTestSession(createTestAgent([tool], inspector), { replies: [callTools('last')] });
    expect(await session.send('Go.')).toMatchObject({ outcome });
    expect(of('afterIteration').map(({ calls: [call] }) => call?.name)).toEqual(['last']);
  });

  it('receives the end of an iteration in which the model answered without calls (CBK-04)', async () => {
    const { inspector, of } = createWitness();
    await createTestSession(createTestAgent([], inspector), { replies: ['Hi.'] }).send('Go.');
    expect(of('afterIteration').map(({ calls }) => calls)).toEqual([[]]);
  });

  it('is logged if it throws, without an effect on the turn and on other inspectors (CBK-03)', async () => {
    const { inspector, moments } = createWitness();
    const refuse = (): never => {
      throw new Error('The inspector failed.');
    };
    const rejectAsync = async (): Promise<void> => refuse();
    const broken: LoopInspector = {
      beforeModelCall: refuse,
      afterModelCall: rejectAsync,
      beforeToolCall: refuse,
      afterToolCall: refuse,
      afterIteration: rejectAsync,
    };
    const agent = createTestAgent([createReadingTool('look')], broken, inspector);
    const session = createTestSession(agent, { replies: [callTools('look'), 'Done.'] });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(moments()).toHaveLength(8);
    await vi.waitFor(() => {
      expect(logSpy.mock.calls.map(([words]) => words).toSorted()).toEqual([
        'holdfast: an inspector threw in afterIteration',
        'holdfast: an inspector threw in afterIteration',
        'holdfast: an inspector threw in afterModelCall',
        'holdfast: an inspector threw in afterModelCall',
        'holdfast: an inspector threw in afterToolCall',
        'holdfast: an inspector threw in beforeModelCall',
        'holdfast: an inspector threw in beforeModelCall',
        'holdfast: an inspector threw in beforeToolCall',
      ]);
    }, 20_000);
  });

  it('receives copies, so that its changes have no effect (CBK-01)', async () => {
    const spoil: LoopInspector = {
      beforeModelCall: ({ messages }) => void (messages as unknown[]).splice(0),
      afterToolCall: ({ result }) => void Object.assign(result, { content: 'spoilt' }),
    };
    const { inspector, of } = createWitness();
    const session = createTestSession(createTestAgent([createReadingTool('look')], spoil, inspector), {
      replies: [callTools('look'), 'Done.'],
    });
    await session.send('Go.');
    expect(session.requests.map(({ messages }) => messages.length)).toEqual([2, 4]);
    expect(session.requests[1]?.messages.at(-1)).toMatchObject({ text: 'look done' });
    expect(of('afterToolCall')).toMatchObject([{ result: { content: 'look done' } }]);
  });

  it('also receives the events of nested loops, with their frames', async () => {
    const { inspector, of } = createWitness();
    const session = createTestSession(
      createTestAgent([createDiggingTool([createReadingTool('look')])], inspector),
      {
        replies: [callTools('dig'), callTools('look'), 'Dug.', 'Done.'],
      },
    );
    const { turn } = await session.send('Go.');
    expect(of('afterIteration').map(({ path, frame, iteration }) => [path, frame, iteration])).toEqual([
      ['clerk/dig', `${turn}.3.0`, 1],
      ['clerk/dig', `${turn}.3.0`, 2],
      ['clerk', '', 1],
      ['clerk', '', 2],
    ]);
  });

  it('receives a new copy of the turn’s principal with each event', async () => {
    const spoilPrincipal = (seen: { readonly principal: object }): void => {
      expect(seen.principal).toEqual({ id: 'ana', tenant: 'acme', roles: ['chief'] });
      Object.assign(seen.principal, { id: 'eve' });
    };
    const moments = [
      'beforeModelCall',
      'afterModelCall',
      'beforeToolCall',
      'afterToolCall',
      'afterIteration',
    ];
    const spoiler: LoopInspector = Object.fromEntries(moments.map((moment) => [moment, spoilPrincipal]));
    const { inspector, seen } = createWitness();
    const session = createTestSession(
      createTestAgent([createDiggingTool([createReadingTool('look')])], spoiler, inspector),
      {
        replies: [callTools('dig'), callTools('look'), 'Dug.', 'Done.', 'Hello, Bob.'],
        // The invocation that resumes an interrupted call reports it again.
        warm: true,
        principal: { id: 'ana', tenant: 'acme', roles: ['chief'] },
      },
    );
    await session.send('Go.');
    expect(seen).toHaveLength(16);
    for (const [, { principal }] of seen)
      expect(principal).toEqual({ id: 'ana', tenant: 'acme', roles: ['chief'] });
    expect(logSpy).not.toHaveBeenCalled();
    await session.send('And me?', { principal: { id: 'bob' } });
    expect(seen.at(-1)?.[1].principal).toEqual({ id: 'bob' });
  });

  it('receives a call again when another invocation resumes it', async () => {
    const { inspector, of } = createWitness();
    let kills = 1;
    const look: AnyTool = defineTool({
      name: 'look',
      description: 'Looks.',
      effect: 'idempotent',
      run: () => {
        if (kills-- > 0) session.kill();
      },
    });
    const session = createTestSession(createTestAgent([look], inspector), {
      replies: [callTools('look'), 'Done.'],
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(of('beforeToolCall')).toHaveLength(2);
    expect(of('afterIteration')).toHaveLength(2);
  });
});
