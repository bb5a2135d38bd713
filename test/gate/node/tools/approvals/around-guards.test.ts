/** A name, a list, a loop or an inner guard cannot bypass the guard of an unfolding tool. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineDomainType, defineTool, toolProvider } from '../../../../../src/index.ts';
import {
  after,
  chainFrom,
  chaining,
  defineAgenticTool,
  definePlaybook,
  defineStateMachine,
  defineUnfolding,
  unfolding,
  withInnerTools,
} from '../../../../../src/kinds/entry.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import {
  decorate,
  requireApproval,
  withConfirmation,
  withReview,
} from '../../../../../src/modules/decorators/entry.ts';
import type { ScriptedReply, TestSession } from '../../../../../src/testing/entry.ts';
import { getShownResults } from '../../tool-loop/scenes.ts';
import {
  callTools,
  createSession,
  createTool,
  formatOpenedText,
  getLastResults,
  getOfferedTools,
} from '../../unfolding/scenes.ts';

const createOffice = (...tools: readonly AnyTool[]): AnyTool =>
  defineUnfolding({ name: 'office', description: 'The office.', tools });
const withApproval = (tool: AnyTool, who = 'Guard'): AnyTool =>
  requireApproval(tool, (_, call) => `${who}: ${call.tool}?`);

/** Approves every question, and returns the messages in order. */
async function approveAll(session: TestSession): Promise<readonly string[]> {
  const messages: string[] = [];
  for (let [next] = await session.pending(); next; [next] = await session.pending()) {
    messages.push(next.message);
    session.restart();
    await session.decide(next.call, 'approve');
  }
  return messages;
}

/** Returns the questions of a turn with these tools and replies, and its session. */
async function runTurn(tools: readonly AnyTool[], ...replies: readonly ScriptedReply[]) {
  const session = createSession(tools, [...replies, 'Done.'], { use: [answers] });
  await session.send('Go.');
  return { session, asked: await approveAll(session) };
}

const EMPTY_INPUT_SCHEMA = v.object({});

describe('a tool inside a guarded unfolding tool', () => {
  it('does not run if the model passes its input to the unfolding tool, because that call only opens the tool', async () => {
    const { session, asked } = await runTurn(
      [withApproval(createOffice(createTool('pay')))],
      callTools(['office', { pay: {} }]),
      callTools('pay'),
    );
    expect(getLastResults(session)).toEqual([formatOpenedText('pay'), 'pay done']);
    expect(asked).toEqual(['Guard: pay?']);
  });

  it('is named in the question by its offered name if another tool has the same name', async () => {
    const pay = createTool('pay');
    const { session, asked } = await runTurn(
      [withApproval(createOffice(pay)), pay],
      callTools('office'),
      callTools('office_pay', 'pay'),
    );
    expect(getOfferedTools(session)[1]).toEqual(['office', 'pay', 'office_pay']);
    expect(asked).toEqual(['Guard: office_pay?']);
  });

  it('is guarded if it is added later', async () => {
    const more = withInnerTools(withApproval(createOffice(createTool('pay'))), createTool('more'));
    const { asked } = await runTurn([more], callTools(['office', { more: {} }]), callTools('more'));
    expect(asked).toEqual(['Guard: more?']);
  });

  it('is guarded if another unfolding tool also contains it, unless only the other one is open', async () => {
    const pay = createTool('pay');
    const free = defineUnfolding({ name: 'free', description: 'Free.', tools: [pay] });
    const first = await runTurn(
      [withApproval(createOffice(pay)), free],
      callTools('office'),
      callTools('free'),
      callTools('pay'),
    );
    expect(first.asked).toEqual(['Guard: pay?']);
    const second = await runTurn(
      [withApproval(createOffice(pay)), free],
      callTools('free'),
      callTools('office'),
      callTools('pay', 'office_pay'),
    );
    expect(second.asked).toEqual(['Guard: office_pay?']);
  });

  it('is guarded in the loop of an agentic tool', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: EMPTY_INPUT_SCHEMA,
      tools: [withApproval(createOffice(createTool('pay')))],
    });
    const { session, asked } = await runTurn(
      [dig],
      callTools('dig'),
      callTools('office'),
      callTools('pay'),
      'Dug.',
    );
    expect(asked).toEqual(['Guard: pay?']);
    expect(getShownResults(session.requests.at(-2))).toEqual([formatOpenedText('pay'), 'pay done']);
  });

  it('is guarded in a playbook, which asks no question about a locked tool', async () => {
    const book = definePlaybook({
      name: 'book',
      description: 'Plays.',
      input: EMPTY_INPUT_SCHEMA,
      tools: [createTool('search')],
      locked: [{ tool: withApproval(createOffice(createTool('pay'))), unlockedBy: after('search') }],
    });
    const { session, asked } = await runTurn(
      ...[[book], callTools('book'), callTools('office'), callTools('search'), callTools('office')],
      ...[callTools('pay'), 'Played.'],
    );
    expect(asked).toEqual(['Guard: pay?']);
    expect(getShownResults(session.requests.at(-2)).at(-1)).toBe('pay done');
  });

  it('is guarded in a state machine, which asks no question in a wrong state', async () => {
    const machine = defineStateMachine({
      name: 'orders',
      description: 'Orders.',
      input: EMPTY_INPUT_SCHEMA,
      initial: 'draft',
      states: {
        draft: [{ tool: withApproval(createOffice(createTool('pay'))), to: 'paid' }],
        paid: [createTool('ship')],
      },
    });
    const { session, asked } = await runTurn(
      [machine],
      callTools('orders'),
      callTools('office'),
      callTools('pay'),
      ...[callTools('pay'), 'Played.'],
    );
    expect(asked).toEqual(['Guard: pay?']);
    expect(getShownResults(session.requests.at(-2)).at(-1)).toBe(
      'This tool is not available in the current state (paid). It is only available in state: draft',
    );
  });

  it('is guarded if an object offers it, even after the same reply replaces the object', async () => {
    const paid: string[] = [];
    const createPayTool = (name: string, id: string) =>
      defineTool({ name, description: 'Pays.', run: () => paid[paid.push(`${name} ${id}`) - 1] });
    const Customer = defineDomainType({
      name: 'Customer',
      schema: v.object({ id: v.string() }),
      tools: ({ id }) => [
        withApproval(
          createOffice(
            createPayTool('pay', id),
            defineUnfolding({ name: 'more', description: 'More.', tools: [createPayTool('deep', id)] }),
          ),
        ),
      ],
    });
    const get = defineTool({
      name: 'get',
      description: 'Gets.',
      input: v.object({ id: v.string() }),
      output: Customer,
      effect: 'read',
      run: (input) => input,
    });
    const book = definePlaybook({
      name: 'book',
      description: 'Plays.',
      input: EMPTY_INPUT_SCHEMA,
      use: [chaining([chainFrom(Customer)])],
      tools: [get],
      locked: [],
    });
    const { asked } = await runTurn(
      ...[[book], callTools('book'), callTools(['get', { id: '1' }]), callTools('office'), callTools('more')],
      ...[callTools(['get', { id: '2' }], 'pay', 'deep'), 'Played.'],
    );
    expect(asked).toEqual(['Guard: pay?', 'Guard: deep?']);
    expect(paid).toEqual(['pay 2', 'deep 2']);
  });
});

describe('a deployment that adds a guard to an unfolding tool', () => {
  const files: AnyTool = defineUnfolding({
    name: 'office',
    description: 'The office.',
    scope: 'session',
    tools: [createTool('pay')],
  });
  const guarded = withApproval(files);

  /** A session that runs the code in `before`, and the code in `after` once `deploy` is called. */
  function createDeployedSession(before: AnyTool, after: AnyTool, replies: readonly ScriptedReply[]) {
    let now = before;
    const session = createSession(
      [toolProvider({ uses: [unfolding, answers], toolsNow: () => [now] })],
      replies,
    );
    const deploy = (): void => {
      now = after;
      session.restart();
    };
    return { session, deploy };
  }

  it('requires approval for the tools that are already open', async () => {
    const replies = [callTools('office'), callTools('pay'), 'Paid.', callTools('pay'), 'Paid again.'];
    const { session, deploy } = createDeployedSession(files, guarded, replies);
    expect(await session.send('Pay.')).toMatchObject({ text: 'Paid.' });
    deploy();
    expect(await session.send('Again.')).toMatchObject({ outcome: 'suspended' });
    expect(await approveAll(session)).toEqual(['Guard: pay?']);
  });

  it('opens an unfolding tool whose opening waited, after any decision, and asks about its inner tools', async () => {
    const opening = requireApproval(files, 'Open?', { covers: 'opening' });
    const { session, deploy } = createDeployedSession(opening, guarded, [
      callTools('office'),
      callTools('pay'),
      'Paid.',
    ]);
    expect(await session.send('Pay.')).toMatchObject({ outcome: 'suspended' });
    deploy();
    expect(await session.decide('office', 'reject')).toMatchObject({ outcome: 'suspended' });
    expect(getLastResults(session)).toEqual([formatOpenedText('pay')]);
    expect(await approveAll(session)).toEqual(['Guard: pay?']);
  });
});

describe('two guards', () => {
  const createInnerTool = (who: string) => withApproval(createTool('pay'), who);

  it('apply in order: first the guard of the unfolding tool, then the guard of the inner tool', async () => {
    const { session, asked } = await runTurn(
      [withApproval(createOffice(createInnerTool('Own')))],
      callTools('office'),
      callTools('pay'),
    );
    expect(asked).toEqual(['Guard: pay?', 'Own: pay?']);
    expect(getLastResults(session)[1]).toBe('pay done');
  });

  it('apply from the outside in if one is around the other', async () => {
    const both = withApproval(withConfirmation(createOffice(createTool('pay')), 'Inner?'), 'Outer');
    const { session, asked } = await runTurn([both], callTools('office'), callTools('pay'));
    expect(asked).toEqual(['Outer: pay?', 'Inner?']);
    expect((await session.state()).blackboard).toEqual([{ value: {} }]);
  });

  it('do not ask the inner question if the outer guard declines', async () => {
    const rejecting = withReview(createOffice(createInnerTool('Own')), () => ({ decision: 'reject' }));
    const { session, asked } = await runTurn([rejecting], callTools('office'), callTools('pay'));
    expect(asked).toEqual([]);
    expect(getLastResults(session)[1]).toBe(
      "Error: This call of 'pay' was declined and did not run. Do not repeat it unchanged.",
    );
  });

  it('both apply if an inner unfolding tool has its own guard', async () => {
    const more = defineUnfolding({ name: 'more', description: 'More.', tools: [createTool('deep')] });
    const outer = withApproval(createOffice(withApproval(more, 'Own'), createTool('pay')));
    const { asked } = await runTurn(
      [outer],
      callTools('office'),
      callTools('more'),
      callTools('deep'),
      callTools('pay'),
    );
    expect(asked).toEqual(['Guard: deep?', 'Own: deep?', 'Guard: pay?']);
  });

  it('both apply if the inner one asks when its tool opens', async () => {
    const more = defineUnfolding({ name: 'more', description: 'More.', tools: [createTool('deep')] });
    const outer = withApproval(createOffice(requireApproval(more, 'Open?', { covers: 'opening' })));
    const { asked } = await runTurn([outer], callTools('office'), callTools('more'), callTools('deep'));
    expect(asked).toEqual(['Open?', 'Guard: deep?']);
  });

  it('both apply at every level if the unfolding tool also has a custom decorator', async () => {
    const log: string[] = [];
    const logCalls = (tool: AnyTool): AnyTool =>
      decorate(tool, {
        call(input, call) {
          log.push(call.tool);
          return tool.call(input, call);
        },
      });
    const more = defineUnfolding({ name: 'more', description: 'More.', tools: [createTool('deep')] });
    const last = defineUnfolding({ name: 'last', description: 'Last.', tools: [withApproval(more, 'Own')] });
    const { asked } = await runTurn(
      ...[
        [decorate(createOffice(last), { adopt: logCalls })],
        callTools('office'),
        callTools('last'),
        callTools('more'),
      ],
      callTools('deep'),
    );
    expect(asked).toEqual(['Own: deep?']);
    expect(log).toEqual(['last', 'more', 'deep', 'deep']); // the call restarts after the decision
  });
});
