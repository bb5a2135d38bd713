import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import {
  type AgenticToolConfig,
  after,
  type Chained,
  chainAny,
  chainFrom,
  chaining,
  defineAgenticTool,
  definePlaybook,
  defineStateMachine,
  discover,
} from '../../../../src/kinds/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { startStored, waitForEvent } from '../../../fixtures/stored.ts';
import {
  Customer,
  callTools,
  createAnsweringTool,
  createClerk,
  createCustomerData,
  getCall,
  getCustomer,
  getOfferedTools,
  getResults,
  Id,
  listCustomers,
  runTurn,
  UNBOUND_ERROR,
} from './scenes.ts';

const spendCall = callTools(['average_spend', { months: 3 }]);
const createDesk = (more: Partial<AgenticToolConfig<string, typeof Id>> = {}) =>
  defineAgenticTool({
    name: 'desk',
    description: 'Works at the desk.',
    input: Id,
    instructions: 'You are the desk.',
    tools: [getCustomer],
    ...more,
  });
const callDesk = (id: string) => callTools(['desk', { id }]);

/** Returns the results that the models of nested loops read, in order. */
const getNestedResults = ({ requests }: Parameters<typeof getResults>[0]): string[] =>
  requests
    .filter(({ messages }) => messages[0]?.text !== 'Help.')
    .flatMap(({ messages }) => messages.at(-1) ?? [])
    .flatMap((message) => (message.role === 'tool' ? [message.text] : []));

const createPlaybook = (entries: readonly Chained[]) =>
  definePlaybook({
    name: 'desk',
    description: 'Works at the desk.',
    input: v.object({ id: v.string(), anew: v.optional(v.boolean()) }),
    key: ({ id }) => id,
    reset: ({ anew }) => anew ?? false,
    tools: [getCustomer],
    locked: [],
    use: [chaining(entries)],
  });

describe('an agentic tool with chaining', () => {
  it('offers the tools of an object once one of its calls has returned it (AGT-10, PRN-06)', async () => {
    const { session } = await runTurn(createClerk([createDesk({ use: [chaining([chainFrom(Customer)])] })]), [
      callDesk('1'),
      spendCall,
      getCall('c1'),
      spendCall,
      'Spent.',
    ]);
    expect(getOfferedTools(session)).toEqual([
      ['desk'],
      ...[1, 2, 3, 4].map(() => ['average_spend', 'get_customer']),
      ['desk'],
    ]);
    expect(getNestedResults(session)).toEqual([
      UNBOUND_ERROR,
      JSON.stringify(createCustomerData('c1')),
      'Name of c1 2020: 30',
    ]);
  });

  it('offers the tools of any object with chainAny, and those of several objects with `discover` (AGT-11)', async () => {
    const { session } = await runTurn(createClerk([createDesk({ use: [chaining([chainAny()])] })]), [
      callDesk('1'),
      getCall('c1'),
      spendCall,
      'Spent.',
    ]);
    expect(getNestedResults(session)[1]).toBe('Name of c1 2020: 30');
    const { session: several } = await runTurn(
      createClerk([
        createDesk({ use: [chaining([chainAny(), discover(Customer)])], tools: [listCustomers('c1', 'c2')] }),
      ]),
      [callDesk('1'), callTools('list_customers'), 'Listed.'],
    );
    expect(getOfferedTools(several)[2]).toEqual([
      'list_customers',
      'customer_c1_average_spend',
      'customer_c2_average_spend',
    ]);
  });

  it('binds its own result in the outer loop, while each loop has its own objects', async () => {
    const { session } = await runTurn(createClerk([createDesk()], [chainFrom(Customer)]), [
      callDesk('1'),
      getCall('c1'),
      'Here is c1.',
      spendCall,
    ]);
    expect(getResults(session)).toEqual(['Here is c1.', 'Name of c1 2020: 30']);
    expect(getOfferedTools(session)[1]).toEqual(['get_customer']);
    expect((await session.state()).memories.get('chaining')).toMatchObject([{ path: 'clerk', frame: '' }]);
  });

  it('binds no object in the outer loop if its result is a list of several objects (CHN-07)', async () => {
    const two = callTools(['get_customer', { id: 'c1' }], ['get_customer', { id: 'c2' }]);
    const { session } = await runTurn(createClerk([createDesk()], [chainFrom(Customer)]), [
      callDesk('1'),
      two,
      'Here they are.',
      spendCall,
    ]);
    expect(getResults(session)).toEqual(['Here they are.', UNBOUND_ERROR]);
  });

  it('keeps its objects for the session under its path', async () => {
    const replies = [
      callDesk('1'),
      getCall('c1'),
      'Got.',
      'Done.',
      callDesk('2'),
      spendCall,
      'Spent.',
      'Done.',
    ];
    const session = createTestSession(createClerk([createDesk({ use: [chaining([chainFrom(Customer)])] })]), {
      replies,
    });
    await session.send('Get c1.');
    expect((await session.state()).memories.get('chaining')).toEqual([
      {
        path: 'clerk/desk',
        key: '',
        frame: '',
        as: 'one',
        type: 'Customer',
        call: expect.any(String),
        at: -1,
        value: createCustomerData('c1'),
      },
    ]);
    session.restart();
    await session.send('And?');
    expect(getNestedResults(session).at(-1)).toBe('Name of c1 2020: 30');
  });

  it('still has its object when it resumes after a kill', async () => {
    let runs = 0;
    const kills = defineTool({
      name: 'kills',
      description: 'Kills.',
      effect: 'read',
      run: async (_, call) => {
        runs += 1;
        if (runs > 1) return 'Survived.';
        await startStored(session, call);
        session.kill();
        return new Promise(() => {});
      },
    });
    const agent = createClerk([
      createDesk({ use: [chaining([chainFrom(Customer)])], tools: [getCustomer, kills] }),
    ]);
    const replies = [callDesk('1'), getCall('c1'), callTools('kills'), spendCall, 'Spent.', 'Done.'];
    const session = createTestSession(agent, { replies });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(runs).toBe(2);
    expect(getNestedResults(session).at(-1)).toBe('Name of c1 2020: 30');
  });

  it('never uses an object that a parallel call of the same tool retrieves', async () => {
    // Each call retrieves its own customer. The first call waits until the second has finished.
    const gone = Promise.withResolvers<void>();
    const isEndOf = (call: string) => (event: SessionEvent) =>
      event.type === 'tool-call-ended' && event.call.endsWith(call);
    const slow = defineTool({
      name: 'wait',
      description: 'Waits.',
      effect: 'read',
      run: () => gone.promise.then(() => 'Waited.'),
    });
    const tools = [getCustomer, slow];
    const scripts: Record<string, unknown[]> = {
      '{"id":"1"}': [getCall('c1'), callTools('wait'), spendCall, 'First.'],
      '{"id":"2"}': [getCall('c2'), spendCall, 'Second.'],
      '{"id":"3"}': [callTools('wait'), spendCall, 'Third.'],
      'Go.': [callTools(['desk', { id: '1' }], ['desk', { id: '2' }], ['desk', { id: '3' }]), 'Done.'],
      'Later.': [callDesk('4'), 'Done.'],
      '{"id":"4"}': [spendCall, 'Fourth.'],
    };
    const read: Record<string, string | undefined> = {};
    const session = createTestSession(
      createClerk([createDesk({ use: [chaining([chainFrom(Customer)])], tools })]),
      {
        replies: Array.from({ length: 30 }, () => ({ messages }) => {
          const users = messages.flatMap((message) => (message.role === 'user' ? [message.text] : []));
          const of = users.at(-1) ?? '';
          read[of] = messages.at(-1)?.text;
          const reply = scripts[of]?.shift();
          if (reply === 'Second.') void waitForEvent(session, isEndOf('.3.1')).then(gone.resolve);
          return reply as string;
        }),
        // A tool waits for another loop, so the invocation must stay warm: after a hand-over no call would
        // start.
        warm: true,
      },
    );
    await session.send('Go.');
    expect(read).toMatchObject({
      '{"id":"1"}': 'Name of c1 2020: 30',
      '{"id":"2"}': 'Name of c2 2020: 30',
      '{"id":"3"}': UNBOUND_ERROR,
    });
    expect((await session.state()).memories.get('chaining')).toMatchObject([
      { frame: '', value: { id: 'c1' } },
    ]);
    await session.send('Later.');
    expect(read['{"id":"4"}']).toBe('Name of c1 2020: 30');
  });
});

describe('a playbook with chaining', () => {
  it('offers the tools of an object regardless of locks, with chainAny too (AGT-10, AGT-11)', async () => {
    const locked = definePlaybook({
      name: 'desk',
      description: 'Works at the desk.',
      input: Id,
      tools: [getCustomer],
      locked: [{ tool: createAnsweringTool('report', 'Reported.'), unlockedBy: after(getCustomer) }],
      use: [chaining([chainFrom(Customer), discover(Customer)])],
    });
    const { session } = await runTurn(createClerk([locked]), [
      callDesk('1'),
      spendCall,
      getCall('c1'),
      spendCall,
      'Spent.',
    ]);
    expect(getOfferedTools(session)[1]).toEqual(['average_spend', 'get_customer', 'report']);
    expect(getNestedResults(session)[0]).toBe(UNBOUND_ERROR);
    expect(getNestedResults(session)[2]).toBe('Name of c1 2020: 30');
    expect(getOfferedTools(session)[3]).toContain('customer_c1_average_spend');
    const { session: any } = await runTurn(createClerk([createPlaybook([chainAny()])]), [
      callDesk('1'),
      getCall('c1'),
      spendCall,
      'Spent.',
    ]);
    expect(getNestedResults(any)[1]).toBe('Name of c1 2020: 30');
  });

  it('runs a call with the object that the previous call of the batch has bound, since calls run one after another', async () => {
    const callBatch = (id: string) => callTools(['get_customer', { id }], ['average_spend', { months: 3 }]);
    const { session } = await runTurn(createClerk([createPlaybook([chainFrom(Customer)])]), [
      callDesk('1'),
      callBatch('c1'),
      callBatch('c2'),
      'Spent.',
    ]);
    expect(getNestedResults(session)).toEqual(['Name of c1 2020: 30', 'Name of c2 2020: 30']);
  });

  it('has separate objects for each key, and drops the objects of a restarted key', async () => {
    const again = callTools(['desk', { id: '1', anew: true }]);
    const replies = [
      ...[callDesk('1'), getCall('c1'), 'Got.', callDesk('2'), getCall('c2'), 'Got.', 'Done.'],
      ...[
        callDesk('1'),
        spendCall,
        'Spent.',
        callDesk('2'),
        spendCall,
        'Spent.',
        again,
        spendCall,
        'Spent.',
        'Done.',
      ],
      ...[callDesk('1'), spendCall, 'Spent.', callDesk('2'), spendCall, 'Spent.', 'Done.'],
    ];
    const session = createTestSession(createClerk([createPlaybook([chainFrom(Customer)])]), { replies });
    await session.send('Get both.');
    session.restart();
    await session.send('And?');
    session.restart();
    await session.send('And now?');
    expect(getNestedResults(session).slice(2)).toEqual([
      'Name of c1 2020: 30',
      'Name of c2 2020: 30',
      UNBOUND_ERROR,
      UNBOUND_ERROR,
      'Name of c2 2020: 30',
    ]);
  });
});

describe('a state machine with chaining', () => {
  const createMachine = (entries: readonly Chained[], hideUnavailable = false) =>
    defineStateMachine({
      name: 'desk',
      description: 'Works at the desk.',
      input: Id,
      key: ({ id }) => id,
      initial: 'open',
      states: {
        open: [{ tool: createAnsweringTool('shut', 'Shut.'), to: 'closed' }],
        closed: [],
      },
      everywhere: [getCustomer],
      hideUnavailable,
      use: [chaining(entries)],
    });

  it.each([false, true])(
    'offers the tools of an object in every state, with hideUnavailable %s (AGT-10)',
    async (hide) => {
      const { session } = await runTurn(createClerk([createMachine([chainFrom(Customer)], hide)]), [
        callDesk('1'),
        getCall('c1'),
        spendCall,
        callTools('shut'),
        spendCall,
        'Spent.',
      ]);
      const read = getNestedResults(session);
      expect(read[1]).toBe('Name of c1 2020: 30');
      expect(read[3]).toBe('Name of c1 2020: 30');
      expect(
        getOfferedTools(session)
          .slice(1, -1)
          .every((names) => names.includes('average_spend')),
      ).toBe(true);
    },
  );

  it('offers the tools of any object with chainAny (AGT-11)', async () => {
    const { session } = await runTurn(createClerk([createMachine([chainAny()], true)]), [
      callDesk('1'),
      getCall('c1'),
      spendCall,
      'Spent.',
    ]);
    expect(getNestedResults(session)[1]).toBe('Name of c1 2020: 30');
  });
});
