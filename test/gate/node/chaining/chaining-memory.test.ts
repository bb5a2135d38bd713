import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { artifact, defineDomainType, defineTool } from '../../../../src/index.ts';
import { chainFrom, type DiscoveredType, discover } from '../../../../src/kinds/entry.ts';
import { answers as asking } from '../../../../src/modules/answers/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { createTestSession, type TestSession } from '../../../../src/testing/entry.ts';
import { waitForEvent } from '../../../fixtures/stored.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';
import {
  Customer,
  callTools,
  createAnsweringTool,
  createClerk,
  createCustomerData,
  createReturningTool,
  getCall,
  getCustomer,
  getOfferedTools,
  getResults,
  runTurn,
  UNBOUND_ERROR,
} from './scenes.ts';

const spendCall = callTools(['average_spend', { months: 3 }]);

/** Returns the bindings in the state of the session. */
const readChainingMemory = async (session: TestSession) => (await session.state()).memories.get('chaining');

describe('the object of a chain', () => {
  it('belongs to the session, so later turns can use it, even after a restart', async () => {
    const replies = [getCall('c1'), 'Got.', spendCall, 'Spent.', spendCall, 'Spent.'];
    const session = createTestSession(createClerk([getCustomer], [chainFrom(Customer)]), { replies });
    await session.send('Get c1.');
    await session.send('And?');
    expect(getResults(session).at(-1)).toBe('Name of c1 2020: 30');
    session.restart();
    await session.send('Again?');
    expect(getResults(session).at(-1)).toBe('Name of c1 2020: 30');
  });

  it('is read from a snapshot if the journal is long, like discovered objects', async () => {
    const idle = Array.from({ length: 70 }, () => [callTools('idle'), 'Idle.']).flat();
    const agent = createClerk(
      [getCustomer, createAnsweringTool('idle', 'Idle.')],
      [chainFrom(Customer), discover(Customer)],
    );
    const replies = [getCall('c1'), 'Got.', ...idle, callTools('average_spend', 'customer_c1_average_spend')];
    const session = createTestSession(agent, { replies: [...replies, 'Spent.'] });
    await session.send('Get c1.');
    for (let turn = 0; turn < 70; turn += 1) await session.send('Idle.');
    const before = await readChainingMemory(session);
    session.restart();
    expect(await readChainingMemory(session)).toEqual(before);
    await session.send('And?');
    expect(getOfferedTools(session).at(-1)).toEqual([
      'average_spend',
      'get_customer',
      'idle',
      'customer_c1_average_spend',
    ]);
    expect(getResults(session).slice(-2)).toEqual([
      expect.stringMatching(/^Error: .*months/s),
      expect.stringMatching(/^Error: .*months/s),
    ]);
  });

  it('is stored once in the journal, as JSON without secrets (CHN-17)', async () => {
    const leaky = defineTool({
      name: 'leaky',
      description: 'Leaks.',
      effect: 'read',
      output: Customer,
      run: (_, { secrets }) => ({ ...createCustomerData('c1'), name: `Ann ${secrets.require('KEY')}` }),
    });
    const seen: unknown[] = [];
    const recordValue = (value: unknown) => seen.push(value) > 0;
    const watched: DiscoveredType = { ...discover(Customer), accepts: recordValue };
    const { session } = await runTurn(
      createClerk([leaky], [watched, chainFrom(Customer)]),
      [callTools('leaky'), spendCall],
      { secrets: () => ({ KEY: 'hunter22' }) },
    );
    const journal = JSON.stringify(await session.events());
    expect(journal).not.toContain('hunter22');
    expect(journal.split('Ann [secret KEY]')).toHaveLength(3); // In the artifact, and in the result of `average_spend`.
    expect(JSON.stringify(seen)).not.toContain('hunter22');
    expect(await readChainingMemory(session)).toMatchObject([
      { as: 'one', value: { name: 'Ann [secret KEY]' } },
      { as: 'many', value: { name: 'Ann [secret KEY]' } },
    ]);
    expect(getResults(session)[1]).toBe('Ann [secret KEY] 2020: 30');
  });

  it('is ignored if its type no longer accepts the stored JSON (CHN-02, CHN-17)', async () => {
    const warned = captureWarnings();
    let version = 1;
    const Dated = defineDomainType({
      name: 'Dated',
      schema: v.object({
        version: v.pipe(
          v.number(),
          v.check((of) => of === version),
        ),
      }),
      id: () => 'd1',
      tools: () => [createAnsweringTool('show', 'Shown.')],
    });
    const get = createReturningTool('get', Dated, () => ({ version }));
    const replies = [
      callTools('get'),
      'Got.',
      callTools('show', 'dated_d1_show'),
      'Old.',
      callTools('get'),
      callTools('show'),
      'New.',
    ];
    const session = createTestSession(createClerk([get], [chainFrom(Dated), discover(Dated)]), { replies });
    await session.send('Get.');
    version = 2;
    session.restart();
    await session.send('Show.');
    expect(getOfferedTools(session).at(-1)).toEqual(['get', 'show']);
    expect(getResults(session).at(-2)).toBe(
      'This tool is not yet available. You must first retrieve a single Dated instance.',
    );
    expect(getResults(session).at(-1)).toMatch(/^Error: Tool 'dated_d1_show' does not exist\./);
    await session.send('Get again.');
    expect(getResults(session).at(-1)).toBe('Shown.');
    expect(warned).toEqual([]);
  });

  it('is available to the next invocation if its tool was running when the Worker was killed', async () => {
    const ran: string[] = [];
    let session: TestSession | undefined;
    const Account = defineDomainType({
      name: 'Account',
      schema: v.object({ id: v.string() }),
      tools: ({ id }) => [
        defineTool({
          name: 'close',
          description: 'Closes.',
          effect: 'idempotent',
          run: async (_, { idempotencyKey }) => {
            ran.push(idempotencyKey);
            if (ran.length === 1) {
              session?.kill();
              await new Promise(() => {});
            }
            return `Closed ${id}.`;
          },
        }),
      ],
    });
    const replies = [callTools('get'), callTools('close'), 'Done.'];
    session = createTestSession(
      createClerk([createReturningTool('get', Account, { id: 'a1' })], [chainFrom(Account)]),
      {
        replies,
      },
    );
    expect(await session.send('Close a1.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(getResults(session)[1]).toBe('Closed a1.');
    expect(ran).toHaveLength(2);
    expect(new Set(ran).size).toBe(1);
  });

  it('changes only at the end of a batch, even if another invocation ends the batch (CHN-16)', async () => {
    let killed = false;
    const slow = defineTool({
      name: 'slow',
      description: 'Is slow.',
      effect: 'read',
      output: Customer,
      run: async () => {
        if (!killed) {
          killed = true;
          await waitForEvent(session, ({ type }) => type === 'tool-call-ended', 2); // The other calls.
          session.kill();
          await new Promise(() => {});
        }
        return createCustomerData('slow');
      },
    });
    const batch = callTools(['get_customer', { id: 'c1' }], 'slow', ['average_spend', { months: 1 }]);
    const agent = createClerk([getCustomer, slow], [chainFrom(Customer), discover(Customer)]);
    const session: TestSession = createTestSession(agent, { replies: [batch, spendCall, 'Done.'] });
    await session.send('Go.');
    expect(getResults(session)).toEqual([
      JSON.stringify(createCustomerData('c1')),
      JSON.stringify(createCustomerData('slow')),
      UNBOUND_ERROR,
      'Name of slow 2020: 30',
    ]);
    expect(await readChainingMemory(session)).toMatchObject([
      { as: 'many', id: 'c1' },
      { as: 'one', value: { id: 'slow' } },
      { as: 'many', id: 'slow' },
    ]);
  });

  it('is still bound when another Worker runs a call after its approval (CHN-15)', async () => {
    const Account = defineDomainType({
      name: 'Account',
      schema: v.object({ id: v.string() }),
      tools: ({ id }) => [
        requireApproval(
          defineTool({ name: 'close', description: 'Closes.', effect: 'once', run: () => `Closed ${id}.` }),
          () => `Close ${id}?`,
        ),
      ],
    });
    const session = createTestSession(
      createClerk([createReturningTool('get', Account, { id: 'a1' })], [chainFrom(Account)]),
      {
        use: [asking],
        replies: [callTools('get'), callTools('close'), 'Done.'],
      },
    );
    expect(await session.send('Close a1.')).toMatchObject({
      outcome: 'suspended',
      pending: [{ tool: 'close', message: 'Close a1?' }],
    });
    session.restart();
    expect(await session.decide('close', 'approve')).toMatchObject({ outcome: 'completed' });
    expect(getResults(session)[1]).toBe('Closed a1.');
  });

  it('can be eight megabytes in size, and a note below the result stores no second copy', async () => {
    const pages = 'x'.repeat(7 * 1024 * 1024);
    const Book = defineDomainType({
      name: 'Book',
      schema: v.object({ id: v.string(), pages: v.string() }),
      tools: (book) => [createAnsweringTool('length', () => `${book.pages.length}`)],
    });
    const replies = [
      callTools('get'),
      callTools('length', 'book_b1_length'),
      'Read.',
      callTools('length'),
      'Read.',
    ];
    const agent = createClerk(
      [createReturningTool('get', Book, { id: 'b1', pages })],
      [chainFrom(Book), discover(Book, { hint: true })],
    );
    const session = createTestSession(agent, { replies });
    await session.send('Read b1.');
    const json = `{"id":"b1","pages":"${pages}"}`;
    expect(getResults(session)).toEqual([
      `${json.slice(0, 65_536)}\n... [shortened: 65536 of ${json.length} characters are shown]\n\n` +
        '_availableOperations: book_b1_length',
      `${pages.length}`,
      `${pages.length}`,
    ]);
    const end = (await session.events()).find((event) => event.type === 'tool-call-ended');
    expect(JSON.stringify(end).length).toBeLessThan(pages.length + 1000);
    session.restart();
    await session.send('Again.');
    expect(getResults(session).at(-1)).toBe(`${pages.length}`);
  });

  it('is not bound if the result of the call was too large to be stored', async () => {
    const large = createAnsweringTool('large', () =>
      artifact('x'.repeat(9 * 1024 * 1024), Customer, createCustomerData('c1')),
    );
    const { session } = await runTurn(createClerk([large], [chainFrom(Customer)]), [
      callTools('large'),
      spendCall,
    ]);
    expect(getResults(session)[0]).toMatch(/^Error: Tool 'large' ran and finished, but its result/);
    expect(getResults(session)[1]).toBe(UNBOUND_ERROR);
  });
});
