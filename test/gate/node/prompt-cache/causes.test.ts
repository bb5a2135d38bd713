import { describe, expect, it } from 'vitest';
import type { SessionEvent, StoredEvent } from '../../../../src/journal/entry.ts';
import { findCauses } from '../../../prompt-cache/measure/causes.ts';
import type { Departure } from '../../../prompt-cache/measure/departures.ts';

const turn = 't1';

type EventOfType<Type> = Extract<SessionEvent, { readonly type: Type }>;

const createModelReplied = (more: Partial<EventOfType<'model-replied'>> = {}): SessionEvent => ({
  ...{ type: 'model-replied', turn, model: 'm', text: 'Done.', toolCalls: [], finish: 'stop' },
  ...more,
});

const callReplied = (name: string, frame?: string): SessionEvent =>
  createModelReplied({
    ...(frame !== undefined && { frame }),
    toolCalls: [{ id: `${name}-1`, providerId: 'c1', name, input: '{}' }],
  });

/** Returns the end of a call that recorded this fact in a memory. */
const callEnded = (
  name: string,
  slice: string,
  fact: EventOfType<'tool-call-ended'>['result'] | object,
): SessionEvent => ({
  ...{ type: 'tool-call-ended', turn, call: `${name}-1`, result: { type: 'text', content: 'Done.' } },
  changes: { facts: [{ slice, fact: JSON.parse(JSON.stringify(fact)) }] },
});

const createToolsChanged = (
  cause: EventOfType<'tools-changed'>['cause'],
  came: readonly string[],
  went: readonly string[] = [],
): SessionEvent => {
  const [cameAs, wentAs] = [
    came.map((name) => ({ name, hash: 'new' })),
    went.map((name) => ({ name, hash: 'old' })),
  ];
  return { type: 'tools-changed', turn, cause, came: cameAs, went: wentAs };
};

const TOOLS_DEPARTURE: Departure = { part: 'tools', what: 'inserted', at: 3, key: 'read' };
const SYSTEM_DEPARTURE: Departure = { part: 'system', what: 'changed', at: 0, key: 'system' };
const createMessageDeparture = (key: string, what: Departure['what'] = 'changed'): Departure => ({
  ...{ part: 'messages', what, at: 2, key },
});

/** Returns the cause of this difference between the last two requests of a loop. */
function findCause(departure: Departure, events: readonly SessionEvent[], frame = ''): string {
  const stored = [...events].map((event, at): StoredEvent => ({ seq: at + 1, at: 0, ...event }));
  const replies = stored.filter((event) => event.type === 'model-replied' && (event.frame ?? '') === frame);
  const [before, now] = [replies.at(-2)?.seq ?? 0, replies.at(-1)?.seq ?? 0];
  return findCauses([departure], { events: stored, frame, after: before, upTo: now }).join();
}

describe('the cause of changed tools in a request', () => {
  it.each<[kind: string, tool: string, slice: string, fact: object, words: string]>([
    [
      'unfolding',
      'files',
      'unfolding',
      { facade: 'files' },
      'the unfolding tool `files` gave its place to what is inside',
    ],
    [
      'chaining',
      'get',
      'chaining',
      { as: 'many', type: 'Order' },
      'an object was found that brings tools (Order)',
    ],
    ['chaining without a type', 'get', 'chaining', { as: 'any' }, 'an object was found that brings tools'],
    ['playbooks', 'search', 'playbooks', { type: 'used' }, 'the playbook came further by `search`'],
    ['listings', 'files', 'listings', {}, 'a source outside told which tools it has'],
    [
      'a custom kind of tool',
      'rest',
      'app:uses',
      { count: 1 },
      'what `app:uses` remembers is another by `rest`',
    ],
  ])('is found in the facts of calls: %s', (_, tool, slice, fact, words) => {
    const events = [
      callReplied(tool),
      callEnded(tool, slice, fact),
      createToolsChanged('session', ['a', 'b', tool], [tool]),
      createModelReplied(),
    ];
    expect(findCause(TOOLS_DEPARTURE, events)).toBe(`${words}: 2 came, 1 changed`);
  });

  it('is found in the transitions of a state machine, in every loop of the machine', () => {
    const createFrameStarted = (id: string): SessionEvent => ({
      ...{ type: 'frame-started', turn, frame: id, name: 'order', message: '{}' },
      facts: [{ slice: 'state-machines', fact: { key: '41', state: 'draft', start: true } }],
    });
    const createMoveEvents = (id: string, state: string): readonly SessionEvent[] => [
      callReplied('go', id),
      { ...callEnded('go', 'state-machines', { key: '41', state }), frame: id } as SessionEvent,
    ];
    const went = { ...createToolsChanged('session', ['pay'], ['add', 'send']), frame: 'f1' } as SessionEvent;
    const first = [
      callReplied('order'),
      createFrameStarted('f1'),
      ...createMoveEvents('f1', 'sent'),
      went,
      createModelReplied({ frame: 'f1' }),
    ];
    expect(findCause(TOOLS_DEPARTURE, first, 'f1')).toBe(
      "the state machine went from 'draft' to 'sent': 1 came, 2 went",
    );
    const second = [
      ...first,
      createFrameStarted('f2'),
      ...createMoveEvents('f2', 'paid'),
      { ...went, frame: 'f2' },
      createModelReplied({ frame: 'f2' }),
    ];
    expect(findCause(TOOLS_DEPARTURE, second, 'f2')).toBe(
      "the state machine went from 'draft' to 'paid': 1 came, 2 went",
    );
  });

  it('is found in several calls of one batch, in a tool source, and in a strategy that removes all tools', () => {
    const change = createToolsChanged('session', ['a']);
    const both = [
      callReplied('one'),
      callEnded('one', 'unfolding', { facade: 'one' }),
      callEnded('two', 'unfolding', { facade: 'two' }),
    ];
    expect(findCause(TOOLS_DEPARTURE, [...both, change, createModelReplied()])).toBe(
      'the unfolding tool `one` gave its place to what is inside, and the unfolding tool `two` gave its place to what is inside: 1 came',
    );
    const listed: SessionEvent = { type: 'tools-listed', turn, facts: [] };
    expect(findCause(TOOLS_DEPARTURE, [createModelReplied(), listed, change, createModelReplied()])).toBe(
      'a source outside told which tools it has: 1 came',
    );
    expect(findCause(TOOLS_DEPARTURE, [createModelReplied(), change, createModelReplied()])).toBe(
      'an injection strategy decided so: 1 came',
    );
  });

  it('is found in a new turn and in a deployment', () => {
    const createOpenedEvents = (fact: object) => [
      callReplied('files'),
      callEnded('files', 'unfolding', { facade: 'files', ...fact }),
      createModelReplied(),
    ];
    const closing = [createToolsChanged('turn', ['files'], ['files', 'read']), createModelReplied()];
    expect(findCause(TOOLS_DEPARTURE, [...createOpenedEvents({}), ...closing])).toBe(
      'another turn began, and what unfolding tools had opened in the one before is closed: 1 went, 1 changed',
    );
    expect(findCause(TOOLS_DEPARTURE, [...createOpenedEvents({ scope: 'session' }), ...closing])).toBe(
      'another turn began: 1 went, 1 changed',
    );
    const all = [{ name: 'look', hash: 'h' }];
    expect(
      findCause(TOOLS_DEPARTURE, [
        createModelReplied(),
        { type: 'tools-changed', turn, cause: 'deploy', all },
        createModelReplied(),
      ]),
    ).toBe('the code was changed: 1 are offered now');
  });

  it('is not found in events of another loop, or in events outside the two requests', () => {
    const change = createToolsChanged('session', ['a']);
    expect(
      findCause(TOOLS_DEPARTURE, [
        createModelReplied(),
        { ...change, frame: 'f1' } as SessionEvent,
        createModelReplied(),
      ]),
    ).toBe('unexplained');
    expect(findCause(TOOLS_DEPARTURE, [change, createModelReplied(), createModelReplied()])).toBe(
      'unexplained',
    );
    expect(findCause(TOOLS_DEPARTURE, [createModelReplied(), createModelReplied(), change])).toBe(
      'unexplained',
    );
    expect(findCause(TOOLS_DEPARTURE, [createModelReplied(), createModelReplied()])).toBe('unexplained');
  });
});

describe('the cause of a changed system text', () => {
  const createAskedFields = (instructions: string) => ({ asked: { instructions, tools: 'h' } });

  it('is found if the instructions are a function', () => {
    expect(
      findCause(SYSTEM_DEPARTURE, [
        createModelReplied(createAskedFields('x')),
        createModelReplied(createAskedFields('y')),
      ]),
    ).toBe('the instructions are a function, which answered other words');
    const move = callEnded('go', 'state-machines', { key: '', state: 'sent' });
    expect(
      findCause(SYSTEM_DEPARTURE, [
        createModelReplied(createAskedFields('x')),
        move,
        createModelReplied(createAskedFields('y')),
      ]),
    ).toBe("the instructions are a function, which answered other words: the state machine went to 'sent'");
  });

  it('is not found if the instructions are equal, and is not the cause of a changed message', () => {
    expect(
      findCause(createMessageDeparture('user'), [
        createModelReplied(createAskedFields('x')),
        createModelReplied(createAskedFields('y')),
      ]),
    ).toBe('unexplained');
    expect(
      findCause(SYSTEM_DEPARTURE, [
        createModelReplied(createAskedFields('x')),
        createModelReplied(createAskedFields('x')),
      ]),
    ).toBe('unexplained');
    expect(
      findCause(SYSTEM_DEPARTURE, [
        createModelReplied(),
        createToolsChanged('session', ['a']),
        createModelReplied(),
      ]),
    ).toBe('unexplained');
  });
});

describe('the cause of a changed message', () => {
  it('is found if the message announces tools, or if it has signed reasoning and follows such a message', () => {
    const change = createToolsChanged('session', ['a']);
    const words = 'an injection strategy decided so: 1 came';
    expect(
      findCause(createMessageDeparture('tools told', 'gone'), [
        createModelReplied(),
        change,
        createModelReplied(),
      ]),
    ).toBe(words);
    expect(
      findCause(createMessageDeparture('assistant'), [createModelReplied(), change, createModelReplied()]),
    ).toBe('unexplained');
    const signed = createModelReplied({ asked: { instructions: 'x', tools: 'h', prefix: 'p' } });
    expect(findCause(createMessageDeparture('assistant'), [signed, change, signed])).toBe(words);
    expect(findCause(createMessageDeparture('user'), [signed, change, signed])).toBe('unexplained');
  });

  it('is found in a summary, in a shortened message and in a last answer', () => {
    const summary: SessionEvent = {
      type: 'conversation-cut',
      turn,
      turns: 2,
      summary: 'S',
    };
    expect(
      findCause(createMessageDeparture('user'), [createModelReplied(), summary, createModelReplied()]),
    ).toBe('a summary took the place of the oldest turns');
    const shortened: SessionEvent = { type: 'conversation-cut', turn, turns: 1 };
    expect(
      findCause(createMessageDeparture('user', 'gone'), [
        createModelReplied(),
        shortened,
        createModelReplied(),
      ]),
    ).toBe('the request was too long for the model, which is shown less since');
    expect(
      findCause(createMessageDeparture('user', 'gone'), [
        createModelReplied({ last: true }),
        createModelReplied(),
      ]),
    ).toBe('the one before asked for a last answer at a limit, and that is said once');
    expect(
      findCause(createMessageDeparture('user', 'inserted'), [
        createModelReplied({ last: true }),
        createModelReplied(),
      ]),
    ).toBe('unexplained');
    expect(
      findCause(SYSTEM_DEPARTURE, [
        createModelReplied({ last: true }),
        summary,
        shortened,
        createModelReplied(),
      ]),
    ).toBe('unexplained');
  });
});
