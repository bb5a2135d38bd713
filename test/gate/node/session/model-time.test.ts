import { describe, expect, it, vi } from 'vitest';
import {
  type ChatModel,
  defineAgent,
  fallback,
  ModelError,
  type ModelTimeout,
} from '../../../../src/index.ts';
import { defineAgenticTool, defineSubagent } from '../../../../src/kinds/entry.ts';
import type { AskOptions } from '../../../../src/model/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { createManualClock, createTestSession, scriptedModel } from '../../../../src/testing/entry.ts';
import { askInTime, createMemoryLoop } from '../../../doors/loop.ts';
import type { FeedItem, TurnEnd } from '../../../doors/session.ts';
import { countTimers } from '../../../full/crash-matrix/lab/counted-clock.ts';
import { askAgents } from '../agentic/scenes.ts';
import { createReadingTool, getShownResults } from '../tool-loop/scenes.ts';
import { createMemoryApp } from './memory-app.ts';

const MINUTE = 60_000;
const neverResolve = (): Promise<never> => new Promise(() => {});

type AskFunction = (options: AskOptions, n: number) => ReturnType<ChatModel['ask']>;

/** A turn with a watching client, whose model has just received its first request. */
async function startTurn(ask: AskFunction, modelTimeout?: ModelTimeout) {
  const manual = createManualClock(1_000_000);
  const { clock, timersLeft } = countTimers(manual);
  const asked: AskOptions[] = [];
  const model: ChatModel = {
    name: 'mine',
    ask: (_, options) => ask(options, asked.push(options)),
  };
  const app = createMemoryApp({ replies: [], clock, settings: { timeout: modelTimeout } });
  const shown: FeedItem[] = [];
  let end: TurnEnd | undefined;
  const leased = await app.lease('Hi.');
  void app
    .run(leased, { agent: { ...app.agent, model }, show: (item) => void shown.push(item) })
    .then((ended) => {
      end = ended;
    });
  await manual.advance(0);
  return {
    advance: (ms: number) => manual.advance(ms),
    asked,
    /** The result of the turn, or `undefined` while it runs. */
    end: () => (end?.status === 'ended' ? (end.turn.error ?? end.turn.text) : end?.status),
    texts: () => shown.flatMap((item) => (item.type === 'text-delta' ? [[item.reply, item.text]] : [])),
    timersLeft,
  };
}

const createFailure = (message: string) => ({ type: 'model-failure', message });
const hello = { text: 'Hello.', toolCalls: [], finish: 'stop' } as const;

describe('a model call that never settles and ignores its signal', () => {
  it('is abandoned after ten minutes, and the turn reports the timeout', async () => {
    const turn = await startTurn(neverResolve);
    await turn.advance(10 * MINUTE - 1);
    expect([turn.end(), turn.asked[0]?.signal.aborted]).toEqual([undefined, false]);
    await turn.advance(1);
    expect(turn.end()).toEqual(createFailure("The model 'mine' did not answer within 600000 ms."));
    expect([turn.asked.length, turn.asked[0]?.signal.aborted, turn.timersLeft()]).toEqual([1, true, 0]);
  });

  it('is abandoned after the timeout of its agent', async () => {
    const turn = await startTurn(neverResolve, { total: 1_500 });
    await turn.advance(1_499);
    expect(turn.end()).toBeUndefined();
    await turn.advance(1);
    expect(turn.end()).toEqual(createFailure("The model 'mine' did not answer within 1500 ms."));
  });

  it('cannot show text or make requests after it was abandoned', async () => {
    const turn = await startTurn(neverResolve, { total: 1_000 });
    await turn.advance(1_000);
    const [options] = turn.asked;
    options?.onText?.('Late.');
    options?.alive?.();
    await expect(options?.again?.()).rejects.toThrow("The model 'mine' did not answer within 1000 ms.");
    expect([turn.texts(), turn.timersLeft()]).toEqual([[], 0]);
  });

  it('is reported as a timeout even if its signal makes it fail', async () => {
    const turn = await startTurn(
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('Aborted.')))),
    );
    await turn.advance(10 * MINUTE);
    expect(turn.end()).toEqual(createFailure("The model 'mine' did not answer within 600000 ms."));
  });

  it('is abandoned after ten minutes even if it streams, and is not retried', async () => {
    let emitText = (): void => {};
    const turn = await startTurn(({ onText }) => {
      emitText = () => onText?.('.');
      return neverResolve();
    });
    for (let minute = 1; minute < 10; minute += 1) {
      emitText();
      await turn.advance(MINUTE);
    }
    expect(turn.end()).toBeUndefined();
    await turn.advance(MINUTE);
    expect(turn.end()).toEqual(createFailure("The model 'mine' did not answer within 600000 ms."));
    expect([turn.asked.length, turn.timersLeft()]).toEqual([1, 0]);
  });
});

describe('a model call that streams', () => {
  it('is abandoned after two minutes of silence and retried once, with its text dropped', async () => {
    const turn = await startTurn(async ({ onText }, n) => {
      onText?.('Hel');
      return n === 1 ? neverResolve() : hello;
    });
    await turn.advance(2 * MINUTE - 1);
    expect([turn.end(), turn.asked.length]).toEqual([undefined, 1]);
    await turn.advance(1);
    expect(turn.end()).toBe('Hello.');
    expect(turn.texts()).toEqual([
      ['1.1', 'Hel'],
      ['1.2', 'Hel'],
    ]);
    expect([turn.asked.length, turn.timersLeft()]).toEqual([2, 0]);
  });

  it('fails the turn if it falls silent twice', async () => {
    const turn = await startTurn(({ onReasoning }) => {
      onReasoning?.('Hm.');
      return neverResolve();
    });
    await turn.advance(4 * MINUTE);
    expect(turn.end()).toEqual(createFailure("The model 'mine' was silent for 120000 ms."));
    expect([turn.asked.length, turn.timersLeft()]).toEqual([2, 0]);
  });

  it('counts silence from its request if the model declares that it streams', async () => {
    const turn = await startTurn(({ alive }) => {
      alive?.();
      return neverResolve();
    });
    await turn.advance(2 * MINUTE - 1);
    expect(turn.end()).toBeUndefined();
    await turn.advance(1);
    expect(turn.end()).toEqual(createFailure("The model 'mine' was silent for 120000 ms."));
    expect(turn.asked).toHaveLength(1);
  });

  it('continues as long as chunks arrive in time', async () => {
    const turn = await startTurn(() => neverResolve(), { silence: 1_000 });
    for (const sign of ['alive', 'onText', 'onReasoning', 'alive'] as const) {
      if (sign === 'alive') turn.asked[0]?.alive?.();
      else turn.asked[0]?.[sign]?.('.');
      await turn.advance(999);
    }
    expect(turn.end()).toBeUndefined();
    await turn.advance(1);
    expect(turn.asked).toHaveLength(2);
  });

  it('may be silent slightly longer than the timeout it declares, if its agent sets no timeout', async () => {
    const askPatiently: AskFunction = ({ alive }) => {
      alive?.(3 * MINUTE);
      return neverResolve();
    };
    const turn = await startTurn(askPatiently);
    await turn.advance(3 * MINUTE + 4_999);
    expect(turn.end()).toBeUndefined();
    await turn.advance(1);
    expect(turn.end()).toEqual(createFailure("The model 'mine' was silent for 185000 ms."));
    const bound = await startTurn(askPatiently, { silence: 2_000 });
    await bound.advance(2_000);
    expect(bound.end()).toEqual(createFailure("The model 'mine' was silent for 2000 ms."));
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])(
    'is abandoned after ten minutes if it declares a silence of %d ms',
    async (ms) => {
      const turn = await startTurn(({ alive }) => {
        alive?.(ms);
        return neverResolve();
      });
      await turn.advance(10 * MINUTE);
      expect(turn.end()).toMatchObject({ type: 'model-failure' });
      expect(turn.timersLeft()).toBe(0);
    },
  );

  it('does not count as silent while it waits for permission to retry its provider', async () => {
    const room = Promise.withResolvers<void>();
    const clock = createManualClock(0);
    const { loop } = createMemoryLoop({
      tools: [],
      model: { name: 'mine', ask: neverResolve },
      holder: clock,
    });
    let isOver = false;
    const ask: ChatModel['ask'] = async (_, { alive, again }) => {
      alive?.();
      await again?.();
      alive?.();
      return neverResolve();
    };
    const signal = new AbortController().signal;
    const spec = { ...loop.spec, model: { name: 'mine', ask } };
    const asking = askInTime(
      { ...loop, spec },
      { messages: [], tools: [] },
      { signal, again: () => room.promise },
    );
    const failed = asking.catch((failure: unknown) => {
      isOver = true;
      return failure;
    });
    await clock.advance(5 * MINUTE);
    room.resolve();
    await clock.advance(2 * MINUTE - 1);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(await failed).toMatchObject({
      failure: 'timeout',
      message: "The model 'mine' was silent for 120000 ms.",
    });
  });

  it('may be silent for longer if a fallback answers in one piece', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const streams: ChatModel = {
      name: 'streams',
      async ask(_, { alive }) {
        alive?.();
        throw new ModelError('rate-limited', 'No.', { status: 429 });
      },
    };
    const answer = Promise.withResolvers<typeof hello>();
    const whole: ChatModel = { name: 'whole', ask: () => answer.promise };
    const model = fallback([streams, whole]);
    const turn = await startTurn(async (options) => model.ask({ messages: [], tools: [] }, options));
    await turn.advance(9 * MINUTE);
    answer.resolve(hello);
    await turn.advance(0);
    expect([turn.end(), turn.timersLeft()]).toEqual(['Hello.', 0]);
    vi.restoreAllMocks();
  });

  it('cannot make more requests after it has answered', async () => {
    const turn = await startTurn(async () => hello);
    expect(turn.end()).toBe('Hello.');
    await expect(turn.asked[0]?.again?.()).rejects.toThrow('The model has already answered.');
  });

  it('leaves no timer behind when it answers', async () => {
    const turn = await startTurn(async ({ onText, alive }) => {
      alive?.();
      onText?.('Hello.');
      return hello;
    });
    expect([turn.end(), turn.timersLeft()]).toEqual(['Hello.', 0]);
  });
});

describe('loops inside an agent', () => {
  const clerk = { name: 'clerk', description: 'Works.', instructions: 'Work.' };
  const slow: ChatModel = { name: 'slow', ask: neverResolve };
  const dig = defineAgenticTool({
    name: 'dig',
    description: 'Digs.',
    input: jsonSchema({ type: 'object', properties: { message: { type: 'string' } } }),
    tools: [createReadingTool('look')],
    model: slow,
  });
  const defineOther = (modelTimeout?: ModelTimeout) =>
    defineSubagent({
      agent: defineAgent({
        name: 'other',
        description: 'Digs.',
        instructions: '',
        model: slow,
        settings: { timeout: modelTimeout },
      }),
    });

  it.each([
    ['an agentic tool', () => dig, 3_000],
    ['a subagent', () => defineOther(), 3_000],
    ['a subagent, unless it has its own timeout', () => defineOther({ total: 5_000 }), 5_000],
    ['a subagent with a timeout for silence only', () => defineOther({ silence: 5_000 }), 3_000],
  ])('use the timeouts of the agent: %s', async (_, tool, ms) => {
    const clock = createManualClock(1_000_000);
    const inner = tool();
    const agent = defineAgent({ ...clerk, tools: [inner], settings: { timeout: { total: 3_000 } } });
    const model = scriptedModel([askAgents(inner.name), 'Well.']);
    const session = createTestSession(agent, { model, clock });
    const answer = session.send('Go.');
    await clock.advance(ms - 1);
    expect(model.requests).toHaveLength(1);
    await clock.advance(1);
    expect(await answer).toMatchObject({ outcome: 'completed', text: 'Well.' });
    expect(getShownResults(model.requests[1]).join()).toContain(
      `The model 'slow' did not answer within ${ms} ms.`,
    );
  });
});
