import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../../../src/index.ts';
import { scheduleMessage } from '../../../../../src/modules/schedules/entry.ts';
import { createEmptyState } from '../../../../doors/journal.ts';
import { CallStarts } from '../../../../doors/loop.ts';
import { getModelText } from '../../../../doors/tools.ts';
import { createFakeInvocation } from '../../tools/fake-invocation.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2027-01-31T09:00:00.500Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Returns the text that the model reads, and the scheduled messages without their turn. */
async function callScheduleTool(input: JsonObject, inSession = true): Promise<[string, ...object[]]> {
  const { call } = createFakeInvocation('schedule_message');
  const journal = { state: createEmptyState(), waiting: { turns: 0, bytes: 0 } };
  const agent = { name: 'planner', limits: { maxGenerations: 8, maxScheduled: 20 } };
  const origin = new CallStarts({ journal, agent, log: call.log, started: [], named: new Set() }, {});
  // The tool reads the origin from its call.
  Object.assign(call, { origin, inSession });
  const text = getModelText(await scheduleMessage().call(input, call));
  const later = await Promise.all(origin.later);
  for (const { turn } of later) expect(text).toContain(turn);
  return [text, ...later.map(({ turn: _, ...more }) => more)];
}

const message = 'Look again.';

describe('`schedule_message`', () => {
  it.each([
    ['in 2 hours', 7_200, '11:00:00'],
    ['In 90 Minutes', 5_400, '10:30:00'],
    ['2h', 7_200, '11:00:00'],
    ['in an hour', 3_600, '10:00:00'],
    ['a minute', 60, '09:01:00'],
    ['in 1.5 min', 90, '09:01:30'],
    ['45 secs', 45, '09:00:45'],
    ['90', 90, '09:01:30'],
    [90, 90, '09:01:30'],
    [' in 0 seconds ', 0, '09:00:00'],
    ['2027-01-31T10:00:00Z', 3_599.5, '10:00:00'],
    ['2027-01-31T12:00+02:00', 3_599.5, '10:00:00'],
  ])('accepts the delay %j', async (when, delaySeconds, time) => {
    expect(await callScheduleTool({ message, when })).toEqual([
      expect.stringMatching(`^Scheduled for 2027-01-31T${time}Z, as turn [0-9a-f]{16}.$`),
      { message, after: delaySeconds * 1_000 },
    ]);
  });

  it.each([
    ['in 3 days', '2027-02-03T09:00:00Z'],
    ['2 weeks', '2027-02-14T09:00:00Z'],
  ])('accepts the date %j', async (when, time) => {
    expect((await callScheduleTool({ message, when }))[0]).toMatch(`Scheduled for ${time}, as turn `);
  });

  it.each([
    'tomorrow',
    'in two hours',
    'in 2 parsecs',
    '-5',
    '2027-01-31',
    '2027-01-31T10:00:00',
    '2027-13-45T10:00:00Z',
  ])('does not guess the meaning of %j', async (when) => {
    expect(await callScheduleTool({ message, when })).toEqual([
      `Error: '${when}' is not clear. Say "in 2 hours", a number of seconds, or a time with its offset such as ` +
        '2027-01-31T09:00:00Z.',
    ]);
  });

  it.each<[JsonObject, string]>([
    [{ when: '90' }, "Error: Missing 'message' parameter"],
    [{ message: ' ', when: '90' }, "Error: Missing 'message' parameter"],
    [{ message }, "Error: Missing 'when' parameter"],
    [{ message, when: { in: 2 } }, "Error: Missing 'when' parameter"],
    [
      { message, when: '2027-01-31T08:59:59Z' },
      "Error: '2027-01-31T08:59:59Z' is over: it is 2027-01-31T09:00:00Z now.",
    ],
  ])('reports the problem with %j', async (input, text) => {
    expect(await callScheduleTool(input)).toEqual([text]);
  });

  it('shows only the beginning of a long text in an error', async () => {
    const [text] = await callScheduleTool({ message, when: 'x'.repeat(1_000) });
    expect(text.startsWith(`Error: '${'x'.repeat(60)}...' is not clear.`)).toBe(true);
  });

  it('cannot schedule outside of a session', async () => {
    expect(await callScheduleTool({ message, when: '90' }, false)).toEqual([
      'Error: There is no session that could keep the message, so it was not scheduled.',
    ]);
  });

  it('describes its purpose and its parameters to the model', () => {
    const { name, description, inputSchema, effect } = scheduleMessage();
    expect({ name, description, inputSchema, effect }).toEqual({
      name: 'schedule_message',
      description:
        'Sends a message to yourself later, in this conversation, so that you go on with something then.',
      effect: 'read',
      inputSchema: {
        type: 'object',
        properties: {
          message: {
            type: 'string',
            description: 'What you will be told then; you will see this conversation too',
          },
          when: {
            type: 'string',
            description:
              '"in 2 hours", a number of seconds, or a time with its offset such as 2027-01-31T09:00:00Z',
          },
        },
        required: ['message', 'when'],
      },
    });
  });
});
