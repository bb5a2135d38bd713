/**
 * Sends all stored turns as A2A. The protocol's client must accept each from any position, and receive its
 * answer.
 */
import { type StreamResponse, TaskState } from '@a2a-js/sdk';
import { JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TurnItem } from '../../../src/create-holdfast.ts';
import { toTask, toTaskId } from '../../../src/examples/a2a/task.ts';
import { toA2a } from '../../../src/examples/a2a/translate.ts';
import { createRpcResult } from '../../../src/examples/a2a/wire.ts';
import { type KeptTurn, splitReplies, turns, yieldAll } from './kept-turns.ts';

const getFileUrl = (id: string) => `/files/${id}`;

/** Returns the events that the protocol's client reads from a stream. */
async function readByClient({ turn }: KeptTurn, items: readonly TurnItem[]): Promise<StreamResponse[]> {
  const of = { session: 's', turn };
  const task = toTask({ ...of, agent: 'a', status: 'running' }, getFileUrl);
  let body = '';
  for await (const event of toA2a(yieldAll(items), { ...of, task, files: getFileUrl }))
    body += `data: ${JSON.stringify(createRpcResult(1, event))}\n\n`;
  const answered = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  const transport = await new JsonRpcTransportFactory({ fetchImpl: async () => answered }).create(
    'https://holdfast.example/a2a/a',
    Object(undefined),
  );
  const read: StreamResponse[] = [];
  for await (const event of transport.resubscribeTask({ tenant: '', id: toTaskId(of) })) read.push(event);
  return read;
}

const END_STATES: Readonly<Record<string, TaskState>> = {
  suspended: TaskState.TASK_STATE_INPUT_REQUIRED,
  cancelled: TaskState.TASK_STATE_CANCELED,
  failed: TaskState.TASK_STATE_FAILED,
};

/** Asserts that the client receives the answer once, and that the stream ends with the state of the turn. */
function expectEnd({ stop }: KeptTurn, events: readonly StreamResponse[]): void {
  const [first, last] = [events.at(0)?.payload, events.at(-1)?.payload];
  expect(first?.$case).toBe('task');
  const outcome = stop.type === 'suspended' ? 'suspended' : stop.type === 'answer' ? stop.answer.outcome : '';
  const state = last?.$case === 'statusUpdate' ? last.value.status?.state : undefined;
  expect(state).toBe(END_STATES[outcome] ?? TaskState.TASK_STATE_COMPLETED);
  if (stop.type !== 'answer' || stop.answer.text === '') return;
  let held = '';
  for (const { payload } of events) {
    if (payload?.$case !== 'artifactUpdate' || payload.value.artifact?.artifactId !== 'answer') continue;
    const said = payload.value.artifact.parts.map(({ content }) =>
      content?.$case === 'text' ? content.value : '',
    );
    held = (payload.value.append ? held : '') + said.join('');
  }
  expect(held).toBe(stop.answer.text);
}

describe('stored turns as A2A', () => {
  it.each(turns.map((one) => [one.of, one.turn, one] as const))(
    'show a client the outcome of %s, turn %s',
    async (_, __, one) => {
      expectEnd(one, await readByClient(one, [...one.events, one.stop]));
    },
  );

  it('show a client the outcome if they arrive in pieces, and from any position', async () => {
    const part = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
    await fc.assert(
      fc.asyncProperty(fc.nat(), part, fc.infiniteStream(part), async (which, cut, parts) => {
        const one = turns[which % turns.length];
        if (!one) return;
        const draw = (): number => parts.next().value ?? 0;
        const rest = splitReplies(one.events.slice(Math.floor(cut * one.events.length)), draw);
        expectEnd(one, await readByClient(one, [...splitReplies(one.events, draw), one.stop]));
        expectEnd(one, await readByClient(one, [...rest, one.stop]));
      }),
      { numRuns: 200 },
    );
  }, 60_000);
});
