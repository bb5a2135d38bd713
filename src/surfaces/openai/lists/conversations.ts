/** Conversations: the sessions of a caller, read from the index of their owner. */
import {
  findIndexedSessions,
  findSessions,
  getOwnerSessions,
  listIndexedSessions,
  type OwnerSessions,
} from '../../../modules/index/named-sessions.ts';
import type { IndexedSession } from '../../../modules/index/reports.ts';
import { getOwn } from '../../../tool/json.ts';
import type { ModuleRequest } from '../../../worker/module-request.ts';
import { runInSession } from '../../../worker/session-from-code.ts';
import { createInvalidValueError, findAgentByModel } from '../read-body.ts';
import { OpenAiError } from '../refuse.ts';
import { toUnixSeconds } from '../response-object.ts';
import type { OpenAiSurface } from '../responses.ts';
import type { Conversation } from './list-types.ts';
import { type ListQuery, type Page, toPage } from './read-query.ts';

/** The parameter that names the agent if several agents have a session with the same id. */
export const MODEL_PARAMETER = 'model';

/**
 * Calls a function with the caller's sessions of the agent that the request names, or of all agents.
 *
 * @throws OpenAiError if there is no such agent; ConfigurationError or DeploymentError if the app has no
 * index.
 */
function withSessions<T>(
  asked: ModuleRequest,
  { models }: OpenAiSurface,
  work: (sessions: OwnerSessions) => Promise<T>,
): Promise<T> {
  const all = asked.agents.map(({ name }) => name);
  const model = new URL(asked.request.url).searchParams.get(MODEL_PARAMETER);
  const agents = model === null ? all : [findAgentByModel(getOwn(models, model) ?? model, asked.agents).name];
  // This session is never read. It only gives access to the app.
  const any = asked.session({ agent: all[0] ?? '', session: 'any' });
  return runInSession(any, (at) => work(getOwnerSessions(at, agents, 'openAiLists()')));
}

/**
 * Returns a page of conversations, in the order of their last activity. @throws OpenAiError if `after` is not
 * a conversation.
 */
export const listConversations = (
  asked: ModuleRequest,
  surface: OpenAiSurface,
  { after, limit, oldestFirst }: ListQuery,
): Promise<Page<Conversation>> =>
  withSessions(asked, surface, async (sessions) => {
    const place = after === undefined ? undefined : await findPlace(sessions, after);
    const found = await listIndexedSessions(sessions, { after: place, limit: limit + 1, oldestFirst });
    return toPage(found.map(toConversation), limit);
  });

async function findPlace(sessions: OwnerSessions, after: string): Promise<IndexedSession> {
  const [place, other] = await findIndexedSessions(sessions, after);
  if (!place) throw createInvalidValueError('after', 'the id of a conversation');
  if (other) throw createAmbiguousConversationError(after, 'after');
  return place;
}

export const toConversation = (row: IndexedSession): Conversation => ({
  id: row.session,
  object: 'conversation',
  created_at: toUnixSeconds(row.openedAt),
  metadata: row.title === null ? {} : { title: row.title },
  model: row.agent,
  updated_at: toUnixSeconds(row.lastActivity),
  status: row.status,
});

const SESSION_ID_PATTERN = /^[\w.:@-]{1,128}$/;

/**
 * Returns the session of a conversation. @throws OpenAiError if there is no session, or several agents have
 * one.
 */
export async function findConversation(
  asked: ModuleRequest,
  id: string,
  surface: OpenAiSurface,
): Promise<IndexedSession> {
  if (!SESSION_ID_PATTERN.test(id)) throw createConversationNotFoundError(id);
  const [found, other] = await withSessions(asked, surface, (sessions) => findSessions(sessions, id));
  if (!found) throw createConversationNotFoundError(id);
  if (other) throw createAmbiguousConversationError(id, MODEL_PARAMETER);
  return found;
}

/** Returns the error for an id that is not a conversation of the caller. */
const createConversationNotFoundError = (id: string): OpenAiError =>
  new OpenAiError(`Conversation with id '${id.slice(0, 80)}' not found.`, {
    status: 404,
    code: 'conversation_not_found',
  });

const createAmbiguousConversationError = (id: string, param: string): OpenAiError =>
  new OpenAiError(
    `Several models have a conversation '${id.slice(0, 80)}'. Name one of them in the parameter 'model'.`,
    { param, code: 'ambiguous_conversation' },
  );
