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
  answeringTool,
  Customer,
  calls,
  clerk,
  customer,
  getCall,
  getCustomer,
  Id,
  listCustomers,
  offeredTools,
  results,
  turnOf,
  UNBOUND,
} from './scenes.ts';

const spendCall = calls(['average_spend', { months: 3 }]);
const desk = (more: Partial<AgenticToolConfig<string, typeof Id>> = {}) =>
  defineAgenticTool({
    name: 'desk',
    description: 'Works at the desk.',
    input: Id,
    instructions: 'You are the desk.',
    tools: [getCustomer],
    ...more,
  });
const callDesk = (id: string) => calls(['desk', { id }]);

/** Returns the results that the models of nested loops read, in order. */
const nestedResults = ({ requests }: Parameters<typeof results>[0]): string[] =>
  requests
    .filter(({ messages }) => messages[0]?.text !== 'Help.')
    .flatMap(({ messages }) => messages.at(-1) ?? [])
    .flatMap((message) => (message.role === 'tool' ? [message.text] : []));

const playbook = (entries: readonly Chained[]) =>
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
    const { session } = await turnOf(clerk([desk({ use: [chaining([chainFrom(Customer)])] })]), [
      callDesk('1'),
      spendCall,
      getCall('c1'),
      spendCall,
      'Spent.',
    ]);
    expect(offeredTools(session)).toEqual([
      ['desk'],
      ...[1, 2, 3, 4].map(() => ['average_spend', 'get_customer']),
      ['desk'],
    ]);
    expect(nestedResults(session)).toEqual([UNBOUND, JSON.stringify(customer('c1')), 'Name of c1 2020: 30']);
  });

  it('offers the tools of any object with chainAny, and those of several objects with `discover` (AGT-11)', async () => {
    const { session } = await turnOf(clerk([desk({ use: [chaining([chainAny()])] })]), [
      callDesk('1'),
      getCall('c1'),
      spendCall,
      'Spent.',
    ]);
    expect(nestedResults(session)[1]).toBe('Name of c1 2020: 30');
    const { session: several } = await turnOf(
      clerk([
        desk({ use: [chaining([chainAny(), discover(Customer)])], tools: [listCustomers('c1', 'c2')] }),
      ]),
      [callDesk('1'), calls('list_customers'), 'Listed.'],
    );
    expect(offeredTools(several)[2]).toEqual([
      'list_customers',
      'customer_c1_average_spend',
      'customer_c2_average_spend',
    ]);
  });

  it('binds its own result in the outer loop, while each loop has its own objects', async () => {
    const { session } = await turnOf(clerk([desk()], [chainFrom(Customer)]), [
      callDesk('1'),
      getCall('c1'),
      'Here is c1.',
      spendCall,
    ]);
    expect(results(session)).toEqual(['Here is c1.', 'Name of c1 2020: 30']);
    expect(offeredTools(session)[1]).toEqual(['get_customer']);
    expect((await session.state()).memories.get('chaining')).toMatchObject([{ path: 'clerk', frame: '' }]);
  });

  it('binds no object in the outer loop if its result is a list of several objects (CHN-07)', async () => {
    const two = calls(['get_customer', { id: 'c1' }], ['get_customer', { id: 'c2' }]);
    const { session } = await turnOf(clerk([desk()], [chainFrom(Customer)]), [
      callDesk('1'),
      two,
      'Here they are.',
      spendCall,
    ]);
    expect(results(session)).toEqual(['Here they are.', UNBOUND]);
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
    const session = createTestSession(clerk([desk({ use: [chaining([chainFrom(Customer)])] })]), { replies });
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
        value: customer('c1'),
      },
    ]);
    session.restart();
    await session.send('And?');
    expect(nestedResults(session).at(-1)).toBe('Name of c1 2020: 30');
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
    const agent = clerk([desk({ use: [chaining([chainFrom(Customer)])], tools: [getCustomer, kills] })]);
    const replies = [callDesk('1'), getCall('c1'), calls('kills'), spendCall, 'Spent.', 'Done.'];
    const session = createTestSession(agent, { replies });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(runs).toBe(2);
    expect(nestedResults(session).at(-1)).toBe('Name of c1 2020: 30');
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
      '{"id":"1"}': [getCall('c1'), calls('wait'), spendCall, 'First.'],
      '{"id":"2"}': [getCall('c2'), spendCall, 'Second.'],
      '{"id":"3"}': [calls('wait'), spendCall, 'Third.'],
      'Go.': [calls(['desk', { id: '1' }], ['desk', { id: '2' }], ['desk', { id: '3' }]), 'Done.'],
      'Later.': [callDesk('4'), 'Done.'],
      '{"id":"4"}': [spendCall, 'Fourth.'],
    };
    const read: Record<string, string | undefined> = {};
    const session = createTestSession(clerk([desk({ use: [chaining([chainFrom(Customer)])], tools })]), {
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
    });
    await session.send('Go.');
    expect(read).toMatchObject({
      '{"id":"1"}': 'Name of c1 2020: 30',
      '{"id":"2"}': 'Name of c2 2020: 30',
      '{"id":"3"}': UNBOUND,
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
      locked: [{ tool: answeringTool('report', 'Reported.'), unlockedBy: after(getCustomer) }],
      use: [chaining([chainFrom(Customer), discover(Customer)])],
    });
    const { session } = await turnOf(clerk([locked]), [
      callDesk('1'),
      spendCall,
      getCall('c1'),
      spendCall,
      'Spent.',
    ]);
    expect(offeredTools(session)[1]).toEqual(['average_spend', 'get_customer', 'report']);
    expect(nestedResults(session)[0]).toBe(UNBOUND);
    expect(nestedResults(session)[2]).toBe('Name of c1 2020: 30');
    expect(offeredTools(session)[3]).toContain('customer_c1_average_spend');
    const { session: any } = await turnOf(clerk([playbook([chainAny()])]), [
      callDesk('1'),
      getCall('c1'),
      spendCall,
      'Spent.',
    ]);
    expect(nestedResults(any)[1]).toBe('Name of c1 2020: 30');
  });

  it('runs a call with the object that the previous call of the batch has bound, since they run one after another', async () => {
    const batch = (id: string) => calls(['get_customer', { id }], ['average_spend', { months: 3 }]);
    const { session } = await turnOf(clerk([playbook([chainFrom(Customer)])]), [
      callDesk('1'),
      batch('c1'),
      batch('c2'),
      'Spent.',
    ]);
    expect(nestedResults(session)).toEqual(['Name of c1 2020: 30', 'Name of c2 2020: 30']);
  });

  it('has separate objects for each key, and drops those of a restarted key', async () => {
    const again = calls(['desk', { id: '1', anew: true }]);
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
    const session = createTestSession(clerk([playbook([chainFrom(Customer)])]), { replies });
    await session.send('Get both.');
    session.restart();
    await session.send('And?');
    session.restart();
    await session.send('And now?');
    expect(nestedResults(session).slice(2)).toEqual([
      'Name of c1 2020: 30',
      'Name of c2 2020: 30',
      UNBOUND,
      UNBOUND,
      'Name of c2 2020: 30',
    ]);
  });
});

describe('a state machine with chaining', () => {
  const machine = (entries: readonly Chained[], hideUnavailable = false) =>
    defineStateMachine({
      name: 'desk',
      description: 'Works at the desk.',
      input: Id,
      key: ({ id }) => id,
      initial: 'open',
      states: {
        open: [{ tool: answeringTool('shut', 'Shut.'), to: 'closed' }],
        closed: [],
      },
      everywhere: [getCustomer],
      hideUnavailable,
      use: [chaining(entries)],
    });

  it.each([false, true])(
    'offers the tools of an object in every state, with hideUnavailable %s (AGT-10)',
    async (hide) => {
      const { session } = await turnOf(clerk([machine([chainFrom(Customer)], hide)]), [
        callDesk('1'),
        getCall('c1'),
        spendCall,
        calls('shut'),
        spendCall,
        'Spent.',
      ]);
      const read = nestedResults(session);
      expect(read[1]).toBe('Name of c1 2020: 30');
      expect(read[3]).toBe('Name of c1 2020: 30');
      expect(
        offeredTools(session)
          .slice(1, -1)
          .every((names) => names.includes('average_spend')),
      ).toBe(true);
    },
  );

  it('offers the tools of any object with chainAny (AGT-11)', async () => {
    const { session } = await turnOf(clerk([machine([chainAny()], true)]), [
      callDesk('1'),
      getCall('c1'),
      spendCall,
      'Spent.',
    ]);
    expect(nestedResults(session)[1]).toBe('Name of c1 2020: 30');
  });
});
