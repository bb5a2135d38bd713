/**
 * Turns of two sessions that start each other, over the real object. They form one tree, which is bounded.
 */

import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import {
  consumeTurns,
  createHoldfast,
  type HandOver,
  type Holdfast,
  type Session,
  sessionOf,
} from '../../../../src/create-holdfast.ts';
import { type CallContext, defineAgent, defineTool } from '../../../../src/index.ts';
import { logTo } from '../../../../src/modules/app/entry.ts';
import { scriptedModel } from '../../../../src/testing/entry.ts';
import { handOvers } from '../../../fixtures/hand-overs.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createSessionPath, post, readJournal, readJson } from '../http/client.ts';
import { collect, LOCAL_CALLER } from './from-code.ts';

const PASS = { calls: [{ name: 'pass_on' }] };

/** Calls the other session from each turn. */
type PassOn = (
  other: Session,
  call: CallContext,
  context: { readonly me: string; readonly other: string },
  app: Holdfast,
) => Promise<unknown>;

const send: PassOn = (other, _, context) =>
  other.send('Your turn.', { context, whenBusy: 'queue', background: true });

/**
 * Two sessions of an app whose turns call each other. The agent's turns run here, because the tests' Worker
 * ignores them.
 */
function createTwoSessions(passOn: PassOn = send, bindings?: object) {
  const tool = defineTool({
    name: 'pass_on',
    description: 'Passes on.',
    async run(_, call) {
      const { me = '', other = '' } = call.context.toJSON() as {
        readonly me?: string;
        readonly other?: string;
      }; // the context that `passOn` sends
      await passOn(openChat(other, bindings ?? call.env), call, { me: other, other: me }, app);
      return 'Passed on.';
    },
  });
  const agent = defineAgent({
    name: 'agent',
    description: 'Passes on.',
    instructions: '',
    tools: [tool],
    model: scriptedModel(Array.from({ length: 40 }, () => [PASS, 'Done.']).flat()),
  });
  const app: Holdfast = createHoldfast({
    agents: [agent],
    use: [logTo(false)],
    http: { contextHeaders: { 'x-me': 'me', 'x-other': 'other' } },
  });
  const openChat = (session: string, bindings: object = env): Session =>
    sessionOf(app, bindings, { agent, session, principal: LOCAL_CALLER });
  const [a, b] = [crypto.randomUUID(), crypto.randomUUID()];
  const run = (body: HandOver) => {
    const message = { id: body.turn, body, attempts: 1, timestamp: new Date(), ack() {}, retry() {} };
    const batch = {
      queue: 'turns',
      messages: [message],
      ackAll() {},
      retryAll() {},
      metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } },
    };
    return consumeTurns(app)(batch, { ...env }, createExecutionContext());
  };
  const seen = new Set<string>();
  const findNextHandOver = (): HandOver | undefined =>
    handOvers.find(({ name, turn }) => (name.includes(a) || name.includes(b)) && !seen.has(turn));
  /** Runs this many turns as they are handed over. */
  const runTurns = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1) {
      await expect.poll(findNextHandOver).toBeDefined();
      const handOver = findNextHandOver();
      if (!handOver) throw new Error('No turn was handed over.');
      seen.add(handOver.turn);
      await run(handOver);
    }
  };
  const [one, two] = [openChat(a), openChat(b)];
  return { one, two, runTurns, begin: () => one.send('Go.', { context: { me: a, other: b } }) };
}

const collectEvents = (session: Session) => collect(session.events());

const listGenerations = async (session: Session): Promise<(number | undefined)[]> =>
  (await collectEvents(session)).flatMap((event) =>
    event.type === 'turn-started' ? [event.generation] : [],
  );

describe('two sessions that call each other', () => {
  it('end even if their tools use the Worker’s own environment', async () => {
    const { one, two, runTurns, begin } = createTwoSessions(send, env);
    await begin();
    await runTurns(8);
    expect(await listGenerations(one)).toEqual([undefined, 2, 4, 6, 8]);
    expect(await listGenerations(two)).toEqual([1, 3, 5, 7]);
  });

  it('end even if their tools use the Worker’s own fetch', async () => {
    const { one, two, runTurns, begin } = createTwoSessions(async (_other, _call, { me, other }, app) => {
      const request = new Request(`http://localhost/agents/agent/sessions/${me}/messages?whenBusy=queue`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          prefer: 'respond-async',
          'x-me': me,
          'x-other': other,
        },
        body: JSON.stringify({ message: 'Your turn.' }),
      });
      // The type of an incoming request also has the edge's properties.
      const incoming = request as Parameters<Holdfast['worker']['fetch']>[0];
      const response = await app.worker.fetch(incoming, { ...env }, createExecutionContext());
      if (response.status !== 202) throw new Error(await response.text());
    });
    await begin();
    await runTurns(8);
    expect(await listGenerations(one)).toEqual([undefined, 2, 4, 6, 8]);
    expect(await listGenerations(two)).toEqual([1, 3, 5, 7]);
  });

  it('end after eight nested turns, and the last model receives the reason', async () => {
    const { one, two, runTurns, begin } = createTwoSessions();
    const { turn: root } = await begin();
    await runTurns(8);
    expect(await listGenerations(one)).toEqual([undefined, 2, 4, 6, 8]);
    expect(await listGenerations(two)).toEqual([1, 3, 5, 7]);
    const all = [...(await collectEvents(one)), ...(await collectEvents(two))];
    const places = all.flatMap((event) =>
      event.type === 'turn-started' && event.root ? [[event.root, event.count]] : [],
    );
    expect(places.toSorted(([, a], [, b]) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 8 }, (_, index) => [root, index + 1]),
    );
    const last = (await collectEvents(one)).findLast(({ type }) => type === 'tool-call-ended');
    expect(last).toMatchObject({
      result: {
        type: 'error',
        message:
          'Not sent: 8 turns in a row, including this one, were scheduled by a turn, and no more can start before a ' +
          'person sends a message.',
      },
    });
    for (const session of [one, two]) expect((await session.state()).waiting).toEqual([]);
  });

  it('begin a new tree when a person sends a message', async () => {
    const { one, two, runTurns, begin } = createTwoSessions();
    await begin();
    await runTurns(8);
    await begin();
    await runTurns(8);
    expect(await listGenerations(one)).toEqual([undefined, 2, 4, 6, 8, undefined, 2, 4, 6, 8]);
    expect(await listGenerations(two)).toEqual([1, 3, 5, 7, 1, 3, 5, 7]);
  });

  it('end even if their streams are read', async () => {
    const { one, runTurns, begin } = createTwoSessions(async (other, _, context) => {
      await other.stream('Your turn.', { context, delaySeconds: 0.01 });
    });
    await begin();
    await runTurns(8);
    expect(await listGenerations(one)).toEqual([undefined, 2, 4, 6, 8]);
  });
});

describe('an HTTP client', () => {
  it.each(['generation', 'root', 'count', 'place', 'recurring'])(
    'cannot send the property %s',
    async (key) => {
      const path = createSessionPath();
      const refused = await post(path, { message: registerScript('Hm.').message(), [key]: 1 });
      expect([refused.status, (await readJson(refused)).type]).toEqual([
        422,
        expect.stringContaining('invalid-body'),
      ]);
    },
  );

  it('cannot set its depth by headers or by the context', async () => {
    const path = createSessionPath();
    const headers = {
      generation: '7',
      'x-holdfast-generation': '7',
      'x-holdfast-root': 'r',
      'holdfast-count': '-9',
    };
    await post(
      path,
      { message: registerScript('Hm.').message(), context: { a: { generation: 7, root: 'r' } } },
      { headers },
    );
    const [started] = (await readJournal(path)).filter(({ type }) => type === 'turn-started');
    expect(started).not.toHaveProperty('generation');
    expect(started).not.toHaveProperty('root');
    expect(started).not.toHaveProperty('count');
  });
});
