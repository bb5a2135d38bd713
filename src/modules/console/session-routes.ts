/** Routes for data that the HTTP API does not return: the state, the tools and the request at an event. */
import { ROOT, type StoredEvent } from '../../journal/events.ts';
import type { RequestHashes } from '../../journal/reply-data.ts';
import { assertOperator } from '../../worker/operator.ts';
import { Problem } from '../../worker/problem.ts';
import { defineRoute, type Route, SESSION_PATH, type SessionRequest } from '../../worker/route.ts';
import { isDevelopment } from './development.ts';
import { foldEvents, parseSeq, readEventsUpTo } from './fold-at.ts';
import { toOfferView } from './offer-view.ts';
import { type RebuildMoment, type RebuildResult, rebuildLoop, rebuildRequest } from './rebuilt-loop.ts';
import { toRequestView } from './request-view.ts';
import { toStateView } from './state-view.ts';

export const SESSION_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: `${SESSION_PATH}/console/state`,
    access: 'session',
    async handle(asked) {
      assertMayInspect(asked);
      const { memories } = asked.host.modules;
      const { events, head } = await readEventsUpTo(asked, parseSeq(asked.request, 'at') ?? Infinity);
      return Response.json(toStateView({ state: foldEvents(events, memories), head, memories }));
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${SESSION_PATH}/console/offer`,
    access: 'session',
    async handle(asked) {
      assertMayInspect(asked);
      const { rebuilt, reply } = await rebuildLoopBefore(asked);
      if ('unknown' in rebuilt) throw createRebuildProblem(rebuilt.unknown);
      return Response.json(await toOfferView({ ...rebuilt, asked: reply?.asked }));
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${SESSION_PATH}/console/request`,
    access: 'session',
    async handle(asked) {
      assertMayInspect(asked);
      const { rebuilt, reply } = await rebuildLoopBefore(asked);
      if ('unknown' in rebuilt) throw createRebuildProblem(rebuilt.unknown);
      const { loop } = rebuilt;
      const { differs, unknown } = await toOfferView({ loop, asked: reply?.asked });
      const request = await rebuildRequest(loop);
      if (typeof request === 'string') throw createRebuildProblem(request);
      return Response.json(toRequestView({ request, model: loop.spec.model.name, differs, unknown }));
    },
  }),
];

/**
 * Checks the caller in production, since a request contains an agent's instructions, which the HTTP API never
 * returns.
 *
 * @throws SessionError `role-required` if the caller is not an operator.
 */
function assertMayInspect({ caller }: SessionRequest): void {
  if (!isDevelopment) assertOperator(caller);
}

interface RebuiltReply {
  readonly rebuilt: RebuildResult;
  /** Absent if the reply has not arrived yet. */
  readonly reply?: { readonly asked?: RequestHashes | undefined };
}

/**
 * Rebuilds a loop as it was before the reply with the sequence number `?reply=`. Without it, rebuilds the
 * loop `?frame=` as it is before its next reply. `frame` defaults to the turn's own loop.
 */
async function rebuildLoopBefore(asked: SessionRequest): Promise<RebuiltReply> {
  const seq = parseSeq(asked.request, 'reply');
  const { events } = await readEventsUpTo(asked, seq ?? Infinity);
  const reply = seq === undefined ? undefined : events.findLast((event) => event.seq === seq);
  if (seq !== undefined && reply?.type !== 'model-replied')
    throw new Problem(
      'invalid-query',
      `Event ${seq} is not a reply of a model. Use the seq of a \`model-replied\` event.`,
    );
  if (reply?.type !== 'model-replied') {
    const frame = new URL(asked.request.url).searchParams.get('frame') ?? ROOT;
    return { rebuilt: await rebuildLoop(toMoment(asked, events), frame) };
  }
  const before = events.slice(0, events.indexOf(reply));
  const moment = toMoment(asked, before);
  const frame = reply.frame ?? ROOT;
  // Messages that arrived while the model replied were not part of its request.
  const { unseen = 0 } = reply;
  if (unseen > 0) moment.state.turn?.frames.get(frame)?.messages.splice(-unseen);
  return { rebuilt: await rebuildLoop(moment, frame), reply: { asked: reply.asked } };
}

const toMoment = (asked: SessionRequest, events: readonly StoredEvent[]): RebuildMoment => ({
  asked,
  events,
  state: foldEvents(events, asked.host.modules.memories),
});

const createRebuildProblem = (detail: string): Problem => new Problem('invalid-query', detail);
