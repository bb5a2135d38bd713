/**
 * Stores feedback: a score and text from a caller about a turn. The journal contains all feedback, and each
 * caller's last feedback about a turn counts.
 */
import { parseEvent } from '../../journal/event-rows.ts';
import type { StoredEvent } from '../../journal/events.ts';
import type { PostOutcome } from '../../journal/inbox-message.ts';
import { FOLDING } from '../../journal/memory-folding.ts';
import { MAX_PAGE_BYTES } from '../../session/fold-session.ts';
import { recordFact } from '../../session/note-fact.ts';
import { isJsonObject, type Json, type JsonObject, listUnknownKeyProblems } from '../../tool/json.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { INTEGER, type Infer, OPTIONAL_NUMBER, OPTIONAL_TEXT, type Shape, TEXT } from '../../tool/shape.ts';
import type { ToolMemory } from '../../tool/tool-memory.ts';
import { APP } from '../../worker/app-seam.ts';
import { createInvalidBodyError, readBody } from '../../worker/body.ts';
import { SessionError } from '../../worker/problem.ts';
import { defineRoute, SESSION_PATH, type SessionRequest } from '../../worker/route.ts';
import { assertHasEvents, createUnknownTurnError } from '../../worker/session-view.ts';

const FEEDBACK_BODY_SHAPE = {
  object: { score: OPTIONAL_NUMBER, words: OPTIONAL_TEXT },
} as const satisfies Shape;

/** One caller's feedback about one turn. */
export interface Feedback extends Infer<typeof FEEDBACK_SHAPE> {}
export const FEEDBACK_SHAPE = {
  object: {
    turn: TEXT,
    by: TEXT,
    /** The time in milliseconds since the epoch. */
    at: INTEGER,
  },
  and: FEEDBACK_BODY_SHAPE,
} as const satisfies Shape;

/** The journaled form. A type alias, because it must be JSON. */
type FeedbackFact = { readonly by: string; readonly score?: number; readonly words?: string };

/** Has no folded state. Feedback is read from the journal, so the session's state does not grow. */
const FEEDBACK_MEMORY: ToolMemory<null, FeedbackFact> = {
  name: 'feedback',
  folding: FOLDING,
  initial: null,
  scope: 'session',
  isHidden: true,
};

const FEEDBACK_MODULE = createModule({ name: 'feedback', state: [FEEDBACK_MEMORY] });

/** The maximum number of characters of `words`. */
const MAX_WORDS = 4_000;

/**
 * Accepts feedback about turns at `POST .../turns/{turn}/feedback`, in `use` of `createHoldfast`. `GET
 * .../feedback` lists the feedback of a session.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [feedback()] });
 * ```
 */
export function feedback(): ModuleUse {
  const use = createUse(FEEDBACK_MODULE);
  APP.give(use, {
    routes: () => [
      defineRoute({
        method: 'POST',
        path: `${SESSION_PATH}/turns/{turn}/feedback`,
        access: 'session',
        handle: (asked, { turn }) => postFeedback(asked, turn),
      }),
      defineRoute({
        method: 'GET',
        path: `${SESSION_PATH}/feedback`,
        access: 'session',
        handle: async (asked) => Response.json({ feedback: await listFeedback(asked) }),
      }),
    ],
  });
  return use;
}

/**
 * Returns each caller's last feedback about each turn, in the order of the turns. The events can come from
 * `session.events()`, a client, or an exported journal, such as in evals.
 *
 * @example
 * ```ts
 * const session = createTestSession(researcher, { replies: ['Done.'] });
 * const disliked = feedbackIn(await session.events()).filter(({ score = 0 }) => score < 0);
 * ```
 */
export function feedbackIn(events: readonly StoredEvent[]): readonly Feedback[] {
  const last = new Map<string, Feedback>();
  for (const event of events) {
    if (event.type !== 'module-event' || event.module !== FEEDBACK_MODULE.name) continue;
    for (const { slice, fact, at = event.at } of event.facts) {
      if (slice !== FEEDBACK_MEMORY.name || !isFeedbackFact(fact)) continue;
      last.set(JSON.stringify([event.turn, fact.by]), { turn: event.turn, at, ...fact });
    }
  }
  const turns = [...new Set(events.flatMap((event) => ('turn' in event ? event.turn : [])))];
  return [...last.values()].toSorted((one, other) => turns.indexOf(one.turn) - turns.indexOf(other.turn));
}

const isFeedbackFact = (fact: Json): fact is FeedbackFact =>
  isJsonObject(fact) && typeof fact.by === 'string'; // `postFeedback` writes this form

async function postFeedback(asked: SessionRequest, turn: string): Promise<Response> {
  const { host, target, caller, request } = asked;
  const { value } = await readBody(request, host.maxBodyBytes);
  const fact = { by: caller.id, ...readFeedback(value) };
  const at = host.clock.now();
  assertStored(
    asked,
    turn,
    await recordFact(target.port, FEEDBACK_MODULE, { turn, memory: FEEDBACK_MEMORY, fact, at }),
  );
  return Response.json({ turn, at, ...fact } satisfies Feedback);
}

/** @throws SessionError if the session did not store it. */
function assertStored({ target }: SessionRequest, turn: string, posted: PostOutcome): void {
  if (posted === 'no-such-turn') throw createUnknownTurnError(target, turn);
  if (posted === 'session-full')
    throw new SessionError('session-full', 'This session is full, so it accepts no feedback.');
}

/** Reads a body. @throws SessionError with all of its problems. */
function readFeedback(body: JsonObject): Omit<FeedbackFact, 'by'> {
  const { score, words } = body;
  const problems = listUnknownKeyProblems(body, FEEDBACK_KEYS);
  const isScore = typeof score === 'number' && score >= -1 && score <= 1;
  const isWords = typeof words === 'string' && words.trim() !== '' && words.length <= MAX_WORDS;
  if (score !== undefined && !isScore) problems.push('score: must be a number from -1 to 1');
  if (words !== undefined && !isWords) problems.push(`words: must be text of 1 to ${MAX_WORDS} characters`);
  if (score === undefined && words === undefined) problems.push('score or words: at least one is required');
  if (problems.length > 0) throw createInvalidBodyError(problems);
  return { ...(isScore && { score }), ...(isWords && { words }) };
}

const FEEDBACK_KEYS = { score: 1, words: 1 };

async function listFeedback(asked: SessionRequest): Promise<readonly Feedback[]> {
  await assertHasEvents(asked, 0);
  const events: StoredEvent[] = [];
  for (let from: number | null = 1; from !== null; ) {
    const page = await asked.target.port.read({ from, maxBytes: MAX_PAGE_BYTES });
    // Other events only determine the order of turns.
    events.push(
      ...(page?.rows ?? []).map(parseEvent).filter(({ type }) => FEEDBACK_EVENT_TYPES.includes(type)),
    );
    from = page?.next ?? null;
  }
  return feedbackIn(events);
}

const FEEDBACK_EVENT_TYPES: readonly StoredEvent['type'][] = ['turn-started', 'module-event'];
