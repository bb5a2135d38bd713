import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { artifact, defineDomainType, defineTool } from '../../../../src/index.ts';
import {
  chainAny,
  chainFrom,
  chaining,
  defineStateMachine,
  defineUnfolding,
} from '../../../../src/kinds/entry.ts';
import {
  callTools,
  createWorkshop,
  formatWrongState,
  getInnerOffers,
  listInnerAnswers,
  readPositions,
  startSession,
} from './scenes.ts';

describe('an unfolding tool in a state', () => {
  const createShop = (hideUnavailable = false) => {
    const { tool, done } = createWorkshop();
    const edits = defineUnfolding({
      name: 'edits',
      description: 'Edit the order.',
      tools: [tool('add'), tool('remove')],
    });
    const machine = defineStateMachine({
      name: 'orders',
      input: v.object({}),
      description: 'Edits.',
      initial: 'open',
      states: { open: [{ tool: edits, to: 'edited' }], edited: [{ tool: tool('undo'), to: 'open' }] },
      hideUnavailable,
    });
    return { machine, done };
  };

  it('makes no transition when it is opened, while its inner tools do', async () => {
    const { machine, done } = createShop();
    const session = startSession(
      [machine],
      [
        callTools('orders'),
        callTools('edits'),
        callTools('add', 'remove'),
        callTools('undo'),
        callTools('remove'),
        'So.',
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(done).toEqual(['add', 'undo', 'remove']);
    expect((await listInnerAnswers(session)).slice(1)).toEqual([
      'add: add done',
      `remove: ${formatWrongState('edited', 'open')}`,
      'undo: undo done',
      'remove: remove done',
    ]);
    expect(await readPositions(session)).toEqual({ 'clerk/orders': { '': 'edited' } });
    const added = session.requests[2]?.tools.find(({ name }) => name === 'add');
    expect(added?.description).toBe('Does add.\n\n[Available in state: open] [Transitions to: edited]');
  });

  it('is hidden together with its inner tools', async () => {
    const { machine } = createShop(true);
    const session = startSession(
      [machine],
      [callTools('orders'), callTools('edits'), callTools('add'), 'So.', 'Done.'],
    );
    await session.send('Go.');
    expect(getInnerOffers(session)).toEqual([['edits'], ['edits', 'add', 'remove'], ['undo']]);
  });

  it('has a shortcut to an inner tool, which makes the transition', async () => {
    const { machine, done } = createShop();
    const shortcut = callTools(['edits', { add: {} }], ['edits', { remove: {} }], 'undo');
    const session = startSession([machine], [callTools('orders'), shortcut, 'So.', 'Done.']);
    await session.send('Go.');
    expect(done).toEqual(['add', 'undo']);
    expect(await listInnerAnswers(session)).toEqual([
      'edits: add done',
      `edits: ${formatWrongState('edited', 'open')}`,
      'undo: undo done',
    ]);
    expect(await readPositions(session)).toEqual({ 'clerk/orders': { '': 'open' } });
  });

  it('cannot be opened in the wrong state, and its inner tools cannot be called either', async () => {
    const { machine, done } = createShop();
    const session = startSession(
      [machine],
      [
        ...[callTools('orders'), callTools('edits'), callTools('add')],
        ...[callTools(['edits', { remove: {} }], 'edits', 'remove'), 'So.', 'Done.'],
      ],
    );
    await session.send('Go.');
    expect(done).toEqual(['add']);
    expect((await listInnerAnswers(session)).slice(2)).toEqual([
      `edits: ${formatWrongState('edited', 'open')}`,
      `edits: ${formatWrongState('edited', 'open')}`,
      `remove: ${formatWrongState('edited', 'open')}`,
    ]);
  });
});

describe('a state machine with chaining', () => {
  const { tool } = createWorkshop();
  const Parcel = defineDomainType({
    name: 'Parcel',
    schema: v.object({ code: v.string() }),
    id: ({ code }) => code,
    tools: ({ code }) => [
      defineTool({ name: 'track', description: 'Tracks.', effect: 'read', run: () => `${code} is at sea` }),
    ],
  });
  const send = defineTool({
    name: 'send',
    description: 'Sends.',
    output: Parcel,
    run: () => artifact('Sent.', Parcel, { code: 'KC-1' }),
  });

  it.each([
    // The tools of a declared type exist before any object of it.
    ['one type', [chainFrom(Parcel)], ['track', 'close']],
    ['any', [chainAny()], ['close', 'track']],
  ])('offers the tools of objects of %s in every state (AGT-10, AGT-11)', async (_, entries, sent) => {
    const machine = defineStateMachine({
      name: 'orders',
      input: v.object({}),
      description: 'Sends.',
      initial: 'packed',
      states: {
        packed: [{ tool: send, to: 'sent' }],
        sent: [{ tool: tool('close'), to: 'closed' }],
        closed: [],
      },
      use: [chaining(entries)],
      hideUnavailable: true,
    });
    const session = startSession(
      [machine],
      [
        callTools('orders'),
        callTools('send'),
        callTools('track', 'close'),
        callTools('track'),
        'So.',
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(await listInnerAnswers(session)).toEqual([
      'send: Sent.',
      'track: KC-1 is at sea',
      'close: close done',
      'track: KC-1 is at sea',
    ]);
    expect(getInnerOffers(session).slice(1)).toEqual([sent, ['track'], ['track']]);
  });
});
