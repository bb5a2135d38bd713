/** Exports an ended turn for an agenda row of its session. */
import type { DueRow } from '../../journal/agenda.ts';
import type { StoredEvent } from '../../journal/events.ts';
import { parseSessionName } from '../../session/read-secrets.ts';
import { readTurn } from '../../session/read-session.ts';
import type { StoppedTurn } from '../../session/turn-end.ts';
import { createWarningEntry } from '../../tool/log.ts';
import type { DueApp, DueHandler } from '../../worker/background.ts';
import type { Env } from '../../worker/host.ts';
import { findUrlProblem } from '../outgoing-webhooks/post.ts';
import type { TurnTimeline } from '../timeline/timeline.ts';
import { createTimeline } from '../timeline/timeline-of.ts';
import { type AnalyticsDataset, writePoints } from './analytics.ts';
import { collectContent } from './content.ts';
import type { Attributes } from './conventions.ts';
import { collectMeasurements } from './measures.ts';
import { toMetrics, toTraces } from './otlp.ts';
import { type SendOutcome, sendOnce } from './send.ts';
import { type TracedTurn, type TurnSpan, toSpans } from './spans.ts';
import { TRACEPARENT_HEADER } from './trace-context.ts';

/** The destination and contents of exports. */
export interface ExportSettings {
  /**
   * Returns the URL of the receiver, without `/v1/traces`. A function of the app can return any value.
   */
  endpoint?(env: Env): unknown;
  /** Returns the headers of each request. A function of the app can return any value. */
  headers?(env: Env): unknown;
  readonly resource: Attributes;
  readonly content: boolean;
  readonly metrics: boolean;
  analytics?(env: Env): unknown;
}

/**
 * The data that a row exports. Traces can be sent twice, but metrics would then count twice, so they have
 * their own rows.
 */
type SignalKind = 'traces' | 'metrics';

/** Returns the rows to store with the end of a turn. */
export function createRows(
  { endpoint, metrics, analytics }: ExportSettings,
  { id, stop, seq }: StoppedTurn,
): readonly { readonly ref: string }[] {
  if (stop === 'suspended') return [];
  const signals: SignalKind[] = [];
  if (endpoint) signals.push('traces');
  if (analytics || (endpoint && metrics)) signals.push('metrics');
  return signals.map((signal) => ({ ref: JSON.stringify([signal, id, seq]) }));
}

function parseRowRef(ref: string): {
  readonly signal: SignalKind;
  readonly id: string;
  readonly seq: number;
} {
  const [signal, id, seq] = JSON.parse(ref) as [SignalKind, string, number]; // `createRows` wrote it
  return { signal, id, seq };
}

/** The pauses between attempts, in milliseconds, for ten attempts within 16 hours. */
const RETRY_PAUSES_MS = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800].map((seconds) => seconds * 1000);

/** The maximum pause that a receiver can request, in milliseconds. */
const MAX_PAUSE_MS = 6 * 3600_000;

/** Exports the data of a row. Logs one line if it fails. */
export async function exportTurn(
  app: DueApp,
  row: DueRow,
  exporting: ExportSettings,
): ReturnType<DueHandler> {
  const { name, attempt, ref } = row;
  const { signal, id, seq } = parseRowRef(ref);
  if (row.stale || attempt > RETRY_PAUSES_MS.length + 1) return 'done';
  const { host, env } = app;
  const events = (await readTurn(host.session(env, name), id)).filter((event) => event.seq <= seq);
  const timeline = createTimeline(events, id);
  // The turn was erased.
  if (!timeline) return 'done';
  const { agent, session } = parseSessionName(name);
  const turn: TracedTurn = { agent, session, turn: id, caller: getCallerTraceparent(events) };
  const sending = { app, exporting, turn, timeline, events, isFirst: attempt === 1 };
  const outcome = signal === 'traces' ? await sendTraces(sending) : await sendMetrics(sending);
  const again = outcome.status === 'failed' ? pauseAfter(attempt, outcome.retryAfter) : undefined;
  const problem = outcome.status === 'sent' ? outcome.warning : outcome.why;
  if (problem !== undefined) {
    const became = again ? `is tried again in ${Math.ceil(again / 1000)} s` : 'is not tried again';
    const place = { ...parseSessionName(name), turn: id };
    host.log({
      ...createWarningEntry(`the export of the ${signal} of a turn ${became}: the receiver ${problem}`),
      ...place,
    });
  }
  return again ? { again } : 'done';
}

/**
 * Returns the pause after a failed attempt, or `undefined` after the last attempt. It is random, so that
 * sessions that failed together do not retry together.
 */
function pauseAfter(attempt: number, wanted = 0): number | undefined {
  const pause = RETRY_PAUSES_MS[attempt - 1];
  if (pause === undefined) return undefined;
  return Math.max(Math.round(pause * (0.8 + 0.4 * Math.random())), Math.min(wanted, MAX_PAUSE_MS));
}

const getCallerTraceparent = ([first]: readonly StoredEvent[]): unknown =>
  first?.type === 'turn-started' ? first.context[TRACEPARENT_HEADER] : undefined;

interface TurnExport {
  readonly app: DueApp;
  readonly exporting: ExportSettings;
  readonly turn: TracedTurn;
  readonly timeline: TurnTimeline;
  readonly events: readonly StoredEvent[];
  readonly isFirst: boolean;
}

const MAX_SPANS = 500;

async function sendTraces({ app, exporting, turn, timeline, events }: TurnExport): Promise<SendOutcome> {
  const content = exporting.content ? collectContent(events) : undefined;
  const spans = toSpans({ turn, timeline, content });
  let last: SendOutcome = { status: 'sent' };
  for (let from = 0; from < spans.length; from += MAX_SPANS) {
    const part: readonly TurnSpan[] = spans.slice(from, from + MAX_SPANS);
    const outcome = await send(app, exporting, ['/v1/traces', toTraces(exporting.resource, part)]);
    if (outcome.status !== 'sent') return outcome;
    if (outcome.warning !== undefined) last = outcome;
  }
  return last;
}

async function sendMetrics({ app, exporting, turn, timeline, isFirst }: TurnExport): Promise<SendOutcome> {
  const { endpoint, metrics, analytics, resource } = exporting;
  const measurements = collectMeasurements(timeline, turn.agent);
  // A dataset cannot recognize a repeated data point, so each is written at most once.
  if (isFirst && analytics) writePoints(analytics(app.env) as AnalyticsDataset, measurements); // /health checks that it is a dataset
  if (!endpoint || !metrics) return { status: 'sent' };
  const { start, end = start } = timeline;
  return send(app, exporting, ['/v1/metrics', toMetrics(resource, measurements, { start, end })]);
}

async function send(
  { env, host }: DueApp,
  exporting: ExportSettings,
  [path, body]: readonly [path: string, body: object],
): Promise<SendOutcome> {
  const target = resolveTarget(exporting, env);
  if (typeof target === 'string') return { status: 'failed', why: target };
  const { url, headers } = target;
  return sendOnce(host.clock, { url: `${url}${path}`, headers, body: JSON.stringify(body) });
}

/**
 * Returns the receiver in an environment, or its problem as the text after "the receiver". The text does not
 * quote values, which can be credentials.
 */
export function resolveTarget(
  { endpoint, headers }: ExportSettings,
  env: Env,
): string | { readonly url: string; readonly headers: Readonly<Record<string, string>> } {
  const url = endpoint?.(env);
  const problem = findUrlProblem(url, 'endpoint');
  if (problem !== undefined || typeof url !== 'string') return problem ?? 'has no endpoint';
  const given = headers?.(env) ?? {};
  const isRecord = typeof given === 'object' && !Array.isArray(given);
  const pairs = isRecord ? Object.entries(given as object) : []; // only its strings are used
  if (!isRecord || pairs.some(([, value]) => typeof value !== 'string' || /[^\t\x20-\x7e]/.test(value)))
    return "has no usable 'headers'. Each must be a string of visible ASCII, so set the vars that they read";
  return { url: url.replace(/\/+$/, ''), headers: Object.fromEntries(pairs) };
}
