import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { type AnyTool, defineTool } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import type { TestSession } from '../../../../src/testing/entry.ts';
import { createDiggingTool } from '../tool-loop/scenes.ts';
import {
  callTools,
  createCrashTool,
  createSession,
  createTool,
  formatOpenedText,
  getLastResults,
  getOfferedTools,
} from './scenes.ts';

const createFiles = (more = {}): AnyTool =>
  defineUnfolding({ name: 'files', description: 'Files.', tools: [createTool('read')], ...more });

/** Returns one answer per message, for a session of any length. */
const createChatReplies = (count: number) => Array.from({ length: count }, (_, index) => `Answer ${index}.`);

describe('the tools of an open unfolding tool', () => {
  it('are offered by another invocation that resumes the turn', async () => {
    const session = createSession(
      [createFiles(), createCrashTool(() => session)],
      [callTools('files'), callTools('crash'), callTools('read'), 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session).slice(1)).toEqual(Array(3).fill(['crash', 'files', 'read']));
    expect(getLastResults(session)).toEqual([formatOpenedText('read'), 'crashed', 'read done']);
  });

  it('are the same if another invocation completes a batch with several openings', async () => {
    const a = defineUnfolding({ name: 'a', description: 'A.', tools: [createTool('one')] });
    const b = defineUnfolding({ name: 'b', description: 'B.', tools: [createTool('one')] });
    const session = createSession(
      [a, b, createCrashTool(() => session)],
      [callTools('a', 'crash', 'b'), 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session)[1]).toEqual(['a', 'b', 'crash', 'b_one', 'one']);
    const [ofA, crashed, ofB] = getLastResults(session);
    expect([ofA, crashed]).toEqual([formatOpenedText('one'), 'crashed']);
    expect(ofB).toBe(
      `${formatOpenedText('b_one')}\n\n'b_one' is the tool 'one' of this list; another tool had the name 'one' already.`,
    );
  });

  it('are the same in a nested loop that another invocation resumes', async () => {
    const session = createSession(
      [createDiggingTool([createFiles(), createCrashTool(() => session)])],
      [callTools('dig'), callTools('files'), callTools('crash'), callTools('read'), 'Deep.', 'Done.'],
    );
    expect(await session.send('Go.')).toMatchObject({ text: 'Done.' });
    expect(getOfferedTools(session)).toEqual([
      ['dig'],
      ['crash', 'files'],
      ['crash', 'files', 'read'],
      ['crash', 'files', 'read'],
      ['crash', 'files', 'read'],
      ['dig'],
    ]);
  });

  it('have the same folded memory after a restart', async () => {
    const session = createSession([createFiles({ scope: 'session' })], [callTools('files'), 'Done.']);
    await session.send('Go.');
    const warm = (await session.state()).memories.get('unfolding');
    session.restart();
    expect((await session.state()).memories.get('unfolding')).toEqual(warm);
    expect(warm).toEqual([{ call: expect.stringMatching(/\.3\.0$/), facade: 'files', path: 'clerk' }]);
  });
});

describe('an unfolding tool with session scope', () => {
  it('stays open in later turns, even after a restart', async () => {
    const session = createSession(
      [createFiles({ scope: 'session' })],
      [callTools('files'), 'Done.', callTools('read'), 'Read.'],
    );
    await session.send('Go.');
    session.restart();
    await session.send('And now?');
    expect(getOfferedTools(session)[2]).toEqual(['files', 'read']);
    expect(getLastResults(session).at(-1)).toBe('read done');
  });

  it('is part of the snapshot of a long journal', async () => {
    const session = createSession(
      [createFiles({ scope: 'session' })],
      [callTools('files'), ...createChatReplies(102)],
    );
    for (let turn = 0; turn < 102; turn += 1) await session.send('Go.');
    expect((await session.events()).at(-1)?.seq).toBeGreaterThan(200);
    session.restart();
    expect(getOfferedTools(session).at(-1)).toEqual(['files', 'read']);
    expect((await session.state()).memories.get('unfolding')).toHaveLength(1);
  });

  it('stays open for every call of a nested loop with the same path', async () => {
    const session = createSession(
      [createDiggingTool([createFiles({ scope: 'session' })])],
      [callTools('dig'), callTools('files'), 'Deep.', callTools('dig'), 'Again.', 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session)[4]).toEqual(['files', 'read']);
  });

  it('closes with its outer unfolding tool, and reopens with it', async () => {
    const outer = defineUnfolding({
      name: 'outer',
      description: 'Outer.',
      tools: [createFiles({ scope: 'session' })],
    });
    const session = createSession(
      [outer],
      [callTools('outer'), callTools('files'), 'Done.', callTools('outer'), 'Done.'],
    );
    await session.send('Go.');
    await session.send('And now?');
    expect(getOfferedTools(session).slice(3)).toEqual([['outer'], ['outer', 'files', 'read']]);
  });
});

describe('the shopping cart of the manual', () => {
  /** Returns the cart. Each invocation recreates its tools, whose state is in the session. */
  const createCart = (session: () => TestSession): AnyTool => {
    let isKilled = false;
    return defineUnfolding({
      name: 'shopping_cart',
      description: 'Shopping cart.',
      input: v.object({ cart_id: v.string() }),
      scope: 'session',
      select: ({ cart_id: id }) => {
        const key = `cart ${id}`;
        const getItems = (call: { readonly state: { get(key: string): unknown } }): readonly string[] =>
          (call.state.get(key) as readonly string[] | undefined) ?? []; // Only `add_item` writes this value.
        return [
          defineTool({
            name: 'add_item',
            description: `Adds to cart ${id}.`,
            input: v.object({ item: v.string() }),
            effect: 'idempotent',
            run({ item }, call) {
              if (item === 'bomb' && !isKilled) session().kill();
              isKilled ||= item === 'bomb';
              call.state.set(key, [...getItems(call), item]);
              return `Added ${item}. Total: ${getItems(call).length}`;
            },
          }),
          createTool('view_cart', (call) => `Cart ${id}: ${getItems(call).join(', ')}`),
        ];
      },
    });
  };
  const add = (item: string) => callTools(['add_item', { item }]);

  it('keeps its content if the Worker is killed between its calls and during them (UNF-06)', async () => {
    const session: TestSession = createSession(
      [createCart(() => session), createCrashTool(() => session)],
      [
        callTools(['shopping_cart', { cart_id: 'c1' }]),
        add('tea'),
        callTools('crash'),
        add('bomb'),
        callTools('view_cart'),
        'Done.',
        callTools('view_cart'),
        'Still there.',
      ],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      formatOpenedText('add_item', 'view_cart'),
      'Added tea. Total: 1',
      'crashed',
      'Added bomb. Total: 2',
      'Cart c1: tea, bomb',
    ]);
    session.restart();
    await session.send('What is in it?');
    expect(getLastResults(session).at(-1)).toBe('Cart c1: tea, bomb');
  });
});

describe('a selector of an unfolding tool', () => {
  it('runs once per invocation, with the journaled input (UNF-07)', async () => {
    const select = vi.fn(({ id }: { readonly id: string }) => [createTool(`made_${id}`)]);
    const tool = defineUnfolding({
      name: 'maker',
      description: 'Makes.',
      input: v.object({ id: v.string() }),
      select,
    });
    const session = createSession(
      [tool, createCrashTool(() => session)],
      [callTools(['maker', { id: 'x' }]), callTools('made_x', 'crash'), callTools('made_x'), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session).at(-1)).toBe('made_x done');
    // It runs four times: for the opening, the killed call, the resumed call and the next one.
    expect(select.mock.calls.map(([input]) => input)).toEqual(Array(4).fill({ id: 'x' }));
  });

  it('offers no tools that the model has not seen (UNF-07)', async () => {
    let isLater = false;
    const tool = defineUnfolding({
      name: 'maker',
      description: 'Makes.',
      input: v.object({}),
      scope: 'session',
      select: () =>
        isLater ? [createTool('new'), createTool('kept')] : [createTool('kept'), createTool('gone')],
    });
    const session = createSession([tool], [callTools('maker'), 'Done.', 'Later.']);
    await session.send('Go.');
    isLater = true;
    await session.send('And now?');
    expect(getOfferedTools(session).slice(1)).toEqual([
      ['maker', 'gone', 'kept'],
      ['maker', 'kept'],
    ]);
  });

  it('closes the unfolding tool and logs an error if it throws', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    let isLater = false;
    const tool = defineUnfolding({
      name: 'maker',
      description: 'Makes.',
      input: v.object({}),
      scope: 'session',
      select: () => {
        if (isLater) throw new Error('Gone.');
        return [createTool('made')];
      },
    });
    const session = createSession([tool], [callTools('maker'), 'Done.', 'Later.']);
    await session.send('Go.');
    isLater = true;
    await session.send('And now?');
    expect(getOfferedTools(session)[2]).toEqual(['maker']);
    expect(log.mock.calls[0]).toEqual([
      "holdfast: the unfolding tool 'maker' stays closed: its tools could not be made",
      new Error('Gone.'),
    ]);
    log.mockRestore();
  });
});

describe('a call of an inner tool that waits for approval', () => {
  const createAskingTool = (name: string, said: string) =>
    requireApproval(
      createTool(name, () => said),
      `${said}?`,
    );

  it('suspends the turn, and can still be approved after a crash', async () => {
    const outer = defineUnfolding({
      name: 'outer',
      description: 'Outer.',
      tools: [createFiles({ tools: [createAskingTool('wipe', 'wiped')] })],
    });
    const session = createSession(
      [outer],
      [callTools('outer'), callTools('files'), callTools('wipe'), 'Done.'],
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
    session.restart();
    expect(await session.decide('wipe', 'approve')).toMatchObject({ outcome: 'completed' });
    expect(getLastResults(session).at(-1)).toBe('wiped');
  });

  it('belongs to the inner tool if an exclusive unfolding tool replaced another tool of the same name', async () => {
    const outside = requireApproval(
      defineTool({
        name: 'wipe',
        description: 'Wipes.',
        input: v.object({ all: v.boolean() }),
        run: () => 'outside',
      }),
      'Outside?',
    );
    const session = createSession(
      [outside, createFiles({ tools: [createAskingTool('wipe', 'inside')], exclusive: true })],
      [callTools('files'), callTools('wipe'), 'Done.'],
    );
    await session.send('Go.');
    expect(await session.decide('wipe', 'approve')).toMatchObject({ outcome: 'completed' });
    expect(getLastResults(session).at(-1)).toBe('inside');
  });
});
