/**
 * Writes titles with a model on request, with one model call each. The journal of the session records the
 * usage.
 */
import { parseKnownEvent, toRow } from '../../journal/event-rows.ts';
import { type EventOf, ROOT } from '../../journal/events.ts';
import type { PostOutcome, WaitAnswer } from '../../journal/inbox-message.ts';
import type { PricedUsage } from '../../journal/reply-data.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import { type ChatModel, ModelError, type ModelOfEnv } from '../../model/chat-model.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import { MAX_PAGE_BYTES } from '../../session/fold-session.ts';
import { systemClock } from '../../session/read-platform.ts';
import { pause } from '../../tool/async.ts';
import { isJsonObject } from '../../tool/json.ts';
import { createErrorEntry } from '../../tool/log.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { createFact } from '../../tool/tool-memory.ts';
import { APP } from '../../worker/app-seam.ts';
import type { TitledSession } from '../../worker/index-views.ts';
import { Problem, SessionError } from '../../worker/problem.ts';
import { readIdempotencyKey, toRequestKey } from '../../worker/request-headers.ts';
import { defineRoute, SESSION_PATH, type SessionRequest } from '../../worker/route.ts';
import { createUnknownSessionError } from '../../worker/session-view.ts';
import type { Target } from '../../worker/target.ts';
import { toIndexApp } from './ask.ts';
import { askForTitle, type TitleMessage, type TitleModel } from './ask-for-title.ts';
import { refreshIndex } from './look.ts';
import { createOwnerIndex } from './owner-index.ts';
import { TITLE_WRITERS, type TitleRequest, type TitleWriter } from './title-writer.ts';
import { INDEX_MODULE, TITLE_MEMORY, TITLE_SLICE, type TitleFact } from './titles.ts';

/** Options of `modelTitles`. */
export interface ModelTitlesOptions {
  /**
   * The model that writes the titles, such as a small one. Defaults to the model of the session's agent, with
   * the agent's settings.
   */
  readonly model?: ChatModel | ModelOfEnv | undefined;
  /** The timeout of a model call in milliseconds. Defaults to 30,000. */
  readonly timeout?: number | undefined;
}

const MODEL_TITLES_MODULE = createModule({ name: 'model-titles' });

/**
 * Lets a model write the title of a session on request. Pass it in `use` of `createHoldfast` with
 * `sessionIndex()`. Request a title with `POST .../sessions/{session}/title` or `writeTitle` of `indexOf`.
 * The usage counts as the session's usage.
 *
 * @throws RangeError if `timeout` is not a positive whole number.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [sessionIndex(), modelTitles()] });
 * ```
 */
export function modelTitles({ model, timeout = 30_000 }: ModelTitlesOptions = {}): ModuleUse {
  if (!Number.isSafeInteger(timeout) || timeout < 1)
    throw new RangeError(`modelTitles has ${timeout} as its 'timeout'. Use a positive whole number of ms.`);
  const writer: TitleWriter = { write: (request) => writeTitle({ model, timeout }, request) };
  const use = createUse(MODEL_TITLES_MODULE);
  TITLE_WRITERS.set(use, writer);
  APP.give(use, {
    routes({ host }) {
      if (!host.modules.uses.some(({ module }) => module === INDEX_MODULE))
        throw new ConfigurationError('modelTitles() needs sessionIndex() in `use` of createHoldfast.');
      return [
        defineRoute({
          method: 'POST',
          path: `${SESSION_PATH}/title`,
          access: 'session',
          isCounted: true,
          handle: (asked) => respond(writer, asked),
        }),
      ];
    },
  });
  return use;
}

async function respond(writer: TitleWriter, asked: SessionRequest): Promise<Response> {
  const { request, host, env, base, target } = asked;
  const key = readIdempotencyKey(request) ?? host.newId();
  await toRequestKey(key, ''); // throws if the key is invalid
  const app = toIndexApp({ host, env, base });
  try {
    return Response.json(await writer.write({ app, target, key, waitUntil: host.waitUntil }));
  } catch (failure) {
    if (!(failure instanceof ModelError)) throw failure;
    throw new Problem('model-failure', `No title was written: ${failure.message}`);
  }
}

/** Milliseconds between checks for the outcome of an earlier request. */
const POLL_INTERVAL_MS = 1_000;

async function writeTitle(how: TitleModel, request: TitleRequest): Promise<TitledSession> {
  const { app, target, key, waitUntil } = request;
  const opening = await readOpening(target);
  const note = createNoteWriter(request, opening.turn);
  // Only one of the requests with this key can store this event and then call a model.
  const claim = await note({ asked: key }, { once: { wait: `title ${key}`, bodyHash: app.host.newId() } });
  const { agent, session, owner } = target;
  const asking =
    claim === 'answered' ? waitForTitle(how, request) : writeNewTitle(how, request, { opening, note });
  // The usage of a failed reply also counts.
  const work = asking.finally(() =>
    refreshIndex(createOwnerIndex(app.place, owner), target.port, { agent: agent.name, session }),
  );
  waitUntil(work.catch(() => {}));
  const title = await work;
  return { session, agent: agent.name, title };
}

interface SessionOpening {
  /** The first turn, under which the events are recorded. */
  readonly turn: string;
  readonly said: readonly TitleMessage[];
}

/** The maximum number of messages from the start of a conversation that the model reads. */
const MAX_MESSAGES = 20;

async function readOpening(target: Target): Promise<SessionOpening> {
  const types = {
    names: ['turn-started', 'turn-steered', 'model-replied'] as const,
    until: Number.MAX_SAFE_INTEGER,
  };
  const page = await target.port.read({ from: 1, limit: MAX_MESSAGES, types, maxBytes: MAX_PAGE_BYTES });
  const [first] = page?.rows ?? [];
  if (!first) throw createUnknownSessionError(target);
  const said = page?.rows.flatMap(parseKnownEvent).flatMap((event): TitleMessage[] => {
    if (event.type === 'turn-started' || event.type === 'turn-steered') return [{ user: event.message }];
    const isReply = event.type === 'model-replied' && (event.frame ?? ROOT) === ROOT && event.text !== '';
    return isReply ? [{ assistant: event.text }] : [];
  });
  return { turn: first.turn, said: said ?? [] };
}

/** Stores an event about a title in the journal. @throws SessionError if the session refuses it. */
type NoteWriter = (
  fact: TitleFact,
  more: { readonly once: WaitAnswer; readonly usage?: PricedUsage | undefined },
) => Promise<PostOutcome>;

const createNoteWriter =
  ({ app, target }: TitleRequest, turn: string): NoteWriter =>
  async (fact, { once, usage }) => {
    const at = app.host.clock.now();
    const facts = [{ ...createFact<null, TitleFact>(TITLE_MEMORY, fact), at }];
    const event = {
      type: 'module-event',
      turn,
      module: TITLE_SLICE.module,
      facts,
      ...(usage && { usage }),
    } as const;
    const { body } = toRow(event);
    const posted = await target.port.post({ kind: 'note', turn, body, answers: once });
    if (posted === 'session-full')
      throw new SessionError('session-full', 'This session is full, so it accepts no title.');
    if (posted === 'no-such-turn') throw createUnknownSessionError(target);
    return posted;
  };

interface WritingContext {
  readonly opening: SessionOpening;
  readonly note: NoteWriter;
}

/** Calls the model, and stores the outcome and the usage once. */
async function writeNewTitle(
  how: TitleModel,
  request: TitleRequest,
  { opening, note }: WritingContext,
): Promise<string> {
  const { key, app } = request;
  const once = { wait: `titled ${key}`, bodyHash: 'written' };
  const { title, failure, usage } = await askForTitle(how, request, opening.said);
  if (title !== undefined) {
    await note({ title, key }, { once, usage });
    return title;
  }
  const { name } = request.target.agent;
  app.host.log(
    createErrorEntry(
      `no title was written for a session of '${name}': ${failure.reason}`,
      undefined,
      'model-failed',
    ),
  );
  await note({ failed: failure.failure, reason: failure.message, key }, { once, usage });
  throw failure;
}

/** Waits for the outcome of an earlier request with the same key, up to the timeout of its model call. */
async function waitForTitle({ timeout }: TitleModel, { target, key }: TitleRequest): Promise<string> {
  const until = systemClock.now() + timeout;
  for (let from = 1; ; ) {
    const page = await readNotes(target.port, from);
    for (const fact of page.facts) {
      if (!('key' in fact) || fact.key !== key) continue;
      if ('title' in fact && fact.title !== null) return fact.title;
      if ('failed' in fact) throw new ModelError(fact.failed, fact.reason);
    }
    from = page.next;
    if (page.isMore) continue;
    if (systemClock.now() >= until) break;
    await pause(systemClock, POLL_INTERVAL_MS);
  }
  throw new SessionError(
    'idempotency-key-reused',
    'A title was requested under this Idempotency-Key before, and the outcome is unknown. Read the list of sessions, or use a new key.',
  );
}

/** Reads the events about titles, one page at a time. */
async function readNotes(port: Pick<SessionPort, 'read'>, from: number) {
  const types = { names: ['module-event'] as const, until: Number.MAX_SAFE_INTEGER };
  const page = await port.read({ from, types, maxBytes: MAX_PAGE_BYTES });
  const events = (page?.rows ?? []).flatMap(parseKnownEvent);
  const facts = events.flatMap((event) => (event.type === 'module-event' ? listTitleFacts(event) : []));
  const next = page?.next ?? null;
  return { facts, isMore: next !== null, next: next ?? (page ? page.head + 1 : from) };
}

const listTitleFacts = ({ module, facts }: EventOf<'module-event'>): readonly TitleFact[] =>
  module === TITLE_SLICE.module
    ? facts.flatMap(({ slice, fact }) =>
        slice === TITLE_SLICE.name && isJsonObject(fact) ? [fact as TitleFact] : [],
      ) // written by this module
    : [];
