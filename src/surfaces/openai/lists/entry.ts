/**
 * The entry `holdfast/surfaces/openai/lists`: OpenAI clients can list, read, rename and delete conversations.
 */
import type { ModuleRequest, RouteSession } from '../../../worker/module-request.ts';
import { defineRoute, type ModuleRoute } from '../../../worker/module-routes.ts';
import { type createErrorResponder, OpenAiError, withErrorResponse } from '../refuse.ts';
import type { OpenAiSurface } from '../responses.ts';
import { findItem, listItems } from './conversation-items.ts';
import { findConversation, listConversations, MODEL_PARAMETER, toConversation } from './conversations.ts';
import { readListQuery } from './read-query.ts';
import { deleteResponse, listInputItems } from './response-items.ts';
import { createItemReader } from './turn-items.ts';
import { updateTitle } from './update.ts';

export { openAiListsDescription } from './describe.ts';

/** Lists, for `lists` of `openAi`. */
export interface OpenAiLists {
  /** Returns the routes. Called by `openAi`. */
  routes(surface: OpenAiSurface, refuse: ReturnType<typeof createErrorResponder>): readonly ModuleRoute[];
}

/**
 * Lets OpenAI clients list the conversations of a caller, read their items, set their titles, and delete
 * them. Pass it to `openAi({ lists })`. The index of sessions supplies the conversations, so `use` of the app
 * needs `sessionIndex()` from `holdfast/index`.
 *
 * @example
 * ```ts
 * const support = defineAgent({ name: 'support', description: 'Helps.', instructions: 'Help.' });
 * const holdfast = createHoldfast({
 *   agents: [support],
 *   use: [openAi({ lists: openAiLists() }), sessionIndex()],
 * });
 * ```
 */
export const openAiLists = (): OpenAiLists => LISTS;

const CONVERSATIONS_PATH = '/v1/conversations';
const CONVERSATION_PATH = '/v1/conversations/{id}';
const ITEMS_PATH = '/v1/conversations/{id}/items';
const ITEM_PATH = '/v1/conversations/{id}/items/{item}';

const LISTS: OpenAiLists = {
  routes(surface, refuse) {
    const createRoute = <const Path extends string>(
      method: ModuleRoute['method'],
      path: Path,
      handle: (asked: ModuleRequest, named: Parameters<ModuleRoute<Path>['handle']>[1]) => Promise<Response>,
    ): ModuleRoute =>
      defineRoute<Path>({
        method,
        path,
        refuse,
        handle: (asked, named) => withErrorResponse(() => handle(asked, named)),
      });
    return [
      createRoute('GET', '/v1/responses/{id}/input_items', (asked, { id }) =>
        listInputItems(asked, id, surface),
      ),
      createRoute('DELETE', '/v1/responses/{id}', (asked, { id }) => deleteResponse(asked, id, surface)),
      createRoute('GET', CONVERSATIONS_PATH, async (asked) =>
        Response.json(await listConversations(asked, surface, readListQuery(asked, [MODEL_PARAMETER]))),
      ),
      createRoute('GET', CONVERSATION_PATH, async (asked, { id }) =>
        Response.json(toConversation(await findConversation(asked, id, surface))),
      ),
      createRoute('POST', CONVERSATION_PATH, async (asked, { id }) => {
        const title = await updateTitle(asked, await findConversation(asked, id, surface));
        const row = await findConversation(asked, id, surface);
        return Response.json(toConversation({ ...row, title: title ?? row.title }));
      }),
      createRoute('DELETE', CONVERSATION_PATH, async (asked, { id }) => {
        const { agent, session } = await findConversation(asked, id, surface);
        await asked.session({ agent, session }).erase();
        return Response.json({ id, object: 'conversation.deleted', deleted: true });
      }),
      createRoute('GET', ITEMS_PATH, async (asked, { id }) => {
        const query = readListQuery(asked, [MODEL_PARAMETER]);
        return Response.json(await listItems(await openItemReader(asked, id, surface), query));
      }),
      createRoute('GET', ITEM_PATH, async (asked, { id, item }) =>
        Response.json(await findItem(await openItemReader(asked, id, surface), item)),
      ),
      createRoute('POST', CONVERSATIONS_PATH, refuseOperation(CANNOT_CREATE_MESSAGE)),
      createRoute('POST', ITEMS_PATH, refuseOperation(NO_ITEMS_MESSAGE)),
      createRoute('DELETE', ITEM_PATH, refuseOperation(DELETE_WHOLE_MESSAGE)),
    ];
  },
};

async function openItemReader(asked: ModuleRequest, id: string, surface: OpenAiSurface) {
  const { agent, session } = await findConversation(asked, id, surface);
  return createItemReader(asked, { agent, session } satisfies RouteSession, surface);
}

/** Refuses requests that a journal cannot support. */
const refuseOperation = (message: string) => async (): Promise<Response> => {
  throw new OpenAiError(message, { code: 'unsupported_operation' });
};

const CANNOT_CREATE_MESSAGE =
  "A conversation begins with its first response. Send a 'conversation' id of your own in POST /v1/responses.";
const NO_ITEMS_MESSAGE = 'Items come from responses. Send them as the input of POST /v1/responses.';
const DELETE_WHOLE_MESSAGE = 'Only a whole conversation can be deleted. Use DELETE /v1/conversations/{id}.';
