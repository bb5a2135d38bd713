import { describe, expect, it } from 'vitest';
import { paidTo } from '../../../../fixtures/clerk-agent.ts';
import { script } from '../../../../fixtures/scripts.ts';
import { answered, connectedAsking } from './asking.ts';
import { newId, publishing, texts, viewOf } from './talk.ts';

const via = publishing({ agents: ['clerk'] });

const pay = (to: string, amount = 5) => ({ calls: [{ name: 'pay', input: { to, amount } }] });

describe('a turn that waits for a decision', () => {
  it('is asked as a form', async () => {
    const to = crypto.randomUUID();
    const { message } = script(pay(to), 'Paid.');
    const session = newId();
    const { result } = await answered(via, 'tools/call', {
      name: 'clerk',
      arguments: { message: message(), session },
    });
    const [turn] = Object.keys(Object(result).inputRequests)[0]?.split('.') ?? [];
    expect(result).toEqual({
      _meta: expect.anything(),
      resultType: 'input_required',
      inputRequests: {
        [`${turn}.3.0#0`]: {
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message: `Tool 'pay' is to be called with {"to":"${to}","amount":5}.\nMay I pay?`,
            requestedSchema: {
              type: 'object',
              properties: {
                decision: {
                  type: 'string',
                  title: 'Decision',
                  description:
                    'approve: it runs; edit: it runs with what you change here; ' +
                    'reject: it does not run, and the agent is told; exit: it does not run, and the agent stops',
                  enum: ['approve', 'edit', 'reject', 'exit'],
                },
                reason: { type: 'string', title: 'Reason', description: 'For the agent.', maxLength: 2000 },
                to: { type: 'string', default: to },
                amount: { type: 'number', default: 5 },
              },
              required: ['decision'],
            },
          },
        },
      },
      requestState: expect.stringMatching(/^holdfast-1\.[A-Za-z0-9+/]+=*$/),
    });
  });

  it('is decided by the official client', async () => {
    const to = crypto.randomUUID();
    const { message } = script(pay(to), 'Paid.');
    const forms: unknown[] = [];
    const client = await connectedAsking(via, (params) => {
      forms.push(params);
      return { action: 'accept', content: { decision: 'approve' } };
    });
    const result = await client.callTool({ name: 'clerk', arguments: { message: message() } });
    expect([texts(result)[0], viewOf(result).outcome, paidTo(to)]).toEqual(['Paid.', 'completed', [5]]);
    expect(forms.length).toBe(1);
    await client.close();
  });
});
