import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { type AnyTool, defineTool } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';
import {
  callTools,
  createSession,
  createTool,
  createWarmSession,
  formatOpenedText,
  getLastResults,
  getOfferedTools,
} from './scenes.ts';

const Database = v.object({ connection: v.optional(v.string(), 'localhost') });

/** An unfolding tool with tools for the connection that the model names. */
const createDatabase = (more = {}) =>
  defineUnfolding({
    name: 'database',
    description: 'Works with a database.',
    input: Database,
    select: ({ connection }) => [
      createTool('query', () => `queried ${connection}`, `Queries ${connection}.`),
      createTool('insert', () => `inserted into ${connection}`),
    ],
    ...more,
  });

const throwGone = (): never => {
  throw new Error('Gone.');
};

describe('an unfolding tool with `select`', () => {
  it('offers tools that it creates from its input (UNF-06)', async () => {
    const session = createSession(
      [createDatabase()],
      [callTools(['database', { connection: 'prod' }]), callTools('query'), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([formatOpenedText('query', 'insert'), 'queried prod']);
    expect(session.requests[1]?.tools.find(({ name }) => name === 'query')?.description).toBe(
      'Queries prod.',
    );
  });

  it('passes the output of its schema to `select` (UNF-06)', async () => {
    const session = createSession([createDatabase()], [callTools('database'), callTools('query'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)[1]).toBe('queried localhost');
  });

  it('returns an error for an invalid input, and stays closed', async () => {
    const session = createSession([createDatabase()], [callTools(['database', { connection: 7 }]), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      "Error: The input of tool 'database' is not valid:\n" +
        '- connection: Invalid type: Expected string but received 7\n' +
        'Call it again with a corrected input.',
    ]);
    expect(getOfferedTools(session)[1]).toEqual(['database']);
  });

  it('runs `select` once per call, so that the listed and the offered tools are the same (UNF-07)', async () => {
    const select = vi.fn(() => [createTool('made')]);
    const tool = defineUnfolding({ name: 'maker', description: 'Makes.', input: v.object({}), select });
    const session = createWarmSession(
      [tool],
      [callTools('maker'), callTools('made'), callTools('made'), 'Done.'],
    );
    await session.send('Go.');
    expect(select).toHaveBeenCalledTimes(1);
  });

  it('offers other tools for another input, and lists the tools for the same one (UNF-12)', async () => {
    const session = createSession(
      [createDatabase()],
      [
        callTools(['database', { connection: 'a' }]),
        callTools(['database', { connection: 'b' }]),
        callTools('query'),
        callTools(['database', { connection: 'b' }]),
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      formatOpenedText('query', 'insert'),
      formatOpenedText('query', 'insert'),
      'queried b',
      "'database' is open already. Call one of its tools:\n- query: Queries b.\n- insert: Does insert.",
    ]);
  });

  it('stays closed if no tool is selected, and reports this to the model and the log (UNF-08)', async () => {
    const warned = captureWarnings();
    const session = createSession([createDatabase({ select: () => [] })], [callTools('database'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      "Tool 'database': no tools for that selection. Nothing has changed; call it again with another input.",
    ]);
    expect(getOfferedTools(session)[1]).toEqual(['database']);
    expect(warned).toEqual(["holdfast: the unfolding tool 'database' has no tools for the input of a call"]);
  });

  it.each([
    ['throws', 'Gone.', throwGone],
    ['returns a value that is not a list', 'Its tools must be a list of tools.', () => 'query'],
  ])('returns an error if `select` %s', async (_, message, answer) => {
    const select = (): never => answer() as never; // The types do not allow this.
    const session = createSession([createDatabase({ select })], [callTools('database'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([`Error: ${message}`]);
    expect(getOfferedTools(session)[1]).toEqual(['database']);
  });

  it('passes its input to `select` after a round trip through JSON, in every invocation', async () => {
    const seen: string[] = [];
    const tool = defineUnfolding({
      name: 'day',
      description: 'A day.',
      scope: 'session',
      input: v.object({ at: v.pipe(v.string(), v.toDate()) }),
      select({ at }) {
        seen.push(at.slice(0, 10));
        return [createTool('made')];
      },
    });
    const session = createSession([tool], [callTools(['day', { at: '2026-01-01' }]), 'Done.', 'Again.']);
    await session.send('Go.');
    await session.send('Go on.');
    expect(getOfferedTools(session).slice(1)).toEqual([
      ['day', 'made'],
      ['day', 'made'],
    ]);
    expect(seen).toEqual(['2026-01-01', '2026-01-01']);
  });

  it('returns an error if the output of its schema is not JSON', async () => {
    const tool = defineUnfolding({
      name: 'day',
      description: 'A day.',
      input: v.object({
        at: v.pipe(
          v.string(),
          v.transform((at) => BigInt(at.length)),
        ),
      }),
      select: () => [createTool('made')],
    });
    const session = createSession([tool], [callTools(['day', { at: '2026-01-01' }]), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      "Error: Tool 'day' did not run: its schema returned a value that is a bigint at `$.at`, which is not JSON.",
    ]);
  });

  it('can be exclusive, and then has no guide (UNF-16, UNF-17)', async () => {
    const session = createSession(
      [createDatabase({ exclusive: true }), createTool('search')],
      [callTools('database'), 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session)[1]).toEqual(['insert', 'query']);
  });

  it('passes the context of the message to `select`, regardless of what the model claims', async () => {
    const tool = defineUnfolding({
      name: 'shop',
      description: 'A shop.',
      input: v.object({}),
      select: (_, view) => [createTool('orders', () => `orders of ${view.context.get('tenant')}`)],
    });
    const session = createSession([tool], [callTools('shop'), callTools('orders'), 'Done.'], {
      context: { tenant: 'acme' },
    });
    await session.send('Go.');
    expect(getLastResults(session)[1]).toBe('orders of acme');
  });

  it('can select other unfolding tools, which open as usual', async () => {
    const createTablesTool = (region: string): AnyTool =>
      defineUnfolding({
        name: 'tables',
        description: 'Tables.',
        tools: [createTool('drop', () => `dropped in ${region}`)],
      });
    const tool = defineUnfolding({
      name: 'region',
      description: 'A region.',
      input: v.object({ region: v.string() }),
      select: ({ region }) => [createTablesTool(region)],
    });
    const session = createSession(
      [tool],
      [callTools(['region', { region: 'eu' }]), callTools('tables'), callTools('drop'), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      formatOpenedText('tables'),
      formatOpenedText('drop'),
      'dropped in eu',
    ]);
  });
});

describe('an unfolding tool whose tools change', () => {
  /** Offers `step_{n}` for each entry on the blackboard. */
  const steps = defineUnfolding({
    name: 'steps',
    description: 'Steps.',
    tools: (view) => view.blackboard.map((_, index) => createTool(`step_${index + 1}`)),
  });
  const add = defineTool({ name: 'add', description: 'Adds.', run: (_, call) => call.blackboard.add('one') });

  it('updates its tools with each offer while it is open (UNF-01, UNF-02)', async () => {
    const session = createSession(
      [steps, add],
      [callTools('add'), callTools('steps'), callTools('add'), callTools('step_2'), 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([
      ['add'],
      ['add', 'steps'],
      ['add', 'steps', 'step_1'],
      ['add', 'steps', 'step_1', 'step_2'],
      ['add', 'steps', 'step_1', 'step_2'],
    ]);
    expect(getLastResults(session)).toEqual(['Done', formatOpenedText('step_1'), 'Done', 'step_2 done']);
  });

  it('is hidden while it has no tools, and is offered once it has some (UNF-01, UNF-08, S0-129)', async () => {
    const warned = captureWarnings();
    const session = createSession([steps, add], [callTools('add'), callTools('steps'), 'Done.']);
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([['add'], ['add', 'steps'], ['add', 'steps', 'step_1']]);
    expect(warned).toEqual([]);
  });

  it('is offered even if its code throws, and a call returns the error to the model (UNF-01)', async () => {
    const broken = defineUnfolding({ name: 'broken', description: 'Breaks.', tools: throwGone });
    const session = createSession([broken], [callTools('broken'), 'Hm.']);
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([['broken'], ['broken']]);
    expect(getLastResults(session)).toEqual(['Error: Gone.']);
  });

  it('is hidden while it has no tools, even inside another unfolding tool', async () => {
    const shop = defineUnfolding({ name: 'shop', description: 'Shop.', tools: [add, steps] });
    const session = createSession([shop], [callTools('shop'), callTools('add'), callTools('steps'), 'Done.']);
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([
      ['shop'],
      ['shop', 'add'],
      ['shop', 'add', 'steps'],
      ['shop', 'add', 'steps', 'step_1'],
    ]);
  });

  it('also hides an outer unfolding tool that has no other tools', async () => {
    const shop = defineUnfolding({ name: 'shop', description: 'Shop.', tools: [steps] });
    const session = createSession([shop, add], [callTools('add'), 'Done.']);
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([['add'], ['add', 'shop']]);
  });
});
