/** Tests calls of a single tool, stubs, and the memory of a kind of tool. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool, exitEarly } from '../../../../src/index.ts';
import { defineAgenticTool } from '../../../../src/kinds/entry.ts';
import { defineModule } from '../../../../src/module.ts';
import { manual, requireApproval, withParameter } from '../../../../src/modules/decorators/entry.ts';
import { callTool, createTestSession, scriptedModel } from '../../../../src/testing/entry.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: v.object({ amount: v.pipe(v.number(), v.minValue(1)) }),
  run: ({ amount }, call) => ({
    amount,
    from: call.principal.tenant,
    by: call.context.get('terminal'),
    key: call.secrets.require('bank').length,
  }),
});

describe('callTool', () => {
  it('passes the context of the test to the tool, and returns the result as a session would', async () => {
    const result = await callTool(
      pay,
      { amount: 2 },
      {
        principal: { id: 'ann', tenant: 'acme' },
        context: { terminal: 7 },
        secrets: () => ({ bank: 'four' }),
      },
    );
    expect({ ...result }).toEqual({ type: 'artifact', value: { amount: 2, from: 'acme', by: 7, key: 4 } });
    expect(result.content).toBe('{"amount":2,"from":"acme","by":7,"key":4}');
  });

  it('validates the input like the input of a model’s call, even if it is not JSON', async () => {
    expect((await callTool(pay, { amount: 0 })).content).toContain('amount: ');
    expect(await callTool(pay, 'two')).toMatchObject({ type: 'error', reason: 'invalid-input' });
  });

  it('applies decorators', async () => {
    const asks = withParameter(pay, 'why', v.string());
    expect((await callTool(asks, { amount: 2 }, { stubs: { pay: () => 'paid' } })).content).toContain(
      'why: ',
    );
  });

  it('returns the result of the tool, not the result of a nested call', async () => {
    const model = scriptedModel([{ calls: [{ name: 'pay', input: { amount: 2 } }] }, 'Paid twice.']);
    const clerk = defineAgenticTool({ name: 'clerk', description: 'Pays.', tools: [pay], model });
    expect((await callTool(clerk, {}, { stubs: { pay: () => 'paid' } })).content).toBe('Paid twice.');
  });

  it('rejects with an error that states what kind of answer the call waits for', async () => {
    await expect(callTool(requireApproval(pay, 'Pay?'), { amount: 2 })).rejects.toThrow(
      new Error(`The call to 'pay' waits until a person decides "Pay?". Use createTestSession for it.`),
    );
    await expect(callTool(manual(pay), { amount: 2 })).rejects.toThrow(
      new Error("The call to 'pay' waits until a person sends its result. Use createTestSession for it."),
    );
  });

  it('returns a result even if the call ends the turn', async () => {
    const stop = defineTool({
      name: 'stop',
      description: 'Stops.',
      run: () => {
        throw exitEarly('Enough.');
      },
    });
    expect((await callTool(stop, {})).content).toBe('Enough.');
  });
});

describe('a stub', () => {
  it('replaces the effect of a tool, receives the input from the model, and reports its own errors', async () => {
    const seen: unknown[] = [];
    const stubs = {
      pay: (input: unknown, { tool }: { readonly tool: string }) => {
        seen.push([tool, input]);
        if (seen.length === 2) throw new Error('The bank is closed.');
        return { paid: true };
      },
    };
    const agent = defineAgent({ name: 'clerk', description: 'Pays.', instructions: '', tools: [pay] });
    const call = { calls: [{ name: 'pay', input: { amount: 2 } }] };
    const session = createTestSession(agent, { replies: [call, call, 'Done.'], stubs });
    expect((await session.send('Pay.')).artifacts).toMatchObject([{ value: { paid: true } }]);
    expect(session.requests.at(-1)?.messages.at(-1)?.text).toBe('Error: The bank is closed.');
    expect(seen).toEqual([
      ['pay', { amount: 2 }],
      ['pay', { amount: 2 }],
    ]);
  });

  it('is not reconciled with the `reconcile` of the tool that it replaces', async () => {
    let asked = 0;
    let runs = 0;
    const send = defineTool({
      name: 'send',
      description: 'Sends.',
      run: () => 'sent',
      reconcile: () => {
        asked += 1;
        return { done: 'sent' };
      },
    });
    const agent = defineAgent({ name: 'clerk', description: 'Sends.', instructions: '', tools: [send] });
    const session: ReturnType<typeof createTestSession> = createTestSession(agent, {
      replies: [{ calls: [{ name: 'send' }] }, 'Done.'],
      leaseMs: 300,
      stubs: {
        send: () => {
          runs += 1;
          session.kill();
        },
      },
    });
    await session.send('Go.');
    expect([runs, asked]).toEqual([1, 0]);
    expect(session.requests.at(-1)?.messages.at(-1)?.text).toContain('outcome');
  });
});

it('a test can read the memory of a module', async () => {
  const counted = defineModule({
    name: 'counted',
    state: { initial: 0, apply: (count: number, by: number) => count + by },
  });
  const count = defineTool({
    name: 'count',
    description: 'Counts.',
    run: (_, call) => counted.remember(call, 2),
  });
  const agent = defineAgent({ name: 'clerk', description: 'Counts.', instructions: '', tools: [count] });
  const session = createTestSession(agent, {
    replies: [{ calls: [{ name: 'count' }, { name: 'count' }] }, 'Done.'],
    use: [counted.use()],
  });
  await expect(session.memory(counted)).rejects.toThrow('No message has been sent to the session yet.');
  await session.send('Go.');
  expect(await session.memory(counted)).toBe(4);
});
