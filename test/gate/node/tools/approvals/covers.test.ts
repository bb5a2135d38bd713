/** The scope of a guard around an unfolding tool: its inner tools, or its opening. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineDomainType, type JsonObject, providerTool } from '../../../../../src/index.ts';
import { defineAgenticTool, defineUnfolding } from '../../../../../src/kinds/entry.ts';
import { createMcpToolFactory } from '../../../../../src/mcp/tools/entry.ts';
import {
  decorate,
  requireApproval,
  requireType,
  withAwaiting,
  withConfirmation,
  withName,
  withReview,
} from '../../../../../src/modules/decorators/entry.ts';
import { unfoldingOf } from '../../../../../src/modules/tool-objects/entry.ts';
import type { TestSession } from '../../../../../src/testing/entry.ts';
import { createSayingTool, createScene } from '../../mcp/tools/scenes.ts';
import {
  callTools,
  createCrashTool,
  createSession,
  createTool,
  formatOpenedText,
  getLastResults,
  getOfferedTools,
} from '../../unfolding/scenes.ts';
import { createRefundTool } from './refund.ts';

const REFUND_REPLY = callTools(['refund', { orderId: 7 }]);

/** An unfolding tool with a refund tool, and its recorded refunds. */
function createOffice(more = {}) {
  const { refund, refunds } = createRefundTool();
  const tools = [refund, createTool('look')];
  const unfolding = defineUnfolding({ name: 'office', description: 'The office.', tools, ...more });
  return { unfolding, refund, refunds };
}

/** The open questions, as shown to the person who decides. */
const listPendingQuestions = async (session: TestSession) =>
  (await session.pending()).map(({ tool, input, message }) => ({ tool, input, message }));

/** Approves every question, and returns the messages in order. */
async function approveAll(session: TestSession): Promise<readonly string[]> {
  const messages: string[] = [];
  for (let [next] = await session.pending(); next; [next] = await session.pending()) {
    messages.push(next.message);
    await session.decide(next.call, 'approve');
  }
  return messages;
}

describe('requireApproval of an unfolding tool', () => {
  it('does not ask when the tool opens, and asks about each call of an inner tool', async () => {
    const { unfolding, refunds } = createOffice();
    const session = createSession(
      [requireApproval(unfolding, 'May the clerk?')],
      [callTools('office'), REFUND_REPLY, callTools('look'), 'Done.'],
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
    expect(getLastResults(session)).toEqual([formatOpenedText('refund', 'look')]);
    expect(await listPendingQuestions(session)).toEqual([
      { tool: 'refund', input: { orderId: 7 }, message: 'May the clerk?' },
    ]);
    expect(refunds).toEqual([]);
    expect(await session.decide('refund', 'approve')).toMatchObject({ outcome: 'suspended' });
    expect(refunds).toEqual([{ orderId: 7, amount: 10 }]);
    const reason = 'Not now.';
    expect(await session.decide('look', { decision: 'reject', reason })).toMatchObject({ text: 'Done.' });
    expect(getLastResults(session).slice(1)).toEqual([
      '{"refunded":7,"amount":10}',
      "Error: This call of 'look' was declined and did not run. Do not repeat it unchanged. Reason: Not now.",
    ]);
  });

  it('passes the checked input of the inner tool to the message, and names that tool', async () => {
    const { unfolding } = createOffice();
    const formatMessage = (input: unknown, call: { readonly tool: string }) =>
      `${call.tool} ${JSON.stringify(input)}?`;
    const session = createSession(
      [requireApproval(unfolding, formatMessage)],
      [callTools('office'), REFUND_REPLY],
    );
    await session.send('Go.');
    expect((await listPendingQuestions(session))[0]?.message).toBe('refund {"orderId":7,"amount":10}?');
  });

  it('does not ask about an input that the inner tool refuses', async () => {
    const { unfolding } = createOffice();
    const session = createSession(
      [requireApproval(unfolding, 'May I?')],
      [callTools('office'), callTools(['refund', { amount: 0 }]), 'Done.'],
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(getLastResults(session)[1]).toMatch(/^Error: The input of tool 'refund' is not valid:\n- /);
  });

  it('validates an edited input by the schema of the inner tool', async () => {
    const { unfolding, refund, refunds } = createOffice();
    const session = createSession(
      [requireApproval(unfolding, 'May I?', { by: 'supervisor' })],
      [callTools('office'), REFUND_REPLY, 'Done.'],
    );
    await session.send('Go.');
    expect(await session.pending()).toMatchObject([{ by: 'supervisor', schema: refund.inputSchema }]);
    await session.decide('refund', { decision: 'edit', input: { orderId: 7, amount: 3 } });
    expect(refunds).toEqual([{ orderId: 7, amount: 3 }]);
    expect(getLastResults(session)[1]).toBe(
      '{"refunded":7,"amount":3}\nNote: whoever approved this call changed its input to {"orderId":7,"amount":3}.',
    );
  });

  it('also asks in later turns while the tool stays open, even in a new Worker', async () => {
    const { unfolding, refunds } = createOffice({ scope: 'session' });
    const session = createSession(
      [requireApproval(unfolding, 'May I?'), createCrashTool(() => session)],
      [callTools('office'), 'Open.', callTools('crash'), REFUND_REPLY, 'Done.', REFUND_REPLY, 'Done again.'],
    );
    await session.send('Open it.');
    for (const text of ['Done.', 'Done again.']) {
      session.restart();
      expect(await session.send('Refund it.')).toMatchObject({ outcome: 'suspended' });
      session.restart();
      expect(await session.decide('refund', 'approve')).toMatchObject({ outcome: 'completed', text });
    }
    expect(refunds).toHaveLength(2);
  });

  it('guards inner tools at any depth, and opens all of them without a question', async () => {
    const { unfolding } = createOffice();
    const house = defineUnfolding({
      name: 'house',
      description: 'House.',
      tools: [unfolding, createTool('ring')],
    });
    const street = defineUnfolding({ name: 'street', description: 'Street.', tools: [house] });
    const session = createSession(
      [requireApproval(street, (_, { tool }) => `${tool}?`)],
      [
        callTools('street'),
        callTools('house'),
        callTools('office'),
        callTools('refund', 'look', 'ring'),
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(getOfferedTools(session).at(-1)).toEqual(['street', 'house', 'office', 'ring', 'look', 'refund']);
    expect(await approveAll(session)).toEqual(['look?', 'ring?']); // the input of `refund` is invalid, so no question is asked
    expect(getLastResults(session).slice(-2)).toEqual(['look done', 'ring done']);
  });

  it.each<[string, () => AnyTool, JsonObject]>([
    [
      'by category',
      () => defineUnfolding({ name: 'office', description: 'O.', byCategory: { pay: [createTool('look')] } }),
      { category: 'pay' },
    ],
    [
      'by input',
      () =>
        defineUnfolding({
          name: 'office',
          description: 'O.',
          input: v.object({ of: v.string() }),
          select: ({ of }) => [createTool(of)],
        }),
      { of: 'look' },
    ],
    [
      'from a set that changes',
      () => defineUnfolding({ name: 'office', description: 'O.', tools: () => [createTool('look')] }),
      {},
    ],
    [
      'from an object',
      () => {
        class Office {
          static readonly tools = { look: { description: 'Looks.', effect: 'read' } };
          look = () => 'look done';
        }
        return unfoldingOf(new Office(), { name: 'office', description: 'O.' });
      },
      {},
    ],
    [
      'from an MCP server',
      () =>
        createMcpToolFactory({ clients: [createScene([createSayingTool('look')]).client] }).unfolding(
          'office',
          'O.',
          () => true,
        ),
      {},
    ],
  ])('guards tools that unfold %s', async (_, make, input) => {
    const session = createSession(
      [requireApproval(make(), (_input, { tool }) => `${tool}?`)],
      [callTools(['office', input]), callTools('look'), 'Done.'],
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
    expect(await approveAll(session)).toEqual(['look?']);
    expect(getLastResults(session)).toEqual([formatOpenedText('look'), 'look done']);
  });

  it('approves an inner agentic tool as one call, even if tools unfold inside its loop', async () => {
    const inside = defineUnfolding({ name: 'files', description: 'Files.', tools: [createTool('read')] });
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: v.object({}),
      tools: [inside],
    });
    const unfolding = defineUnfolding({ name: 'office', description: 'O.', tools: [dig] });
    const inner = [callTools('dig'), callTools('files'), callTools('read'), 'Dug.', 'Done.'];
    const behind = createSession([requireApproval(unfolding, 'May it?')], [callTools('office'), ...inner]);
    await behind.send('Go.');
    expect(await approveAll(behind)).toEqual(['May it?']);
    expect(getLastResults(behind).at(-1)).toBe('Dug.');
    const itself = createSession([requireApproval(dig, 'May it?')], inner);
    await itself.send('Go.');
    expect(await approveAll(itself)).toEqual(['May it?']);
    expect(getLastResults(itself)).toEqual(['Dug.']);
  });
});

describe("`covers: 'opening'`", () => {
  it('asks at each opening with the input of the opening, but does not ask about the inner tools', async () => {
    const choice = defineUnfolding({
      name: 'office',
      description: 'O.',
      input: v.object({ of: v.string() }),
      select: ({ of }) => [createTool(of)],
    });
    const session = createSession(
      [requireApproval(choice, ({ of }) => `Open ${of}?`, { covers: 'opening' })],
      [
        callTools(['office', { of: 'look' }]),
        callTools('look'),
        'Done.',
        callTools(['office', { of: 'read' }]),
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([]);
    expect(await approveAll(session)).toEqual(['Open look?']);
    expect(getLastResults(session)).toEqual([formatOpenedText('look'), 'look done']);
    await session.send('And now?');
    expect(await approveAll(session)).toEqual(['Open read?']);
  });

  it('keeps the tool closed if its opening is rejected', async () => {
    const { unfolding } = createOffice();
    const session = createSession(
      [requireApproval(unfolding, 'Open?', { covers: 'opening' })],
      [callTools('office'), 'Done.'],
    );
    await session.send('Go.');
    await session.decide('office', 'reject');
    expect(getLastResults(session)).toEqual([
      "Error: This call of 'office' was declined and did not run. Do not repeat it unchanged.",
    ]);
    expect(getOfferedTools(session)).toEqual([['office'], ['office']]);
  });
});

describe('other guards of an unfolding tool', () => {
  const Address = defineDomainType({ name: 'Address', schema: v.object({ city: v.string() }) });

  it('ask for confirmation of each call of an inner tool, and put the confirmed input on the blackboard', async () => {
    const { unfolding } = createOffice();
    const session = createSession(
      [withConfirmation(unfolding, 'Sure?')],
      [callTools('office'), REFUND_REPLY, 'Done.'],
    );
    await session.send('Go.');
    expect(await approveAll(session)).toEqual(['Sure?']);
    expect((await session.state()).blackboard).toEqual([{ value: { orderId: 7 } }]);
  });

  it('pass each call of an inner tool to their decider, together with the inner tool', async () => {
    const { unfolding } = createOffice();
    const tool = withAwaiting(unfolding, (input, call, one) =>
      one.name === 'refund' ? { message: `${call.tool} ${JSON.stringify(input)}?` } : undefined,
    );
    const session = createSession([tool], [callTools('office'), callTools('look'), REFUND_REPLY, 'Done.']);
    await session.send('Go.');
    expect(await approveAll(session)).toEqual(['refund {"orderId":7,"amount":10}?']);
  });

  it('require a value before an inner tool runs, and only once', async () => {
    const { unfolding } = createOffice();
    const session = createSession(
      [requireType(unfolding, Address)],
      [callTools('office'), callTools('look'), callTools('look'), 'Done.'],
    );
    await session.send('Go.');
    expect(await listPendingQuestions(session)).toEqual([
      { tool: 'look', input: {}, message: "Tool 'look' needs a value of type 'Address'." },
    ]);
    expect(await session.decide('look', { decision: 'edit', input: { city: 'Bergen' } })).toMatchObject({
      outcome: 'completed',
    });
    expect(getLastResults(session).slice(1)).toEqual(['look done', 'look done']);
  });

  it('review each call of an inner tool, but not the opening', async () => {
    const { unfolding, refunds } = createOffice();
    const reviewed: unknown[] = [];
    const tool = withReview(
      unfolding,
      (review) => {
        reviewed.push([review.tool.name, review.input, review.message]);
        return { decision: 'reject' };
      },
      { message: (_, call) => `${call.tool}?` },
    );
    const session = createSession([tool], [callTools('office'), REFUND_REPLY, 'Done.']);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(reviewed).toEqual([['refund', { orderId: 7, amount: 10 }, 'refund?']]);
    expect(refunds).toEqual([]);
  });

  it.each<[string, (tool: AnyTool) => AnyTool]>([
    ['withConfirmation', (tool) => withConfirmation(tool, 'Open?', { covers: 'opening' })],
    ['requireType', (tool) => requireType(tool, Address, { covers: 'opening', message: 'Open?' })],
    ['withReview', (tool) => withReview(tool, () => ({ decision: 'reject' }), { covers: 'opening' })],
  ])('%s asks when the tool opens if it covers the opening', async (_, guard) => {
    const session = createSession([guard(createOffice().unfolding)], [callTools('office'), 'Done.']);
    const { outcome } = await session.send('Go.');
    if (outcome === 'suspended') await session.decide('office', 'reject');
    expect(getLastResults(session)).toEqual([
      "Error: This call of 'office' was declined and did not run. Do not repeat it unchanged.",
    ]);
  });
});

describe('a guard', () => {
  const web = providerTool({ type: 'provider', id: 'maker.web_search', args: {} });
  const searching = defineUnfolding({ name: 'web', description: 'Web.', tools: [web] });
  const createGuards = (tool: AnyTool, covers?: 'tools' | 'opening'): readonly (() => AnyTool)[] => [
    () => requireApproval(tool, 'May I?', { covers }),
    () => withConfirmation(tool, 'May I?', { covers }),
    () => requireType(tool, defineDomainType({ name: 'T', schema: v.object({}) }), { covers }),
    () => withReview(tool, () => ({ decision: 'approve' }), { covers }),
  ];

  it.each(['tools', 'opening'] as const)(
    'is refused if it covers %s of a tool that does not unfold',
    (covers) => {
      const dig = defineAgenticTool({ name: 'dig', description: 'D.', input: v.object({}), tools: [web] });
      for (const tool of [createTool('look'), dig]) {
        for (const guard of createGuards(tool, covers)) {
          expect(guard).toThrow(
            `Tool '${tool.name}': its guard covers '${covers}', but only an unfolding tool has inner tools. Omit covers.`,
          );
        }
      }
    },
  );

  it('is refused if `covers` has another value', () => {
    const covers = 'tool' as 'tools'; // Plain JavaScript can pass this.
    for (const guard of createGuards(createOffice().unfolding, covers)) {
      expect(guard).toThrow("Tool 'office': its covers is 'tool'. It must be 'tools' or 'opening'.");
    }
  });

  it('is refused around a tool that the model’s provider runs, at any depth, unless it covers the opening', () => {
    const outer = defineUnfolding({ name: 'outer', description: 'Outer.', tools: [searching] });
    for (const tool of [searching, outer]) {
      for (const guard of [...createGuards(tool), () => withAwaiting(tool, () => undefined)]) {
        expect(guard).toThrow(
          `Tool '${tool.name}': its guard cannot stop 'web_search', which the model's provider runs. ` +
            "Remove it, or use covers: 'opening'.",
        );
      }
    }
    for (const guard of createGuards(searching, 'opening')) expect(guard).not.toThrow();
  });

  it('withholds a tool that the model’s provider runs if the tool is found only during a turn', async () => {
    const late = defineUnfolding({ name: 'late', description: 'Late.', tools: () => [web, searching] });
    const session = createSession(
      [requireApproval(late, 'May I?')],
      [callTools('late'), callTools('web', 'web_search'), callTools('web_web_search'), 'Done.'],
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    const describeWithheld = (name: string) =>
      `Tool '${name}' is not available here: each call of it would have to be decided about first.`;
    expect(getLastResults(session).slice(-2)).toEqual([
      describeWithheld('web_search'),
      describeWithheld('web_web_search'),
    ]);
    expect(session.requests.flatMap(({ tools }) => tools.filter((tool) => tool.providerTool))).toEqual([]);
  });
});

it('a guard leaves all other properties of an unfolding tool unchanged', () => {
  const { unfolding } = createOffice();
  const { adopt, route, delegate, ...said } = requireApproval(unfolding, 'May I?');
  const { adopt: _adopts, route: _routes, delegate: _delegate, ...says } = decorate(unfolding, {});
  expect(Object.keys(said)).toEqual(Object.keys(says));
  expect([delegate === unfolding, route, said.name, said.description]).toEqual([
    ...[true, undefined, 'office', 'The office.'],
  ]);
  expect(adopt?.(withName(createTool('look'), 'see')).name).toBe('see');
});
