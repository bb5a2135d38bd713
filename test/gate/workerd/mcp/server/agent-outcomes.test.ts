import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool, ModelError, terminateAgent } from '../../../../../src/index.ts';
import { listPaymentsTo } from '../../../../fixtures/clerk-agent.ts';
import { createHeldReply, modelBySession, registerScript } from '../../../../fixtures/scripts.ts';
import { deliverToHolders, MANUAL_DELIVERY } from '../../http/time.ts';
import { callTool, createEndpointApp, createSessionId, getTexts, getView, IDEMPOTENCY_META } from './talk.ts';

const via = createEndpointApp({
  agents: ['scripted', { agent: 'clerk', as: 'ask_clerk', description: 'Pays you.' }],
});

describe('an agent call', () => {
  it('returns an error with its text if the turn failed, and the conversation continues', async () => {
    const { message } = registerScript(
      new ModelError('bad-request', 'The model refused this.'),
      'Better now.',
    );
    const failed = await callTool(via, 'scripted', { message: message() });
    const told = getView(failed);
    expect(failed.isError).toBe(true);
    expect(getTexts(failed)).toEqual([
      `${Object(told.error).message} The conversation is kept. Send another message to continue.`,
      `To continue this conversation, call 'scripted' with the session '${told.session}'.`,
    ]);
    expect(Object(told.error)).toMatchObject({ type: 'model-failure' });
    expect(told).toMatchObject({ outcome: 'failed', text: '' });
    const again = await callTool(via, 'scripted', { message: 'And now?', session: told.session });
    expect(getTexts(again)).toEqual(['Better now.']);
  });

  it('returns the text so far if the turn reached a limit', async () => {
    const brief = defineAgent({
      name: 'brief',
      description: 'Stops soon.',
      instructions: '',
      model: modelBySession,
      limits: { iterations: 1 },
    });
    const limited = createEndpointApp({ agents: [brief] }, { agents: [brief] });
    const { message } = registerScript({ calls: [{ name: 'nothing' }] }, 'As far as I got.');
    const answer = await callTool(limited, 'brief', { message: message(), session: createSessionId() });
    expect(answer.isError).toBeUndefined();
    expect(getTexts(answer)).toEqual([
      'As far as I got.',
      'The agent reached a limit before it was done. This is its result so far.',
    ]);
    expect(getView(answer)).toMatchObject({
      outcome: 'limit-reached',
      limit: { kind: 'iterations', most: 1 },
      text: 'As far as I got.',
    });
  });

  it('returns an error if the turn was cancelled', async () => {
    const id = `${MANUAL_DELIVERY}-${createSessionId()}`;
    const answer = createHeldReply('Never.');
    const { message } = registerScript(answer.reply);
    const called = callTool(via, 'scripted', { message: message(), session: id });
    await answer.asked();
    await via(`/agents/scripted/sessions/${id}/cancel`, { method: 'POST' });
    deliverToHolders();
    const cancelled = await called;
    expect(cancelled.isError).toBe(true);
    expect(getTexts(cancelled)).toEqual(['The turn was cancelled.']);
    expect(getView(cancelled)).toMatchObject({ outcome: 'cancelled' });
  });

  it('returns the reason if a tool cancelled the turn', async () => {
    const stop = defineTool({
      name: 'stop',
      description: 'Stops.',
      run: () => {
        throw terminateAgent('The shop is closed.');
      },
    });
    const closing = defineAgent({
      name: 'closing',
      description: 'Closes.',
      instructions: 'Close.',
      model: modelBySession,
      tools: [stop],
    });
    const { message } = registerScript({ calls: [{ name: 'stop' }] });
    const shop = createEndpointApp({ agents: [closing] }, { agents: [closing] });
    const answer = await callTool(shop, 'closing', { message: message(), session: createSessionId() });
    expect(answer.isError).toBe(true);
    expect(getTexts(answer)).toEqual(['The turn was ended: The shop is closed.']);
  });

  it('returns the pending calls and where to answer if the turn waits, and the answer later', async () => {
    const to = crypto.randomUUID();
    const pay = { calls: [{ name: 'pay', input: { to, amount: 5 } }] };
    const { message } = registerScript(pay, 'Paid.', 'Anything else?');
    const id = createSessionId();
    const input = { message: message(), session: id };
    const waits = await callTool(via, 'ask_clerk', input, { [IDEMPOTENCY_META]: 'k1' });
    const { turn, path, outcome, pending } = Object(waits.structuredContent);
    const [{ call, links }] = pending;
    expect([waits.isError, outcome, pending.length]).toEqual([undefined, 'suspended', 1]);
    expect(links.approvals).toBe(`/agents/clerk/sessions/${id}/approvals/${call}`);
    expect(getTexts(waits)).toEqual([
      'The turn waits for an answer from outside, and then continues:\n' +
        `- pay, answered by POST ${links.approvals}: ${pending[0].message}`,
      `Its answer will be at GET ${path}.`,
    ]);
    expect(path).toBe(`/agents/clerk/sessions/${id}/turns/${turn}`);

    const refused = await callTool(via, 'ask_clerk', { message: 'Hurry!', session: id });
    expect([refused.isError, getTexts(refused)]).toEqual([
      true,
      [
        `Turn ${turn} of the session waits for an answer from outside. Send the message again after the answer, or ` +
          `without a session to start another conversation.\n- pay, answered by POST ${links.approvals}: ` +
          pending[0].message,
      ],
    ]);
    expect(listPaymentsTo(to)).toEqual([]);

    await via(links.approvals, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ decision: 'approve' }),
    });
    const done = await callTool(via, 'ask_clerk', input, { [IDEMPOTENCY_META]: 'k1' });
    expect(getTexts(done)).toEqual(['Paid.']);
    expect(listPaymentsTo(to)).toEqual([5]);
  });

  it('is refused if the session is busy', async () => {
    const id = createSessionId();
    const answer = createHeldReply('Done.');
    const { message } = registerScript(answer.reply);
    const first = callTool(via, 'scripted', { message: message(), session: id });
    await answer.asked();
    const second = await callTool(via, 'scripted', { message: 'Me too', session: id });
    answer.release();
    const { turn } = getView(await first);
    expect([second.isError, getTexts(second)]).toEqual([
      true,
      [
        `The session is busy with turn ${turn}. Send the message again when it has ended, or without a session to start ` +
          'another conversation.',
      ],
    ]);
  });
});
