import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTool, text } from '../../../../src/index.ts';
import { nest } from '../../../../src/kinds/entry.ts';
import { createManualClock } from '../../../../src/testing/entry.ts';
import { createWait } from '../../../fixtures/a-wait.ts';
import { callEvents, LEASE_MS, leaveHolderSilent, takeOver } from '../session/former-holder.ts';
import { createMemoryApp } from '../session/memory-app.ts';

const createWaitingTool = (serial?: string): AnyTool => ({
  name: 'ask',
  description: 'Asks a person.',
  inputSchema: { type: 'object' },
  effect: 'once',
  serial,
  returnDirect: false,
  metadata: {},
  check: async (input) => ({ ok: true, value: input }),
  call: async (_, call) => text((await call.ask({ for: 'decision', message: 'May I?' })).decision),
});
const createLookTool = (ran: string[], serial?: string) =>
  defineTool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    serial,
    run: (_, { id }) => {
      ran.push(id);
      return 'seen';
    },
  });
const callTools = (...names: string[]) => ({ calls: names.map((name) => ({ name })) });

describe('a call that waits for an answer from outside', () => {
  it('suspends the turn after the other calls of its batch have ended, and their results are kept', async () => {
    const app = createMemoryApp({
      tools: [createWaitingTool(), createLookTool([])],
      replies: [callTools('ask', 'look')],
    });
    expect(await app.say('Go.')).toEqual({ status: 'suspended', seq: 6 });
    const [, reply] = (await app.state()).messages;
    expect(reply).toMatchObject({
      calls: [
        { name: 'ask', waits: [{ wait: { message: 'May I?' } }] },
        { name: 'look', ended: { result: { content: 'seen' } } },
      ],
    });
    await expect(app.lease('And?')).rejects.toThrow('The lease was refused: suspended.');
  });

  it('cannot ask after a `once` tool has run, because the tool would run again after the answer', async () => {
    const ran: string[] = [];
    const pay = defineTool({ name: 'pay', description: 'Pays.', run: (_, { id }) => void ran.push(id) });
    const late: AnyTool = {
      ...pay,
      async call(input, call) {
        await pay.call(input, call);
        return text((await call.ask({ for: 'decision', message: 'Was that right?' })).decision);
      },
    };
    const app = createMemoryApp({ tools: [late], replies: [callTools('pay'), 'Hm.'] });
    expect(await app.say('Go.')).toMatchObject({ status: 'ended', turn: { text: 'Hm.' } });
    expect(app.model.requests[1]?.messages.at(-1)).toMatchObject({
      text: "Error: Tool 'pay' cannot ask after it has run. Ask before.",
    });
    expect(ran).toHaveLength(1);
  });

  it('is journaled as suspended, not as started', async () => {
    const app = createMemoryApp({ tools: [createWaitingTool()], replies: [callTools('ask')] });
    await app.say('Go.');
    const turn = (await app.state()).turn?.id ?? '';
    expect((await app.events(turn)).map(({ type }) => type)).toEqual([
      'turn-started',
      'model-replied',
      'tool-call-suspended',
    ]);
  });

  it('delays later calls with its serial key', async () => {
    const ran: string[] = [];
    const app = createMemoryApp({
      tools: [createWaitingTool('s'), createLookTool(ran, 's')],
      replies: [callTools('ask', 'look')],
    });
    expect(await app.say('Go.')).toMatchObject({ status: 'suspended' });
    expect(ran).toEqual([]);
  });

  it('delays later calls with its serial key after a take-over too, and the turn is suspended again', async () => {
    const ran: string[] = [];
    const clock = createManualClock();
    const app = createMemoryApp({
      tools: [createWaitingTool('s'), createLookTool(ran, 's')],
      replies: [],
      clock,
      leaseMs: LEASE_MS,
    });
    const suspended = { type: 'tool-call-suspended', call: 'c0', wait: createWait() } as const;
    const left = await leaveHolderSilent(app, [...callEvents(['ask'], ['look']), suspended]);
    expect(await takeOver(app, clock, left)).toMatchObject({ status: 'suspended' });
    expect(ran).toEqual([]);
  });

  it('suspends the turn from inside a nested loop', async () => {
    const dig: AnyTool = {
      ...createWaitingTool(),
      name: 'dig',
      effect: 'none',
      call: async (_, call) => {
        const { outcome } = await nest(call, {
          name: 'dig',
          instructions: '',
          message: 'Dig.',
          tools: [createWaitingTool()],
        });
        return text(outcome);
      },
    };
    const app = createMemoryApp({ tools: [dig], replies: [callTools('dig'), callTools('ask')] });
    expect(await app.say('Go.')).toMatchObject({ status: 'suspended' });
    const frames = [...((await app.state()).turn?.frames.values() ?? [])];
    expect(frames.at(-1)?.messages.at(-1)).toMatchObject({
      calls: [{ waits: [{ wait: { message: 'May I?' } }] }],
    });
  });

  it('is cancelled by the next lease holder if a cancel arrives while it waits', async () => {
    const app = createMemoryApp({ tools: [createWaitingTool()], replies: [callTools('ask'), 'Next.'] });
    await app.say('Go.');
    const turn = (await app.state()).turn?.id ?? '';
    expect(await app.port.post({ kind: 'cancel', turn, body: '{}' })).toBe('posted');
    expect(await app.run(await app.resume(turn))).toMatchObject({
      status: 'ended',
      turn: { outcome: 'cancelled' },
    });
    expect(await app.say('And now?')).toMatchObject({ status: 'ended', turn: { text: 'Next.' } });
  });
});
