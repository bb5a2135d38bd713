/** Measures a session: compares each request with the previous one of the same loop. */
import type { StoredEvent } from '../../../src/journal/entry.ts';
import { findCauses } from './causes.ts';
import { type Departure, findDepartures } from './departures.ts';
import { type BodyForm, parseParts, type RequestParts } from './request-parts.ts';
import {
  computeShare,
  type RequestShare,
  type ShareSummary,
  summarizeLengths,
  type Tokenizer,
} from './shares.ts';

/** A request that a wire received. */
export interface SentRequest {
  /** The id of the call that opened the loop, or empty for the turn's own loop. */
  readonly frame: string;
  /** The names of the agent and of the loops around the request, joined by `/`. */
  readonly path: string;
  readonly body: unknown;
  /** The sequence number of its reply in the journal. */
  readonly reply: number;
}

/** The departures of a request, and their causes. */
export interface Finding {
  /** The number of the request in the session, from 1. */
  readonly request: number;
  readonly path: string;
  /** A summary such as `tools: 1 changed, 3 inserted`. */
  readonly place: string;
  readonly cause: string;
}

export interface SessionMeasurement {
  readonly requests: number;
  readonly findings: readonly Finding[];
  readonly bytes: ShareSummary;
  readonly tokens: ShareSummary;
}

interface RecordedSession {
  readonly events: readonly StoredEvent[];
  readonly requests: readonly SentRequest[];
}

export function measureSession(
  { requests, events }: RecordedSession,
  form: BodyForm,
  tokenize: Tokenizer,
): SessionMeasurement {
  const last = new Map<string, { readonly parts: RequestParts; readonly reply: number }>();
  const findings: Finding[] = [];
  const shares: (RequestShare & { readonly isFirst: boolean })[] = [];
  for (const [at, { frame, path, body, reply }] of requests.entries()) {
    const parts = parseParts(form, body);
    const before = last.get(frame);
    shares.push({ ...computeShare(before?.parts, parts, tokenize), isFirst: before === undefined });
    if (before) {
      const departures = findDepartures(before.parts, parts);
      const causes = findCauses(departures, { events, frame, after: before.reply, upTo: reply });
      for (const [cause, own] of Map.groupBy(departures, (_, index) => causes[index] ?? ''))
        findings.push({ request: at + 1, path, place: describePlaces(own), cause });
    }
    last.set(frame, { parts, reply });
  }
  return {
    requests: requests.length,
    findings,
    bytes: summarizeLengths(shares.map(({ bytes, isFirst }) => ({ ...bytes, isFirst }))),
    tokens: summarizeLengths(shares.map(({ tokens, isFirst }) => ({ ...tokens, isFirst }))),
  };
}

/** Describes the departures: their number for tools, and their places for messages. */
export function describePlaces(departures: readonly Departure[]): string {
  const parts = Map.groupBy(departures, ({ part }) => part);
  return [...parts].map(([part, own]) => `${PART_NAMES[part]}: ${groupTogether(own)}`).join('; ');
}

const PART_NAMES = { tools: 'tools', system: 'system text', messages: 'messages' } as const;

/** Describes the departures in one part. */
function groupTogether(departures: readonly Departure[]): string {
  const kinds = Map.groupBy(departures, ({ what }) => what);
  return [...kinds]
    .map(([what, own]) => {
      const which = own[0]?.part === 'messages' ? own.map(({ at }) => at + 1).join(', ') : own.length;
      return `${which} ${what}`;
    })
    .join(', ');
}
