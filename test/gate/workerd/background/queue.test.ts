import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HandOver } from '../../../../src/create-holdfast.ts';
import { consumeTurns, createHoldfast, type HoldfastConfig } from '../../../../src/create-holdfast.ts';
import { FAKE_QUEUE_PREFIX, fakeQueue } from '../../../fixtures/fake-queue.ts';
import { handOvers } from '../../../fixtures/hand-overs.ts';
import { withLease } from '../../../fixtures/lease-terms.ts';
import { setLimits } from '../../../fixtures/platform.ts';
import { recordings, scripted } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { wrapObjects } from '../http/app.ts';
import {
  createSessionPath,
  followToEnd,
  getSessionName,
  post,
  readJournal,
  readJson,
  send,
} from '../http/client.ts';
import { advanceClock } from '../http/time.ts';
import { storeUnreadableTurn } from '../http/unreadable-turn.ts';

const BACKGROUND = { headers: { prefer: 'respond-async' } };
const createRecordReply = (note: string) => ({ calls: [{ name: 'record', input: { note } }] });
const countRecordings = (note: string): number => recordings.filter((one) => one.note === note).length;

const LEASE_MS = 60_000;

/** Returns a session whose alarms send to the fake queue, and fire again after `LEASE_MS`. */
const createQueueSession = (): string =>
  createSessionPath('scripted', `${FAKE_QUEUE_PREFIX}-${withLease(LEASE_MS)}`);

const listSent = (of: string): readonly HandOver[] =>
  fakeQueue.sent.filter(({ name }) => name === getSessionName(of));
const countRuns = (of: string): number => handOvers.filter(({ name }) => name === getSessionName(of)).length;

/** Stores a background message in this session, and returns the hand-over sent by its alarm. */
async function acceptMessage(of: string, message: string): Promise<HandOver> {
  const before = listSent(of).length;
  const response = await post(of, { message }, BACKGROUND);
  expect(response.status).toBe(202);
  await expect.poll(() => listSent(of).length).toBeGreaterThan(before);
  const handOver = listSent(of).at(-1);
  if (!handOver) throw new Error('The alarm sent no message to the queue.');
  return handOver;
}

interface QueueDelivery {
  readonly config?: Partial<HoldfastConfig>;
  readonly vars?: Readonly<Record<string, unknown>>;
}

/** Delivers one batch to the consumer, and returns the outcome of each message. */
async function deliver(bodies: readonly unknown[], { config, vars }: QueueDelivery = {}): Promise<string[]> {
  const consume = consumeTurns(createHoldfast({ agents: [scripted], ...config }));
  const fates = bodies.map(() => 'open');
  const messages = bodies.map((body, index) => ({
    id: `m${index}`,
    timestamp: new Date(),
    attempts: 1,
    body,
    ack: () => {
      fates[index] = 'acknowledged';
    },
    retry: (options?: QueueRetryOptions) => {
      fates[index] = options?.delaySeconds ? `again in ${options.delaySeconds} s` : 'again';
    },
  }));
  const batch: MessageBatch = {
    queue: 'turns',
    messages,
    metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } },
    ackAll: () => {},
    retryAll: () => {},
  };
  await consume(batch, { ...env, ...vars }, createExecutionContext());
  return fates;
}

const log = vi.spyOn(console, 'error').mockImplementation(() => {});
afterEach(() => {
  log.mockClear();
  fakeQueue.isBroken = false;
});

describe('a turn that is sent through the queue', () => {
  it('is run only by the consumer', async () => {
    const of = createQueueSession();
    const handOver = await acceptMessage(
      of,
      registerScript(createRecordReply('by-queue'), 'Done.').message(),
    );
    expect(await readJournal(of)).toHaveLength(2);
    expect(await deliver([handOver])).toEqual(['acknowledged']);
    expect((await readJournal(of)).at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
    expect([countRecordings('by-queue'), countRuns(of), listSent(of)]).toEqual([1, 0, [handOver]]);
  });

  it('is run by the loopback one lease term later if its message is lost', async () => {
    const of = createQueueSession();
    await acceptMessage(of, registerScript(createRecordReply('lost'), 'Done.').message());
    await advanceClock(of, LEASE_MS);
    await followToEnd(of);
    expect([countRecordings('lost'), countRuns(of), listSent(of).length]).toEqual([1, 1, 1]);
  });

  it('is run by the loopback immediately if the queue refuses the message', async () => {
    const of = createQueueSession();
    fakeQueue.isBroken = true;
    await post(of, { message: registerScript(createRecordReply('broken'), 'Done.').message() }, BACKGROUND);
    await followToEnd(of);
    expect([countRecordings('broken'), countRuns(of), listSent(of).length]).toEqual([1, 1, 0]);
    expect(log.mock.calls.flat().join()).toMatch(
      /"turn [0-9a-f]{16} could not be sent by the queue TURNS: Error: The queue is unavailable\."/,
    );
  });

  it('runs once if its message is delivered twice, at the same time or later', async () => {
    const of = createQueueSession();
    const handOver = await acceptMessage(
      of,
      registerScript(createRecordReply('repeated'), 'Done.').message(),
    );
    const together = await Promise.all([deliver([handOver]), deliver([handOver, handOver])]);
    expect(together).toEqual([['acknowledged'], ['acknowledged', 'acknowledged']]);
    await followToEnd(of);
    expect(await deliver([handOver])).toEqual(['acknowledged']);
    expect((await readJournal(of)).filter(({ type }) => type === 'turn-ended')).toHaveLength(1);
    expect(countRecordings('repeated')).toBe(1);
  });

  it('is retried by its alarm after a pause, not by the queue, if it cannot be read', async () => {
    const of = createQueueSession();
    const turn = await storeUnreadableTurn(of);
    expect(await deliver([{ name: getSessionName(of), turn }])).toEqual(['acknowledged']);
    expect(log.mock.calls.map(([text]) => text)).toEqual([
      'holdfast: a turn that cannot be read is tried again',
    ]);
  });

  it('ignores messages that arrive late or early', async () => {
    const of = createQueueSession();
    const { message } = registerScript(
      createRecordReply('late-one'),
      'One.',
      createRecordReply('late-two'),
      'Two.',
    );
    const first = await acceptMessage(of, message());
    await deliver([first]);
    const second = await acceptMessage(of, 'Again.');
    const early = { ...second, turn: 'never-was' };
    expect(await deliver([early, first, second, second])).toEqual(Array(4).fill('acknowledged'));
    expect((await readJournal(of)).filter(({ type }) => type === 'turn-ended')).toHaveLength(2);
    expect([countRecordings('late-one'), countRecordings('late-two')]).toEqual([1, 1]);
  });

  it('is not run while another invocation holds the lease', async () => {
    const of = createQueueSession();
    const answer = createHeldReply('Done.');
    const handOver = await acceptMessage(of, registerScript(answer.reply).message());
    const running = deliver([handOver]);
    await answer.asked();
    expect(await deliver([handOver])).toEqual(['acknowledged']);
    answer.release();
    expect(await running).toEqual(['acknowledged']);
  });

  it('is sent again for each invocation that it needs', async () => {
    const of = createQueueSession();
    const lift = setLimits({ subrequests: 20, internalSubrequests: 20 });
    const replies = Array.from({ length: 12 }, (_, i) => createRecordReply(`long-${i}`));
    let handOver: HandOver | undefined = await acceptMessage(
      of,
      registerScript(...replies, 'Done.').message(),
    );
    let deliveries = 0;
    while (handOver) {
      await deliver([handOver], { config: { limits: { subrequests: 20, internalSubrequests: 20 } } });
      deliveries += 1;
      const isOver = (await readJournal(of)).at(-1)?.type === 'turn-ended';
      if (!isOver) await expect.poll(() => listSent(of).length).toBe(deliveries + 1);
      handOver = isOver ? undefined : listSent(of).at(-1);
    }
    lift();
    expect(deliveries).toBeGreaterThan(3);
    expect([countRuns(of), replies.map((_, i) => countRecordings(`long-${i}`))]).toEqual([
      0,
      Array(12).fill(1),
    ]);
  });
});

describe('a queue message', () => {
  it.each([
    ['text instead of an object', 'turn 4711 of secret'],
    ['no body', null],
    ['an invalid name', { name: 'secret', turn: 't' }],
    ['a name with too few parts', { name: '["secret"]', turn: 't' }],
    ['no turn', { name: '["o","scripted","secret"]' }],
  ])('with %s goes to the dead-letter queue, and its content is not logged', async (_, body) => {
    expect(await deliver([body])).toEqual(['again']);
    expect(log.mock.calls).toEqual([['holdfast: message m0 of the queue has no turn, and is refused']]);
  });

  it('does not create its session if that session is unknown', async () => {
    const of = createQueueSession();
    expect(await deliver([{ name: getSessionName(of), turn: 't' }])).toEqual(['acknowledged']);
    expect((await send(of)).status).toBe(404);
  });

  it('is retried if the session cannot be reached, and does not delay the other messages', async () => {
    const of = createQueueSession();
    const handOver = await acceptMessage(of, registerScript('Done.').message());
    const other = createQueueSession();
    const SESSIONS = wrapObjects((stub) => ({
      resume: (request: Parameters<typeof stub.resume>[0]) =>
        request.turn === handOver.turn
          ? Promise.reject(Object.assign(new Error('out of order'), { overloaded: true }))
          : stub.resume(request),
    }));
    const second = await acceptMessage(other, registerScript('Done.').message());
    const fates = await deliver([handOver, second], { vars: { SESSIONS } });
    expect(fates).toEqual(['again in 5 s', 'acknowledged']);
    expect((await readJournal(other)).at(-1)).toMatchObject({ type: 'turn-ended' });
    expect(await deliver([handOver])).toEqual(['acknowledged']);
  });

  it('is left to another invocation if the current invocation has used up its budget', async () => {
    const [one, two] = [createQueueSession(), createQueueSession()];
    const records = [...'abcdefghijkl'].map(createRecordReply);
    const first = await acceptMessage(one, registerScript(...records, 'Done.').message());
    const second = await acceptMessage(two, registerScript('Done.').message());
    const config = { limits: { internalSubrequests: 20 } };
    expect(await deliver([first, second], { config })).toEqual(['acknowledged', 'again']);
    expect(await readJournal(two)).toHaveLength(2);
  });
});

describe('a turn in a deployment with invalid limits', () => {
  it('fails with an error that includes the name of the var', async () => {
    const of = createQueueSession();
    const handOver = await acceptMessage(of, registerScript('Done.').message());
    expect(await deliver([handOver], { vars: { SUBREQUESTS: 'many' } })).toEqual(['acknowledged']);
    expect((await readJson(await send(of))).turn).toMatchObject({
      outcome: 'failed',
      error: {
        type: 'misconfigured',
        message: 'SUBREQUESTS is "many". It must be a whole number of at least 20.',
      },
    });
  });
});
