import { describe, expect, it } from 'vitest';
import type { SessionEvent, StoredEvent } from '../../../../src/journal/entry.ts';
import { causesOf } from '../../../prompt-cache/measure/causes.ts';
import type { Departure } from '../../../prompt-cache/measure/departures.ts';

const turn = 't1';

type Of<Type> = Extract<SessionEvent, { readonly type: Type }>;

const replied = (more: Partial<Of<'model-replied'>> = {}): SessionEvent => ({
  ...{ type: 'model-replied', turn, model: 'm', text: 'Done.', toolCalls: [], finish: 'stop' },
  ...more,
});

const calling = (name: string, frame?: string): SessionEvent =>
  replied({
    ...(frame !== undefined && { frame }),
    toolCalls: [{ id: `${name}-1`, providerId: 'c1', name, input: '{}' }],
  });

/** Returns the end of a call whose facts are recorded in a memory. */
const ended = (
  name: string,
  slice: string,
  fact: Of<'tool-call-ended'>['result'] | object,
): SessionEvent => ({
  ...{ type: 'tool-call-ended', turn, call: `${name}-1`, result: { type: 'text', content: 'Done.' } },
  changes: { facts: [{ slice, fact: JSON.parse(JSON.stringify(fact)) }] },
});

const changed = (
  cause: Of<'tools-changed'>['cause'],
  came: readonly string[],
  went: readonly string[] = [],
): SessionEvent => {
  const [cameAs, wentAs] = [
    came.map((name) => ({ name, hash: 'new' })),
    went.map((name) => ({ name, hash: 'old' })),
  ];
  return { type: 'tools-changed', turn, cause, came: cameAs, went: wentAs };
};

const TOOLS: Departure = { part: 'tools', what: 'inserted', at: 3, key: 'read' };
const SYSTEM: Departure = { part: 'system', what: 'changed', at: 0, key: 'system' };
const message = (key: string, what: Departure['what'] = 'changed'): Departure => ({
  ...{ part: 'messages', what, at: 2, key },
});

/** Returns the cause of a difference between the last two requests of a loop in this journal. */
function causeOf(departure: Departure, events: readonly SessionEvent[], frame = ''): string {
  const stored = [...events].map((event, at): StoredEvent => ({ seq: at + 1, at: 0, ...event }));
  const replies = stored.filter((event) => event.type === 'model-replied' && (event.frame ?? '') === frame);
  const [before, now] = [replies.at(-2)?.seq ?? 0, replies.at(-1)?.seq ?? 0];
  return causesOf([departure], { events: stored, frame, after: before, upTo: now }).join();
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
      calling(tool),
      ended(tool, slice, fact),
      changed('session', ['a', 'b', tool], [tool]),
      replied(),
    ];
    expect(causeOf(TOOLS, events)).toBe(`${words}: 2 came, 1 changed`);
  });

  it('is found in the transitions of a state machine, in every loop of the machine', () => {
    const frame = (id: string): SessionEvent => ({
      ...{ type: 'frame-started', turn, frame: id, name: 'order', message: '{}' },
      facts: [{ slice: 'state-machines', fact: { key: '41', state: 'draft', start: true } }],
    });
    const move = (id: string, state: string): readonly SessionEvent[] => [
      calling('go', id),
      { ...ended('go', 'state-machines', { key: '41', state }), frame: id } as SessionEvent,
    ];
    const went = { ...changed('session', ['pay'], ['add', 'send']), frame: 'f1' } as SessionEvent;
    const first = [calling('order'), frame('f1'), ...move('f1', 'sent'), went, replied({ frame: 'f1' })];
    expect(causeOf(TOOLS, first, 'f1')).toBe("the state machine went from 'draft' to 'sent': 1 came, 2 went");
    const second = [
      ...first,
      frame('f2'),
      ...move('f2', 'paid'),
      { ...went, frame: 'f2' },
      replied({ frame: 'f2' }),
    ];
    expect(causeOf(TOOLS, second, 'f2')).toBe(
      "the state machine went from 'draft' to 'paid': 1 came, 2 went",
    );
  });

  it('is found in several calls of one batch, in a tool source, and in a strategy that removes all tools', () => {
    const change = changed('session', ['a']);
    const both = [
      calling('one'),
      ended('one', 'unfolding', { facade: 'one' }),
      ended('two', 'unfolding', { facade: 'two' }),
    ];
    expect(causeOf(TOOLS, [...both, change, replied()])).toBe(
      'the unfolding tool `one` gave its place to what is inside, and the unfolding tool `two` gave its place to what is inside: 1 came',
    );
    const listed: SessionEvent = { type: 'tools-listed', turn, facts: [] };
    expect(causeOf(TOOLS, [replied(), listed, change, replied()])).toBe(
      'a source outside told which tools it has: 1 came',
    );
    expect(causeOf(TOOLS, [replied(), change, replied()])).toBe('an injection strategy decided so: 1 came');
  });

  it('is found in a new turn and in a deployment', () => {
    const opened = (fact: object) => [
      calling('files'),
      ended('files', 'unfolding', { facade: 'files', ...fact }),
      replied(),
    ];
    const closing = [changed('turn', ['files'], ['files', 'read']), replied()];
    expect(causeOf(TOOLS, [...opened({}), ...closing])).toBe(
      'another turn began, and what unfolding tools had opened in the one before is closed: 1 went, 1 changed',
    );
    expect(causeOf(TOOLS, [...opened({ scope: 'session' }), ...closing])).toBe(
      'another turn began: 1 went, 1 changed',
    );
    const all = [{ name: 'look', hash: 'h' }];
    expect(
      causeOf(TOOLS, [replied(), { type: 'tools-changed', turn, cause: 'deploy', all }, replied()]),
    ).toBe('the code was changed: 1 are offered now');
  });

  it('is not found in events of another loop, or in events outside the two requests', () => {
    const change = changed('session', ['a']);
    expect(causeOf(TOOLS, [replied(), { ...change, frame: 'f1' } as SessionEvent, replied()])).toBe(
      'unexplained',
    );
    expect(causeOf(TOOLS, [change, replied(), replied()])).toBe('unexplained');
    expect(causeOf(TOOLS, [replied(), replied(), change])).toBe('unexplained');
    expect(causeOf(TOOLS, [replied(), replied()])).toBe('unexplained');
  });
});

describe('the cause of a changed system text', () => {
  const asked = (instructions: string) => ({ asked: { instructions, tools: 'h' } });

  it('is found if the instructions are a function', () => {
    expect(causeOf(SYSTEM, [replied(asked('x')), replied(asked('y'))])).toBe(
      'the instructions are a function, which answered other words',
    );
    const move = ended('go', 'state-machines', { key: '', state: 'sent' });
    expect(causeOf(SYSTEM, [replied(asked('x')), move, replied(asked('y'))])).toBe(
      "the instructions are a function, which answered other words: the state machine went to 'sent'",
    );
  });

  it('is not found if the instructions are equal, and is not the cause of a changed message', () => {
    expect(causeOf(message('user'), [replied(asked('x')), replied(asked('y'))])).toBe('unexplained');
    expect(causeOf(SYSTEM, [replied(asked('x')), replied(asked('x'))])).toBe('unexplained');
    expect(causeOf(SYSTEM, [replied(), changed('session', ['a']), replied()])).toBe('unexplained');
  });
});

describe('the cause of a changed message', () => {
  it('is found if the message announces tools, or if it has signed reasoning after such a message', () => {
    const change = changed('session', ['a']);
    const words = 'an injection strategy decided so: 1 came';
    expect(causeOf(message('tools told', 'gone'), [replied(), change, replied()])).toBe(words);
    expect(causeOf(message('assistant'), [replied(), change, replied()])).toBe('unexplained');
    const signed = replied({ asked: { instructions: 'x', tools: 'h', prefix: 'p' } });
    expect(causeOf(message('assistant'), [signed, change, signed])).toBe(words);
    expect(causeOf(message('user'), [signed, change, signed])).toBe('unexplained');
  });

  it('is found in a summary, in a shortened message and in a last answer', () => {
    const summary: SessionEvent = {
      type: 'conversation-cut',
      turn,
      turns: 2,
      summary: 'S',
    };
    expect(causeOf(message('user'), [replied(), summary, replied()])).toBe(
      'a summary took the place of the oldest turns',
    );
    const shortened: SessionEvent = { type: 'conversation-cut', turn, turns: 1 };
    expect(causeOf(message('user', 'gone'), [replied(), shortened, replied()])).toBe(
      'the request was too long for the model, which is shown less since',
    );
    expect(causeOf(message('user', 'gone'), [replied({ last: true }), replied()])).toBe(
      'the one before asked for a last answer at a limit, and that is said once',
    );
    expect(causeOf(message('user', 'inserted'), [replied({ last: true }), replied()])).toBe('unexplained');
    expect(causeOf(SYSTEM, [replied({ last: true }), summary, shortened, replied()])).toBe('unexplained');
  });
});
