import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, type CallContext, defineAgent, defineTool } from '../../../../src/index.ts';
import { defineAgenticTool, defineSubagent } from '../../../../src/kinds/entry.ts';
import type { ReplyPart } from '../../../../src/model/entry.ts';
import { decorate, requireApproval } from '../../../../src/modules/decorators/entry.ts';
import {
  defineToolGroup,
  toolGroups as registered,
  toolGroup,
} from '../../../../src/modules/tool-groups/entry.ts';
import { type CrashKit, type CrashScript, crashMatrix } from '../../../../src/testing/crash-matrix/entry.ts';

const order = v.object({ order: v.string() });
const input = { order: 'o-7' };

const createTestAgent = (...tools: readonly AnyTool[]) =>
  defineAgent({ name: 'clerk', description: 'Handles returns.', instructions: 'You handle returns.', tools });

const findOrder = defineTool({
  name: 'find_order',
  description: 'Finds an order.',
  input: order,
  effect: 'read',
  run: (found) => ({ ...found, paid: 20 }),
});
const bookReturn = defineTool({
  name: 'book_return',
  description: 'Books a return.',
  input: order,
  effect: 'idempotent',
  run: async () => {
    await new Promise((resolve) => setTimeout(resolve, 1)); // like a real request
    return 'booked';
  },
});
const sendMail = defineTool({ name: 'send_mail', description: 'Mails.', input: order, run: () => 'sent' });
const refund = requireApproval(
  defineTool({
    name: 'refund',
    description: 'Refunds.',
    input: order,
    run: () => 'refunded',
    reconcile: () => 'unknown',
  }),
  () => 'Refund it?',
);

const returnScript: CrashScript = {
  steps: [
    {
      send: 'Return order o-7.',
      replies: [
        { calls: [{ name: 'find_order', input }] },
        {
          calls: [
            { name: 'book_return', input },
            { name: 'refund', input },
          ],
        },
        { calls: [{ name: 'send_mail', input }] },
        'Returned.',
      ],
    },
    { decide: 'refund', as: 'approve' },
  ],
};

/** One message that leads to one call of the tool `act` and an answer. */
const actScript: CrashScript = { steps: [{ send: 'Act.', replies: [{ calls: ['act'] }, 'Acted.'] }] };

describe('a crash matrix', { timeout: 60_000 }, () => {
  it('reports only unknown outcomes of `once` tools without `reconcile`', async () => {
    const report = await crashMatrix(createTestAgent(findOrder, bookReturn, sendMail, refund), returnScript);
    expect(report.failures).toEqual([]);
    expect(report).toMatchObject({ passed: true, messagesLost: 0, effectsDoubled: 0 });
    expect(report.positions).toBeGreaterThan(25);
    expect(report.plays).toBeGreaterThan(6 * report.positions);
    expect(report.turnsCompleted).toBe(report.plays);
    expect(report.effectsUnknown).toBeGreaterThan(0);
    expect(report.effectsUnknown).toBeLessThan(report.plays / 5);
  });

  it('passes the environment to every invocation', async () => {
    const seen = new Set<unknown>();
    const act = defineTool({
      name: 'act',
      description: 'Acts.',
      effect: 'read',
      run: (_, call) => seen.add(Reflect.get(call.env, 'REGION')).size,
    });
    const { passed } = await crashMatrix(createTestAgent(act), actScript, { env: { REGION: 'weur' } });
    expect([passed, [...seen]]).toEqual([true, ['weur']]);
  });

  it('creates a separate environment for each play from the world of the play', async () => {
    interface ShopWorld {
      readonly stock: Map<string, number>;
    }
    const take = defineTool({
      name: 'act',
      description: 'Takes one.',
      effect: 'idempotent',
      run: (_, call) => {
        const { stock } = call.env as unknown as ShopWorld; // returned by `env`
        if ((stock.get('left') ?? 0) < 1) throw new Error('The stock is empty.');
        return stock.get('left');
      },
      returnDirect: true,
    });
    const empty = defineTool({
      name: 'empty',
      description: 'Takes all.',
      effect: 'idempotent',
      run: (_, call) => void (call.env as unknown as ShopWorld).stock.set('left', 0),
    });
    const seen = new Set<unknown>();
    const report = await crashMatrix(
      ({ world }) => {
        seen.add(world.stock);
        return createTestAgent(take, empty);
      },
      {
        steps: [
          { send: 'Act.', replies: [{ calls: ['act'] }] },
          { send: 'Empty.', replies: [{ calls: ['empty'] }, 'Emptied.'] },
        ],
      },
      {
        world: (): ShopWorld => ({ stock: new Map([['left', 1]]) }),
        env: (world) => ({ stock: world.stock }),
      },
    );
    expect(report.failures).toEqual([]);
    expect(seen.size).toBeGreaterThan(report.plays);
  });

  it('sends messages and decisions as different principals, whose roles and ids are checked', async () => {
    const asked = requireApproval(
      defineTool({
        name: 'act',
        description: 'Acts.',
        effect: 'idempotent',
        run: (_, call) => call.principal.id,
      }),
      'Act?',
      {
        by: 'manager',
        notBy: 'requester',
      },
    );
    const ann = { id: 'ann', tenant: 'acme', roles: ['clerk'] };
    const createDecisionScript = (id: string, roles: readonly string[]): CrashScript => ({
      steps: [
        { send: 'Act.', replies: [{ calls: ['act'] }, 'Acted.'], principal: ann },
        { decide: 'act', as: { decision: 'approve', by: { id, tenant: 'acme', roles } } },
      ],
    });
    const only = { at: 3, mode: 'hangs' } as const;
    const options = { principal: { id: 'bob', tenant: 'acme' }, only };
    await expect(
      crashMatrix(createTestAgent(asked), createDecisionScript('cid', ['clerk']), options),
    ).rejects.toThrow(
      /Call t1\.\d\.0 must be decided by a person with the role 'manager', but 'cid' has 'clerk'. Name another person, as in/,
    );
    await expect(
      crashMatrix(createTestAgent(asked), createDecisionScript('ann', ['manager']), options),
    ).rejects.toThrow(/must be decided by a person who did not ask for turn t1, but 'ann' did/);
    expect(
      await crashMatrix(createTestAgent(asked), createDecisionScript('cid', ['manager']), options),
    ).toMatchObject({
      passed: true,
    });
  });

  it('sends replies of parts back to their model unchanged', async () => {
    const seen: (readonly ReplyPart[] | undefined)[] = [];
    const thinks: readonly ReplyPart[] = [
      { type: 'reasoning', text: 'Find it.', provider: { maker: { signature: 'sss' } } },
      { type: 'tool-call', id: 'c1', name: 'find_order', input: JSON.stringify(input) },
    ];
    const report = await crashMatrix(createTestAgent(findOrder), {
      steps: [
        {
          send: 'Go.',
          replies: [
            { parts: thinks, provider: { maker: 1 } },
            ({ messages }) => {
              seen.push(messages.flatMap((one) => (one.role === 'assistant' ? [one.parts] : []))[0]);
              return 'Found.';
            },
          ],
        },
      ],
    });
    expect(report.failures).toEqual([]);
    expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(new Set([JSON.stringify(thinks)]));
  });

  it('reports no unknown outcomes if every effect can be reconciled', async () => {
    const { effectsUnknown, passed } = await crashMatrix(createTestAgent(findOrder, bookReturn, refund), {
      steps: [
        {
          send: 'Go.',
          replies: [{ calls: ['find_order', 'refund'].map((name) => ({ name, input })) }, 'Gone.'],
        },
        { decide: 'refund', as: 'approve' },
      ],
    });
    expect({ effectsUnknown, passed }).toEqual({ effectsUnknown: 0, passed: true });
  });

  it('returns the same result each time', async () => {
    const [one, other] = await Promise.all(
      [1, 2].map(() => crashMatrix(createTestAgent(sendMail, findOrder), mailScript)),
    );
    expect(one?.toTable()).toBe(other?.toTable());
  });

  it('can play a single position in a single mode', async () => {
    const report = await crashMatrix(createTestAgent(sendMail), mailScript, {
      only: { at: 7, mode: 'hangs' },
    });
    expect(report).toMatchObject({ plays: 1, passed: true, effectsUnknown: 1 });
    const table = report.toTable().split('\n');
    expect(table[1]).toMatch(/^after run of 'send_mail' +1 +0 +0 +0 +1 +0 +1 +0 +0 +1 +0$/);
  });

  it('covers all agents of an app, and nested loops', async () => {
    const helper = defineAgent({
      name: 'helper',
      description: 'Helps.',
      instructions: 'You help.',
      tools: [bookReturn],
      model: { name: 'real', ask: () => Promise.reject(new Error('The real model must not be asked.')) },
    });
    const digs = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: order,
      tools: [defineSubagent({ agent: 'helper' })],
    });
    const report = await crashMatrix([createTestAgent(digs), helper], {
      steps: [{ send: 'Go.', replies: [{ calls: [{ name: 'dig', input }] }, 'Gone.'] }],
      replies: [
        { to: '"order"', replies: [{ calls: [{ name: 'helper', input: { message: 'Help.' } }] }, 'Dug.'] },
        { to: 'Help.', replies: [{ calls: [{ name: 'book_return', input }] }, 'Helped.'] },
      ],
    });
    expect(report.failures).toEqual([]);
    expect(report.toTable()).toContain("after run of 'book_return'");
  });

  it('provides the context, credentials and tool groups of an agent', async () => {
    const seen = new Set<string>();
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      effect: 'read',
      run: (_, { context, secrets }) => {
        seen.add(`${context.get('tenant', v.string())} ${secrets.get('KEY')}`);
      },
    });
    const agent = defineAgent({
      name: 'clerk',
      description: 'Looks.',
      instructions: 'You look.',
      tools: [toolGroup('looking')],
    });
    const report = await crashMatrix(
      agent,
      {
        steps: [
          { send: 'Look.', replies: [({ tools }) => ({ calls: tools.map(({ name }) => name) }), 'Looked.'] },
        ],
      },
      {
        context: { tenant: 'acme' },
        secrets: () => ({ KEY: 'key' }),
        use: [registered([defineToolGroup({ role: 'looking', description: 'Looks.', tools: [look] })])],
      },
    );
    expect(report.passed).toBe(true);
    expect([...seen]).toEqual(['acme key']);
  });
});

const mailScript: CrashScript = {
  steps: [{ send: 'Mail.', replies: [{ calls: [{ name: 'send_mail', input }] }, 'Sent.'] }],
};

describe('a crash matrix of a faulty tool', { timeout: 60_000 }, () => {
  const act = { name: 'act', description: 'Acts.' } as const;
  const createCharge = (kit: CrashKit) => async (_: unknown, call: CallContext) => {
    await kit.effect('charge', call.idempotencyKey);
    return 'charged';
  };

  it('reports no failure if the receiver honors the idempotency key', async () => {
    const createTestedAgent = (kit: CrashKit) =>
      createTestAgent(defineTool({ ...act, effect: 'idempotent', run: createCharge(kit) }));
    const report = await crashMatrix(createTestedAgent, actScript);
    expect(report).toMatchObject({ passed: true, effectsDoubled: 0, effectsUnknown: 0 });
  });

  it('reports a receiver that ignores the key of an idempotent tool', async () => {
    const createTestedAgent = (kit: CrashKit) =>
      createTestAgent(defineTool({ ...act, effect: 'idempotent', run: () => kit.effect('charge') }));
    const report = await crashMatrix(createTestedAgent, actScript);
    expect(report.passed).toBe(false);
    expect(report.effectsDoubled).toBeGreaterThan(0);
    expect(report.failures).toContainEqual({
      at: 8,
      mode: 'hangs',
      position: "after effect of 'charge'",
      problems: ["'charge' happened 2 times, not 1"],
    });
    expect(report.toTable()).toContain(
      "failed: hangs at 8, after effect of 'charge': 'charge' happened 2 times, not 1\n",
    );
  });

  it('reports a tool that has an effect outside of its `run`', async () => {
    const createEagerAgent = (kit: CrashKit) => {
      const look = defineTool({ ...act, effect: 'read', run: () => 'looked' });
      return createTestAgent(
        decorate(look, {
          async call(inputs, invocation) {
            await kit.effect('audit');
            return look.call(inputs, invocation);
          },
        }),
      );
    };
    const report = await crashMatrix(createEagerAgent, actScript);
    expect(report.effectsDoubled).toBeGreaterThan(0);
    expect(new Set(report.failures.flatMap(({ problems }) => problems))).toEqual(
      new Set(["'audit' happened 2 times, not 1"]),
    );
  });

  it('reports a `reconcile` that always returns `not-done`', async () => {
    const createTestedAgent = (kit: CrashKit) =>
      createTestAgent(defineTool({ ...act, run: createCharge(kit), reconcile: () => 'not-done' }));
    const report = await crashMatrix(createTestedAgent, actScript);
    expect(report.effectsDoubled).toBeGreaterThan(0);
    expect(report.failures.flatMap(({ problems }) => problems)).toContain(
      "call t1:1.0 of 'act' had 2 effects, not 1",
    );
  });

  it('reports a `reconcile` that always returns `unknown`', async () => {
    const createTestedAgent = (kit: CrashKit) =>
      createTestAgent(defineTool({ ...act, run: createCharge(kit), reconcile: () => 'unknown' }));
    const report = await crashMatrix(createTestedAgent, actScript);
    expect(report).toMatchObject({ passed: false, effectsUnknown: 0, effectsDoubled: 0 });
    expect(report.failures[0]?.problems).toEqual(['call t1:1.0 (reconciled) is unknown']);
  });

  it('reports state in the memory of an agent, which a crash loses', async () => {
    const createCountingAgent = () => {
      let count = 0;
      return createTestAgent(
        defineTool({
          ...act,
          effect: 'read',
          run: () => {
            count += 1;
          },
        }),
        defineTool({
          name: 'check',
          description: 'Checks.',
          effect: 'read',
          run: () => {
            if (count === 0) throw new Error('The count is missing.');
          },
          returnDirect: true,
        }),
      );
    };
    const script: CrashScript = {
      steps: [{ send: 'Count.', replies: [{ calls: ['act'] }, { calls: ['check'] }, 'Counted.'] }],
    };
    const report = await crashMatrix(createCountingAgent, script);
    expect(report.passed).toBe(false);
    const [failure] = report.failures;
    expect(failure?.problems).toContain('turn t1 ended as completed, not returned-direct');
    expect(failure?.toolError).toBe("tool 'check' answered: The count is missing.");
    expect(report.toTable()).toContain("; last error: tool 'check' answered: The count is missing.");
  });

  it('accepts state in an external world', async () => {
    const createWorld = () => new Map<string, number>();
    const createPayingAgent = ({ world: accounts }: CrashKit<Map<string, number>>) =>
      createTestAgent(
        defineTool({
          name: 'act',
          description: 'Acts.',
          run: () => void accounts.set('ann', (accounts.get('ann') ?? 0) + 1),
          reconcile: () => (accounts.has('ann') ? { done: 'paid' } : 'not-done'),
        }),
      );
    const report = await crashMatrix(createPayingAgent, actScript, { world: createWorld });
    expect(report).toMatchObject({ passed: true, effectsDoubled: 0, effectsUnknown: 0 });
  });
});

describe('a crash matrix with an invalid script', () => {
  it.each<[string, unknown, string]>([
    [
      'a list of steps instead of a script',
      [{ send: 'Go.' }],
      "The script of crashMatrix has no list of steps. Use { steps: [{ send: 'Go.', replies: ['Gone.'] }] }.",
    ],
    [
      'an unknown step',
      { steps: [{ say: 'Go.' }] },
      "steps[0] of the script is a step with 'say'. Use { send }, { wait }, { decide, as } or { result, as }.",
    ],
    [
      'a step with a key of another step',
      { steps: [{ send: 'Go.' }, { decide: 'act', decision: 'approve' }] },
      "steps[1] of the script is a step with 'decision'. Use decide, as.",
    ],
    [
      'a reply in the form of another library',
      { steps: [{ send: 'Go.', replies: [{ tool_calls: [] }] }] },
      "A script has 'tool_calls' in steps[0].replies[0]. Use 'calls'.",
    ],
  ])('rejects %s', async (_, script, message) => {
    const played = Reflect.apply(crashMatrix, undefined, [createTestAgent(findOrder), script]);
    await expect(played).rejects.toThrow(new TypeError(message));
  });

  it('rejects a decision if a failed call does not wait for it, and reports the last error of the call', async () => {
    const script: CrashScript = {
      steps: [
        { send: 'Go.', replies: [{ calls: ['refund'] }, 'Gone.'] },
        { decide: 'refund', as: 'approve' },
      ],
    };
    await expect(crashMatrix(createTestAgent(refund), script)).rejects.toThrow(
      "The script fails even without a disturbance: No waiting call matches 'refund'. Waiting: nothing. The last error: tool 'refund' answered: The input of tool 'refund' is not valid: - order: ",
    );
  });

  it('rejects a script with too few replies', async () => {
    const script = { steps: [{ send: 'Act.', replies: [{ calls: ['act'] }] }] };
    await expect(crashMatrix(createTestAgent(findOrder), script)).rejects.toThrow(
      "The script has no reply 2 to 'Act.'.",
    );
  });

  it('rejects a decision that no call waits for', async () => {
    const script: CrashScript = {
      steps: [
        { send: 'Hello.', replies: ['Hi.'] },
        { decide: 'refund', as: 'approve' },
      ],
    };
    await expect(crashMatrix(createTestAgent(refund), script)).rejects.toThrow(
      "The script fails even without a disturbance: No waiting call matches 'refund'. Waiting: nothing.",
    );
  });
});
