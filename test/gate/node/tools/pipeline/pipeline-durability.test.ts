import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineTextTool, type Effect } from '../../../../../src/index.ts';
import { definePipeline } from '../../../../../src/kinds/entry.ts';
import { requireApproval } from '../../../../../src/modules/decorators/entry.ts';
import { createManualClock, createTestSession, type TestSession } from '../../../../../src/testing/entry.ts';
import { callResults } from '../../session/former-holder.ts';
import { createMemoryApp } from '../../session/memory-app.ts';

const lineReply = { calls: [{ name: 'line', input: { input: 'start' } }] };

function createSession(tool: AnyTool): TestSession {
  const agent = defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools: [tool] });
  return createTestSession(agent, { replies: [lineReply, 'Done.'], clock: createManualClock() });
}

const findToolText = ({ requests }: TestSession): string | undefined => {
  const last = requests[1]?.messages.at(-1);
  return last?.role === 'tool' ? last.text : undefined;
};

describe('a pipeline whose Worker is killed', () => {
  /** A pipeline of three steps. The first run of the second step kills the Worker after its action. */
  function playKilledOnce(effect: Effect, more: { reconciles?: boolean; onFailure?: 'continue' } = {}) {
    const acted: string[] = [];
    const { reconciles, ...config } = more;
    const createActingStep = (name: string, ofStep: Effect, kills = false) =>
      defineTextTool({
        name,
        description: 'Acts.',
        effect: ofStep,
        run(input: string, call) {
          acted.push(`${name} ${call.idempotencyKey.slice(0, 8)}`);
          if (kills && acted.filter((one) => one.startsWith(name)).length === 1) session.kill();
          return `${input} ${name}`;
        },
        ...(reconciles && kills && { reconcile: () => ({ done: 'found' }) }),
      } as Parameters<typeof defineTextTool>[0]); // only a `once` tool has a `reconcile`
    const steps = [
      createActingStep('charge', 'once'),
      createActingStep('ship', effect, true),
      createActingStep('tell', 'once'),
    ] as const;
    const session: TestSession = createSession(definePipeline({ name: 'line', steps, ...config }));
    return { session, acted, names: () => acted.map((one) => one.split(' ')[0]) };
  }

  it('resumes at the current step without running earlier steps again (AEP-01)', async () => {
    const { session, acted, names } = playKilledOnce('idempotent');
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(names()).toEqual(['charge', 'ship', 'ship', 'tell']);
    expect(acted[1]).toBe(acted[2]);
    expect(findToolText(session)).toBe('start charge ship tell');
  });

  it('reconciles a `once` step whose outcome is unknown', async () => {
    const { session, names } = playKilledOnce('once', { reconciles: true });
    await session.send('Go.');
    expect(names()).toEqual(['charge', 'ship', 'tell']);
    expect(findToolText(session)).toBe('found tell');
  });

  it.each([[undefined], ['continue' as const]])(
    'stops at a step with an unknown outcome, even if it continues after errors (onFailure: %s)',
    async (onFailure) => {
      const { session, names } = playKilledOnce('once', { ...(onFailure && { onFailure }) });
      await session.send('Go.');
      expect(names()).toEqual(['charge', 'ship']);
      expect(findToolText(session)).toContain("Error: The outcome of this call of 'ship' is unknown:");
    },
  );

  it('has the same state after a restarted object folds its journal', async () => {
    const { session } = playKilledOnce('idempotent');
    await session.send('Go.');
    session.restart();
    expect((await session.state()).turn).toMatchObject({ iterations: 2, toolCalls: 4, model: 'scripted' });
  });
});

describe('a step that waits for an outside answer', () => {
  /** Runs a pipeline whose second step needs approval, and makes this decision. */
  async function playDecision(decision: 'approve' | 'reject' | 'exit') {
    const acted: string[] = [];
    const createActingStep = (name: string) =>
      defineTextTool({
        name,
        description: 'Acts.',
        run(input) {
          acted.push(name);
          return `${input} ${name}`;
        },
      });
    const steps = [
      createActingStep('charge'),
      requireApproval(createActingStep('ship'), 'Ship it?'),
      createActingStep('tell'),
    ];
    const tools = [definePipeline({ name: 'line', steps })];
    const app = createMemoryApp({
      tools,
      replies: [lineReply, 'Done.'],
    });
    expect(await app.say('Go.')).toMatchObject({ status: 'suspended' });
    const before = [...acted];
    const { turn } = await app.state();
    const open = [...(turn?.frames.values() ?? [])].at(-1)?.messages.at(-1);
    const [call] = open?.role === 'assistant' ? open.calls : [];
    const note = { wait: `${call?.id}#0`, answer: { type: 'decision', decision } };
    await app.port.post({ kind: 'answer', turn: turn?.id ?? '', body: JSON.stringify(note) });
    const end = await app.run(await app.resume(turn?.id ?? ''));
    return {
      app,
      before,
      acted,
      end,
      read: callResults((await app.state()).messages).map(([, text]) => text),
    };
  }

  it('suspends the turn, and resumes at the step after its approval', async () => {
    const { before, acted, end, read } = await playDecision('approve');
    expect(before).toEqual(['charge']);
    expect(acted).toEqual(['charge', 'ship', 'tell']);
    expect([end.status, read]).toEqual(['ended', ['start charge ship tell']]);
  });

  it('returns the rejection of a step as the result of the pipeline', async () => {
    const { acted, read } = await playDecision('reject');
    expect(acted).toEqual(['charge']);
    expect(read[0]).toMatch(/^Error: /);
  });

  it('ends the turn if the person chooses to exit (AEP-09)', async () => {
    const { acted, end } = await playDecision('exit');
    expect(acted).toEqual(['charge']);
    expect(end).toMatchObject({ turn: { outcome: 'cancelled' } });
  });
});
