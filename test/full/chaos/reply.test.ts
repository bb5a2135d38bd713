import { describe, expect, it } from 'vitest';
import { type Reply, toReply } from './reply.ts';

const createReply = (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  toReply(new Response(null, { status, headers }), typeof body === 'string' ? body : JSON.stringify(body));

const createProblem = (type: string, more: object = {}) => ({
  type: `urn:holdfast:problem:${type}`,
  ...more,
});

describe('the client’s parsing of a response', () => {
  it.each<[string, Reply, Reply]>([
    [
      'an answer',
      createReply(200, { turn: 't', outcome: 'completed' }),
      { came: 'answer', turn: 't', outcome: 'completed' },
    ],
    [
      'the problem of a failed turn as its answer',
      createReply(502, createProblem('model-failure', { turn: 't', outcome: 'failed', status: 502 })),
      { came: 'answer', turn: 't', outcome: 'failed' },
    ],
    [
      'a suspended turn',
      createReply(202, { turn: 't', outcome: 'suspended', status: 'suspended', pending: [] }),
      { came: 'suspended', turn: 't', pending: [] },
    ],
    [
      'a stored message',
      createReply(202, { turn: 't', status: 'queued' }),
      { came: 'accepted', turn: 't', status: 'queued' },
    ],
    [
      'a busy session that names its open turn',
      createReply(409, createProblem('session-busy', { turn: 'other' }), { 'retry-after': '2' }),
      { came: 'refused', why: 'session-busy', retryAfter: 2_000 },
    ],
    [
      'a restart after a file was saved',
      createReply(503, 'Your worker restarted mid-request. Please try sending the request again.'),
      { came: 'broken' },
    ],
    ['a server error', createReply(500, 'Oh'), { came: 'unexpected', status: 500, body: 'Oh' }],
    ['an unexpected refusal', createReply(404, '{}'), { came: 'unexpected', status: 404, body: '{}' }],
  ])('recognizes %s', (_, reply, expected) => {
    expect(reply).toEqual(expected);
  });
});
