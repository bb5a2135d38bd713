import { expect } from 'vitest';
import type {
  BeginRequest,
  Leased,
  NewRow,
  Reader,
  RequestKey,
  ResumeRequest,
  SessionPort,
  TurnStart,
} from '../../src/journal/session-port.ts';

/** One fresh session under test. */
export interface SessionHarness {
  readonly name: string;
  readonly session: SessionPort;
  readonly leaseMs: number;
  /** Lets time pass: by a clock that is held, or really. */
  wait(ms: number): Promise<void>;
  /** Drops what the session's object keeps in memory. */
  restart(): Promise<void>;
  /** The turns that its alarm handed to a runner so far. */
  handOvers(): readonly string[];
}

export type MakeHarness = () => SessionHarness;

export const READER: Reader = { reducer: 1, messageTypes: ['message'], maxBytes: 4 * 1024 * 1024 };

export function event(turn: string, body: string, type = 'step'): NewRow {
  return { type, turn, body: JSON.stringify(body) };
}

export function startOf(turn: string, request?: RequestKey): TurnStart {
  const opening = { type: 'session-opened', turn: '', body: '{"opening":true}' };
  return { turn, opening, started: event(turn, `start of ${turn}`, 'turn-started'), request };
}

export function keyed(key: string, bodyHash = 'hash', ttl = 60_000): RequestKey {
  return { key, bodyHash, ttl };
}

export function starting(turn: string, nonce: string, request?: RequestKey): BeginRequest {
  return { nonce, start: startOf(turn, request), reader: READER };
}

export function goingOn(turn: string, nonce: string): ResumeRequest {
  return { nonce, turn, reader: READER };
}

/** Begins or resumes, and fails the test unless that gives a lease. */
export async function lease(session: SessionPort, request: BeginRequest | ResumeRequest): Promise<Leased> {
  const answer = await ('start' in request ? session.begin(request) : session.resume(request));
  if (answer.status !== 'leased') throw new Error(`no lease: ${JSON.stringify(answer)}`);
  return answer;
}

/** The bodies of all events, parsed. */
export async function bodiesOf(session: SessionPort): Promise<unknown[]> {
  const page = await session.read({ from: 1 });
  return (page?.rows ?? []).map((row): unknown => JSON.parse(row.body));
}

/** Waits until `count` turns were handed over, at most three terms, and answers all. */
export async function handedOver(harness: SessionHarness, count: number): Promise<readonly string[]> {
  const step = harness.leaseMs / 30;
  for (let i = 0; i < 90 && harness.handOvers().length < count; i += 1) await harness.wait(step);
  expect(harness.handOvers().length).toBeGreaterThanOrEqual(count);
  return harness.handOvers();
}
