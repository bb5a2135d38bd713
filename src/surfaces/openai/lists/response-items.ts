/** The input of a response, and its deletion. */
import type { ModuleRequest } from '../../../worker/module-request.ts';
import { createResponseNotFoundError } from '../read-response.ts';
import { toError, toErrorBody } from '../refuse.ts';
import { type NamedObject, readId } from '../response-object.ts';
import type { OpenAiSurface } from '../responses.ts';
import { readConversationTurns } from './conversation-items.ts';
import { listEntriesAfter, readListQuery, toPage } from './read-query.ts';
import { createItemReader, type ResponseItems, readItemsOfTurn } from './turn-items.ts';

/** Returns a page of the input of a response: its message, or the answers that began it. */
export async function listInputItems(
  asked: ModuleRequest,
  id: string,
  surface: OpenAiSurface,
): Promise<Response> {
  const { after, limit, oldestFirst } = readListQuery(asked);
  const { response } = await findResponse(asked, id, surface);
  const items = oldestFirst ? response.input : response.input.toReversed();
  return Response.json(toPage(listEntriesAfter(items, after), limit));
}

/**
 * Erases the session of a response if the session contains only this response. Otherwise, the response cannot
 * be deleted, because a journal can only be erased as a whole.
 */
export async function deleteResponse(
  asked: ModuleRequest,
  id: string,
  surface: OpenAiSurface,
): Promise<Response> {
  const { named, count } = await findResponse(asked, id, surface);
  const { agent, session, what } = named;
  const { begun, waiting } = await readConversationTurns({ asked, of: { agent, session } });
  const others = begun.some((turn) => turn !== what) || waiting > 0 || count > 1;
  if (others) return toError(409, toErrorBody(describeSharedConversation(session)), true);
  await asked.session({ agent, session }).erase();
  return Response.json({ id, object: 'response', deleted: true });
}

const describeSharedConversation = (session: string) => ({
  message:
    'The conversation has other responses, so this one was not deleted. ' +
    `DELETE /v1/conversations/${session} deletes all of it.`,
  param: null,
  code: 'response_not_alone',
});

interface FoundResponse {
  readonly named: NamedObject;
  readonly response: ResponseItems;
  /** The number of responses of its turn. */
  readonly count: number;
}

/** @throws OpenAiError or SessionError if there is no such response. */
async function findResponse(
  asked: ModuleRequest,
  id: string,
  surface: OpenAiSurface,
): Promise<FoundResponse> {
  const named = readId(id, ['resp']);
  if (!named) throw createResponseNotFoundError(id, null);
  const { agent, session, what: turn, place } = named;
  const { responses } = await readItemsOfTurn(createItemReader(asked, { agent, session }, surface), turn);
  const response = responses[place];
  if (!response) throw createResponseNotFoundError(id, null);
  return { named, response, count: responses.length };
}
