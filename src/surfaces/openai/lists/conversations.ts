/** Conversations: the sessions of a caller, read from the index of their owner. */
import {
  indexedNamed,
  type OwnersSessions,
  ownersSessions,
  pageOfSessions,
  sessionsNamed,
} from '../../../modules/index/named-sessions.ts';
import type { IndexedSession } from '../../../modules/index/reports.ts';
import { own } from '../../../tool/json.ts';
import type { ModuleRequest } from '../../../worker/module-request.ts';
import { inSession } from '../../../worker/session-from-code.ts';
import { agentNamed, invalid } from '../read-body.ts';
import { OpenAiError } from '../refuse.ts';
import { inSeconds } from '../response-object.ts';
import type { OpenAiSurface } from '../responses.ts';
import type { Conversation } from './list-types.ts';
import { type ListQuery, type Page, toPage } from './read-query.ts';

/** The parameter that names the agent if several agents have a session with the same id. */
export const MODEL = 'model';

/**
 * Calls a function with the caller's sessions of the agent that the request names, or of all agents.
 *
 * @throws OpenAiError if there is no such agent; ConfigurationError or DeploymentError if the app has no
 * index.
 */
function inSessions<T>(
  asked: ModuleRequest,
  { models }: OpenAiSurface,
  work: (sessions: OwnersSessions) => Promise<T>,
): Promise<T> {
  const all = asked.agents.map(({ name }) => name);
  const model = new URL(asked.request.url).searchParams.get(MODEL);
  const agents = model === null ? all : [agentNamed(own(models, model) ?? model, asked.agents).name];
  // This session is never read. It only gives access to the app.
  const any = asked.session({ agent: all[0] ?? '', session: 'any' });
  return inSession(any, (at) => work(ownersSessions(at, agents, 'openAiLists()')));
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
  inSessions(asked, surface, async (sessions) => {
    const place = after === undefined ? undefined : await placeOf(sessions, after);
    const found = await pageOfSessions(sessions, { after: place, limit: limit + 1, oldestFirst });
    return toPage(found.map(toConversation), limit);
  });

async function placeOf(sessions: OwnersSessions, after: string): Promise<IndexedSession> {
  const [place, other] = await indexedNamed(sessions, after);
  if (!place) throw invalid('after', 'the id of a conversation');
  if (other) throw ambiguous(after, 'after');
  return place;
}

export const toConversation = (row: IndexedSession): Conversation => ({
  id: row.session,
  object: 'conversation',
  created_at: inSeconds(row.openedAt),
  metadata: row.title === null ? {} : { title: row.title },
  model: row.agent,
  updated_at: inSeconds(row.lastActivity),
  status: row.status,
});

/** The format of a session id. */
const ID = /^[\w.:@-]{1,128}$/;

/**
 * Returns the session of a conversation. @throws OpenAiError if there is no session, or several agents have
 * one.
 */
export async function findConversation(
  asked: ModuleRequest,
  id: string,
  surface: OpenAiSurface,
): Promise<IndexedSession> {
  if (!ID.test(id)) throw noConversation(id);
  const [found, other] = await inSessions(asked, surface, (sessions) => sessionsNamed(sessions, id));
  if (!found) throw noConversation(id);
  if (other) throw ambiguous(id, MODEL);
  return found;
}

/** Returns the error for an id that is not a conversation of the caller. */
const noConversation = (id: string): OpenAiError =>
  new OpenAiError(`Conversation with id '${id.slice(0, 80)}' not found.`, {
    status: 404,
    code: 'conversation_not_found',
  });

const ambiguous = (id: string, param: string): OpenAiError =>
  new OpenAiError(
    `Several models have a conversation '${id.slice(0, 80)}': name one of them by the parameter 'model'.`,
    { param, code: 'ambiguous_conversation' },
  );
