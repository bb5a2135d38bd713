import { parseEvent } from '../../journal/parse-event.ts';
import { followSession } from '../../session/follow-session.ts';
import type { Target, WaitUntil } from '../context.ts';
import type { Host } from '../host.ts';
import { Problem } from '../problem.ts';
import { eventStream } from '../sse.ts';
import { unknownSession } from './session.ts';

/** Events a JSON page holds unless fewer are asked for. */
const PAGE_SIZE = 500;

interface Exchange {
  readonly host: Host;
  readonly target: Target;
  readonly request: Request;
  readonly execution: WaitUntil;
}

/** `GET .../events`: the journal as JSON pages, or as a stream that resumes after `Last-Event-ID` and follows live. */
export async function getEvents(exchange: Exchange): Promise<Response> {
  const { request, target, host } = exchange;
  const query = new URL(request.url).searchParams;
  if (!(request.headers.get('accept') ?? '').includes('text/event-stream')) return jsonPage(target, query);
  const after = wholeNumber('Last-Event-ID', request.headers.get('last-event-id') ?? query.get('after'), 0);
  if (!(await target.port.read({ from: 1, limit: 1 }))) throw unknownSession(target);
  return eventStream(exchange, async (stream, leave) => {
    const from = after + 1;
    for await (const stored of followSession({ port: target.port, clock: host.clock, from, signal: leave })) {
      stream.send({ type: 'event', stored });
    }
  });
}

async function jsonPage(target: Target, query: URLSearchParams): Promise<Response> {
  const after = wholeNumber('after', query.get('after'), 0);
  const limit = Math.min(PAGE_SIZE, Math.max(1, wholeNumber('limit', query.get('limit'), PAGE_SIZE)));
  const page = await target.port.read({ from: after + 1, limit });
  if (!page) throw unknownSession(target);
  const events = page.rows.map((row) => {
    const { seq, at, event } = parseEvent(row);
    return { seq, at, ...event };
  });
  const last = events.at(-1)?.seq ?? after;
  const next = page.next === null ? null : `${target.path}/events?after=${last}&limit=${limit}`;
  return Response.json({ events, head: page.head, next });
}

function wholeNumber(name: string, value: string | null, otherwise: number): number {
  if (value === null || value === '') return otherwise;
  if (/^\d{1,15}$/.test(value)) return Number(value);
  const type = name === 'Last-Event-ID' ? 'invalid-header' : 'invalid-query';
  throw new Problem(400, type, `${name} must be the sequence of an event: a whole number such as 12.`);
}
