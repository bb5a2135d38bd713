import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  defineAgent,
  defineTool,
  replan,
  terminateAgent,
  text,
} from '../../../../src/index.ts';
import { definePipeline, nest } from '../../../../src/kinds/entry.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import { manual, requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { createManualClock, createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { advanceUntilSettled } from './former-holder.ts';

const createTestAgent = (...tools: AnyTool[]) =>
  defineAgent({ name: 'clerk', description: 'Works.', instructions: '', tools });
const callTools = (...names: string[]): ScriptedReply => ({ calls: names.map((name) => ({ name })) });

/** A tool that records its runs. */
function createActingTool(name: string, ran: string[]) {
  return defineTool({ name, description: 'Acts.', run: () => ({ runs: ran.push(name) }) });
}

/** A tool whose code each deployment replaces. */
function createRedeployable(first: AnyTool) {
  let now = first;
  const tool: AnyTool = { ...first, call: (input, call) => now.call(input, call) };
  return {
    tool,
    deploy: (next: AnyTool) => {
      now = next;
    },
  };
}

const signals: AnyTool = defineTool({
  name: 'stop',
  description: 'Stops.',
  effect: 'read',
  run: () => {
    throw replan('Enough.');
  },
});

const getLastResults = (session: {
  readonly requests: readonly {
    readonly messages: readonly { readonly role: string; readonly text: string }[];
  }[];
}) =>
  session.requests
    .at(-1)
    ?.messages.filter(({ role }) => role === 'tool')
    .map((message) => message.text);

const CHANGED_TOOL_ERROR =
  "Error: Tool 'pay' has changed since this was asked, so the decision no longer applies. Call it again to ask again.";

describe('a decision', () => {
  it.each(['approve', 'reject'] as const)(
    'does not run the call after an answer to %s if the tool no longer asks for it (DEC-18, AEA-13)',
    async (decision) => {
      const ran: string[] = [];
      const pay = createActingTool('pay', ran);
      const { tool, deploy } = createRedeployable(requireApproval(pay, 'Pay?'));
      const session = createTestSession(createTestAgent(tool), { replies: [callTools('pay'), 'Done.'] });
      await session.send('Pay.');
      deploy(pay);
      await session.decide('pay', { decision });
      expect(getLastResults(session)).toEqual([CHANGED_TOOL_ERROR]);
      expect(ran).toEqual([]);
    },
  );

  it('counts only if its question still requires the same role (AEA-11)', async () => {
    const ran: string[] = [];
    const pay = createActingTool('pay', ran);
    const { tool, deploy } = createRedeployable(requireApproval(pay, 'Pay?', { by: 'clerk' }));
    const session = createTestSession(createTestAgent(tool), { replies: [callTools('pay'), 'Done.'] });
    await session.send('Pay.');
    deploy(requireApproval(pay, 'Pay?', { by: 'cfo' }));
    await session.decide('pay', { decision: 'approve' });
    expect(getLastResults(session)).toEqual([CHANGED_TOOL_ERROR]);
    expect(ran).toEqual([]);
  });

  it('is requested for each question in turn if a tool asks two questions at once', async () => {
    const both = defineTool({
      name: 'both',
      description: 'Asks.',
      effect: 'read',
      run: async (_, call) => {
        const both = await Promise.all([
          call.ask({ for: 'decision', message: 'A?' }),
          call.ask({ for: 'decision', message: 'B?' }),
        ]);
        return both.map(({ decision }) => decision).join(' ');
      },
    });
    const session = createTestSession(createTestAgent(both), {
      use: [answers],
      replies: [callTools('both'), 'Done.'],
    });
    expect(await session.send('Go.')).toMatchObject({ pending: [{ message: 'A?' }] });
    expect(await session.decide('both', { decision: 'reject' })).toMatchObject({
      pending: [{ message: 'B?' }],
    });
    expect(await session.decide('both', { decision: 'approve' })).toMatchObject({ outcome: 'completed' });
    expect(getLastResults(session)).toEqual(['reject approve']);
  });

  it('is not awaited if the time limit of its question is invalid', async () => {
    const ran: string[] = [];
    const pay = createActingTool('pay', ran);
    const asking: AnyTool = {
      ...pay,
      call: async (input, call) => {
        await call.ask({
          for: 'decision',
          message: 'Pay?',
          expires: Number.POSITIVE_INFINITY,
          onExpiry: 'approve',
        });
        return pay.call(input, call);
      },
    };
    const session = createTestSession(createTestAgent(asking), {
      use: [answers],
      replies: [callTools('pay'), 'Done.'],
    });
    await session.send('Pay.');
    expect(getLastResults(session)).toEqual([
      'Error: A question cannot expire after Infinity ms. Omit expires to wait without a limit.',
    ]);
    expect(ran).toEqual([]);
  });

  it('cannot be changed by the tool that reads it', async () => {
    const seen: unknown[] = [];
    const edits = defineTool({
      name: 'edits',
      description: 'Reads its edit.',
      effect: 'read',
      run: async (_, call) => {
        const { input } = await call.ask({ for: 'decision', message: 'What?', schema: { type: 'object' } });
        seen.push({ ...input });
        if (input) Object.assign(input, { amount: 9 });
        await call.ask({ for: 'decision', message: 'Sure?' });
        return 'ok';
      },
    });
    const session = createTestSession(createTestAgent({ ...edits, uses: [answers] }), {
      replies: [callTools('edits'), 'Done.'],
    });
    await session.send('Go.');
    await session.decide('edits', { decision: 'edit', input: { amount: 5 } });
    await session.decide('edits', { decision: 'approve' });
    expect(seen).toEqual([{ amount: 5 }, { amount: 5 }]);
  });
});

describe('the second of two approvals', () => {
  it('shows the input as edited by the first approval (AEA-13)', async () => {
    const paid: unknown[] = [];
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: v.object({ amount: v.number() }),
      run: (input) => void paid.push(input),
    });
    const twice = requireApproval(
      requireApproval(pay, ({ amount }) => `Pay ${amount} as the cfo?`),
      'Pay?',
    );
    const session = createTestSession(createTestAgent(twice), {
      replies: [{ calls: [{ name: 'pay', input: { amount: 5 } }] }, 'Done.'],
    });
    expect(await session.send('Pay.')).toMatchObject({
      pending: [{ message: 'Pay?', input: { amount: 5 } }],
    });
    expect(await session.decide('pay', { decision: 'edit', input: { amount: 5_000 } })).toMatchObject({
      pending: [{ message: 'Pay 5000 as the cfo?', input: { amount: 5_000 } }],
    });
    await session.decide('pay', { decision: 'approve' });
    expect(paid).toEqual([{ amount: 5_000 }]);
  });
});

describe('a question', () => {
  it('does not keep the turn waiting if it comes from a call that has ended', async () => {
    const ran: string[] = [];
    const clock = createManualClock();
    const waitFor = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
    let late: Promise<unknown> | undefined;
    const slow = defineTool({
      name: 'slow',
      description: 'Asks too late.',
      effect: 'read',
      timeout: 20,
      run: (_, call) => {
        late = waitFor(60).then(() => call.ask({ for: 'decision', message: 'Now?' }));
        late.catch(() => {});
        return late;
      },
    });
    const wait = defineTool({
      name: 'wait',
      description: 'Waits.',
      effect: 'read',
      run: () => waitFor(120).then(() => 'waited'),
    });
    const tools = [slow, wait, requireApproval(createActingTool('pay', ran), 'Pay?')];
    const session = createTestSession(createTestAgent(...tools), {
      replies: [callTools('slow', 'wait', 'pay'), 'Done.'],
      clock,
    });
    expect(await advanceUntilSettled(clock, session.send('Go.'))).toMatchObject({
      pending: [{ tool: 'pay' }],
    });
    await expect(late).rejects.toThrow(/^Call \w+\.3\.0 has ended, and cannot ask any more\.$/);
    expect(await session.decide('pay', { decision: 'approve' })).toMatchObject({ outcome: 'completed' });
    expect(ran).toEqual(['pay']);
  });

  it('is dropped if another call has ended the loop, and no reviewer is asked (LOOP-16)', async () => {
    const ran: string[] = [];
    const pay = requireApproval(createActingTool('pay', ran), 'Pay?');
    const session = createTestSession(createTestAgent(pay, signals), { replies: [callTools('pay', 'stop')] });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', signal: { type: 'replan' } });
    expect(ran).toEqual([]);
    expect(await session.pending()).toEqual([]);
  });

  it('is dropped if a decision about another call has ended the turn (AEA-06)', async () => {
    const ran: string[] = [];
    const tools = ['pay', 'ship'].map((name) => requireApproval(createActingTool(name, ran), `${name}?`));
    const session = createTestSession(createTestAgent(...tools), { replies: [callTools('pay', 'ship')] });
    await session.send('Go.');
    expect(await session.decide('pay', { decision: 'exit' })).toMatchObject({ outcome: 'cancelled' });
    expect(ran).toEqual([]);
    expect(await session.pending()).toEqual([]);
  });
});

it('an edit with invalid Unicode in a property name is refused, and its question stays open', async () => {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: jsonSchema({ type: 'object', properties: {}, additionalProperties: false }),
    run: () => 'paid',
  });
  const session = createTestSession(createTestAgent(requireApproval(pay, 'Pay?')), {
    replies: [callTools('pay')],
  });
  await session.send('Pay.');
  await expect(session.decide('pay', { decision: 'edit', input: { '\ud800': 1 } })).rejects.toThrow(
    'The answer is not valid: input: cannot be checked: a name in it is not valid text, or it is nested too deeply.',
  );
  expect(await session.pending()).toMatchObject([{ tool: 'pay' }]);
});

describe('the result of a tool that the caller ran', () => {
  it('is reported even if another call ended the loop (SPM-17)', async () => {
    const session = createTestSession(createTestAgent(manual(createActingTool('transfer', [])), signals), {
      replies: [callTools('transfer', 'stop')],
    });
    await session.send('Go.');
    await session.result('transfer', { text: 'I transferred 500.' });
    const ended = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' ? [event.result] : [],
    );
    expect(ended.map((result) => (result.type === 'text' ? result.content : result.type))).toContain(
      'I transferred 500.',
    );
  });
});

describe('a pipeline', () => {
  it('passes the agent’s model to a step that asks a model (AEP-01)', async () => {
    const dig: AnyTool = {
      ...createActingTool('dig', []),
      effect: 'none',
      call: async (_, call) =>
        text((await nest(call, { name: 'dig', instructions: 'Dig.', message: 'Dig.', tools: [] })).text),
    };
    const work = definePipeline({ name: 'work', steps: [dig] });
    const session = createTestSession(createTestAgent(work), {
      replies: [callTools('work'), 'Found it.', 'Done.'],
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.', iterations: 3 });
    expect(getLastResults(session)).toEqual(['Found it.']);
  });

  it('does not run its remaining steps if a deployment changed it during a wait (AEP-01, DEC-18)', async () => {
    const ran: string[] = [];
    const [check, charge] = [createActingTool('check', ran), createActingTool('charge', ran)];
    const mail = requireApproval(createActingTool('mail', ran), 'Mail?');
    const { tool, deploy } = createRedeployable(definePipeline({ name: 'work', steps: [charge, mail] }));
    const session = createTestSession(createTestAgent(tool), { replies: [callTools('work'), 'Done.'] });
    await session.send('Go.');
    deploy(definePipeline({ name: 'work', steps: [check, charge, mail] }));
    await session.decide('mail', { decision: 'approve' });
    expect(ran).toEqual(['charge', 'mail']);
    expect(getLastResults(session)).toEqual([
      "Error: The pipeline has changed since it began. Its steps 'charge', 'mail' have run, and nothing more was run. " +
        'Do not assume that it did all of its work.',
    ]);
  });

  it('completes even if another call sends a signal, even after a kill', async () => {
    const ran: string[] = [];
    const kill: { now: () => void } = { now: () => {} };
    const one = defineTool({
      name: 'one',
      description: 'Acts.',
      effect: 'idempotent',
      run: () => {
        ran.push('one');
        if (ran.length === 1) kill.now();
        return {};
      },
    });
    const work = definePipeline({ name: 'work', steps: [one, createActingTool('two', ran)] });
    const session = createTestSession(createTestAgent(work, signals), {
      replies: [callTools('work', 'stop')],
    });
    kill.now = session.kill;
    expect(await session.send('Go.')).toMatchObject({ signal: { type: 'replan' } });
    expect(ran).toEqual(['one', 'one', 'two']);
  });
});

it('a secret in a signal is redacted even if a decorator changes the result (SIG-01)', async () => {
  const bad = defineTool({
    name: 'bad',
    description: 'Tells.',
    run: (_, call) => {
      throw terminateAgent(`It was ${call.secrets.require('KEY')}.`);
    },
  });
  const rebuilt: AnyTool = {
    ...bad,
    call: async (input, call) => text((await bad.call(input, call)).content),
  };
  const createSecrets = () => ({ KEY: 'sk-very-secret' });
  const session = createTestSession(createTestAgent(rebuilt), {
    replies: [callTools('bad')],
    secrets: createSecrets,
  });
  expect(await session.send('Go.')).toMatchObject({ signal: { reason: 'It was [secret KEY].' } });
  expect(JSON.stringify(await session.events())).not.toContain('sk-very-secret');
});
