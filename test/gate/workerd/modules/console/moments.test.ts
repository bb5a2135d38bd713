/**
 * The console's routes for one event of a session: the state, the offered tools, and the request to the
 * model.
 */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../../src/index.ts';
import type { StoredEvent } from '../../../../../src/journal/entry.ts';
import {
  after,
  definePlaybook,
  defineStateMachine,
  defineUnfolding,
} from '../../../../../src/kinds/entry.ts';
import { defineModule } from '../../../../../src/module.ts';
import { console, consoleDescription } from '../../../../../src/modules/console/entry.ts';
import { callLimits } from '../../../../../src/modules/limits/entry.ts';
import { openApi } from '../../../../../src/modules/openapi/entry.ts';
import { type ScriptedReply, scriptedModel } from '../../../../../src/testing/entry.ts';
import { createTestApp } from '../../http/app.ts';
import { post, readJournal, readJson } from '../../http/client.ts';

const runs: string[] = [];
const createRecordingTool = (name: string) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    effect: 'once',
    run: () => {
      runs.push(name);
      return `Did ${name}.`;
    },
  });
const [look, pay, pack, ship] = [
  createRecordingTool('look'),
  createRecordingTool('pay'),
  createRecordingTool('pack'),
  createRecordingTool('ship'),
];

const desk = defineUnfolding({ name: 'desk', description: 'Opens the desk.', tools: [pay] });
const parcel = defineStateMachine({
  name: 'parcel',
  description: 'Sends a parcel.',
  input: v.object({ id: v.string() }),
  key: ({ id }) => id,
  initial: 'open',
  states: { open: [{ tool: pack, to: 'packed' }], packed: [{ tool: ship, to: 'gone' }], gone: [] },
});
const book = definePlaybook({
  name: 'book',
  description: 'Pays by the book.',
  tools: [look],
  locked: [{ tool: pay, unlockedBy: after('look') }],
});

/** Counts external calls, which the console must not make. */
let prepareCount = 0;
const outsideModule = defineModule({ name: 'outside' }).use({
  async prepare() {
    prepareCount += 1;
  },
});

const createInnerCall = (name: string) => ({ calls: [{ name, input: {} }] });

/** Runs a turn in a new session, and returns the session's app, path and journal. */
async function playTurn(...replies: readonly ScriptedReply[]) {
  const model = scriptedModel(replies, { name: 'm' });
  const agent = defineAgent({
    name: 'clerk',
    description: 'Works.',
    instructions: 'Work.',
    tools: [look, desk, parcel, book],
    use: [callLimits({ toolCalls: 9 }), outsideModule],
    model,
  });
  const use = [console(), openApi({ descriptions: [consoleDescription] })];
  const send = createTestApp({ agents: [agent], use, auth: () => ({ id: 'ada' }) });
  const path = `/agents/clerk/sessions/${crypto.randomUUID()}`;
  await post(path, { message: 'Go.' }, { via: send });
  const events = await readJournal(path, send);
  const asked = model.requests.length;
  const readConsole = async (query: string) => readJson(await send(`${path}/console/${query}`));
  const getReply = (number: number): StoredEvent =>
    events.filter(({ type }) => type === 'model-replied')[number] as StoredEvent; // the script has enough replies
  return { send, path, events, model, asked, at: readConsole, replied: getReply };
}

const getLockedBy = (offer: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    (offer.offered as { name: string; lockedBy?: string }[]).map(({ name, lockedBy }) => [name, lockedBy]),
  );

describe('GET .../console/offer', () => {
  it('shows the tools of each reply, including inner tools while their unfolding tool is open', async () => {
    const { at, replied } = await playTurn(createInnerCall('desk'), createInnerCall('pay'), 'Done.');
    const first = await at(`offer?reply=${replied(0).seq}`);
    expect(first).toMatchObject({
      ...{ frame: '', path: 'clerk', iteration: 1, model: 'm', hidden: [], unknown: [] },
      differs: { instructions: false, tools: false },
    });
    expect(getLockedBy(first)).toEqual({
      book: undefined,
      desk: undefined,
      look: undefined,
      parcel: undefined,
    });
    const second = await at(`offer?reply=${replied(1).seq}`);
    expect(second.iteration).toBe(2);
    expect(second.offered).toContainEqual(
      expect.objectContaining({ name: 'pay', by: ['desk'], isDeclared: false, effect: 'once' }),
    );
  });

  it('shows the state of a state machine, and the tools of other states as locked', async () => {
    const { at, replied } = await playTurn(
      { calls: [{ name: 'parcel', input: { id: 'p1' } }] },
      ...[createInnerCall('pack'), createInnerCall('ship'), 'Sent.', 'Done.'],
    );
    const offer = await at(`offer?reply=${replied(2).seq}`);
    expect(offer).toMatchObject({ path: 'clerk/parcel', iteration: 2 });
    expect(getLockedBy(offer)).toEqual({
      pack: 'This tool is not available in the current state (packed). It is only available in state: open',
      ship: undefined,
    });
    expect(offer.diagrams).toMatchObject([
      { tool: 'parcel', key: 'p1', state: 'packed', positions: { p1: 'packed' } },
    ]);
  });

  it('shows the unlock condition of each locked tool of a playbook', async () => {
    const { at, replied } = await playTurn(
      createInnerCall('book'),
      createInnerCall('look'),
      createInnerCall('pay'),
      'Paid.',
      'Done.',
    );
    expect(getLockedBy(await at(`offer?reply=${replied(1).seq}`))).toEqual({
      look: undefined,
      pay: 'This tool is not yet available. You must first use: look',
    });
    expect(getLockedBy(await at(`offer?reply=${replied(2).seq}`))).toEqual({
      look: undefined,
      pay: undefined,
    });
  });

  it('shows the limits of the loop and of modules, and their usage', async () => {
    const { at, replied } = await playTurn(createInnerCall('look'), 'Done.');
    expect((await at(`offer?reply=${replied(1).seq}`)).limits).toEqual([
      { name: 'iterations', used: 1, most: 20 },
      { name: 'tokens', used: 15, most: 1_000_000 },
      { name: 'toolCalls (module)', used: 1, most: 9 },
    ]);
  });

  it.each([
    ['reply=1', 'Event 1 is not a reply of a model. Use the seq of a `model-replied` event.'],
    ['reply=x', 'reply must be the sequence number of an event, such as 12.'],
    ['', 'The loop is not open at this event.'],
  ])('refuses the query "%s"', async (query, detail) => {
    const { at } = await playTurn('Done.');
    expect(await at(`offer?${query}`)).toMatchObject({ status: 400, detail });
  });
});

describe('GET .../console/request', () => {
  it('returns the request that the model received, including requests of nested loops', async () => {
    const { at, replied, model } = await playTurn(
      { calls: [{ name: 'parcel', input: { id: 'p1' } }] },
      ...[createInnerCall('pack'), createInnerCall('ship'), 'Sent.', 'Done.'],
    );
    for (const number of [0, 1, 2, 3, 4]) {
      const { request, differs } = await at(`request?reply=${replied(number).seq}`);
      expect(request).toEqual(JSON.parse(JSON.stringify(model.requests[number])));
      expect(differs).toEqual({ instructions: false, tools: false });
    }
  });

  it('reports which hashes of the current code differ from the journaled hashes', async () => {
    const { path, replied } = await playTurn('Done.');
    const later = defineAgent({
      name: 'clerk',
      description: 'Works.',
      instructions: 'Work faster.',
      tools: [look],
      model: scriptedModel([]),
    });
    const send = createTestApp({ agents: [later], use: [console()], auth: () => ({ id: 'ada' }) });
    const { request, differs } = await readJson(
      await send(`${path}/console/request?reply=${replied(0).seq}`),
    );
    expect(differs).toEqual({ instructions: true, tools: true });
    expect(request).toMatchObject({ messages: [{ role: 'system', text: 'Work faster.' }, { text: 'Go.' }] });
  });

  it('calls no model, tool, module or object that could change anything', async () => {
    const { at, replied, model, asked, path, send, events } = await playTurn(
      ...[createInnerCall('book'), createInnerCall('look'), createInnerCall('pay'), 'Paid.', 'Done.'],
    );
    const before = { runs: runs.length, prepared: prepareCount };
    for (const number of [0, 1, 2, 3, 4]) {
      await at(`request?reply=${replied(number).seq}`);
      await at(`offer?reply=${replied(number).seq}`);
    }
    await at('state');
    expect(model.requests).toHaveLength(asked);
    expect({ runs: runs.length, prepared: prepareCount }).toEqual(before);
    expect(await readJournal(path, send)).toEqual(events);
  });
});

describe('GET .../console/state', () => {
  it('returns the state after an event, as the code of the deployment folds it', async () => {
    const { at, events } = await playTurn(createInnerCall('look'), 'Done.');
    const head = events.at(-1)?.seq;
    const end = await at('state');
    expect(end).toMatchObject({ seq: head, head, state: { turn: { outcome: 'completed', iterations: 2 } } });
    const reply = events.find(({ type }) => type === 'model-replied')?.seq;
    expect(await at(`state?at=${reply}`)).toMatchObject({
      ...{ seq: reply, head },
      state: { turn: { iterations: 1 }, messages: [{ text: 'Go.' }, { calls: [{ name: 'look' }] }] },
    });
    expect(await at('state?at=0')).toMatchObject({ status: 400 });
  });

  it('returns 404 for a session that has not started', async () => {
    const { send } = await playTurn('Done.');
    expect((await send('/agents/clerk/sessions/unknown/console/state')).status).toBe(404);
  });
});
