/** The items of a conversation: the whole content of a session, in the order of its turns. */
import { readTurnIds, type SessionTurns } from '../../../modules/index/session-turns.ts';
import { runInSession } from '../../../worker/session-from-code.ts';
import { createInvalidValueError } from '../read-body.ts';
import { OpenAiError } from '../refuse.ts';
import { getTurnId, type IdPrefix, readId } from '../response-object.ts';
import type { ListedItem } from './list-types.ts';
import { type ListQuery, listEntriesAfter, type Page, toPage } from './read-query.ts';
import { type ItemReader, readItemsOfTurn } from './turn-items.ts';

/** The number of turns that are read concurrently. */
const MAX_CONCURRENT_READS = 8;

const ITEM_PREFIXES: readonly IdPrefix[] = ['msg', 'rs', 'mcp', 'mcpr', 'mcpa', 'fc', 'fco', 'ig'];

export const readConversationTurns = ({
  asked,
  of,
}: Pick<ItemReader, 'asked' | 'of'>): Promise<SessionTurns> => runInSession(asked.session(of), readTurnIds);

/** Returns a page of the items of a conversation. @throws OpenAiError if `after` is not the id of an item. */
export async function listItems(
  reader: ItemReader,
  { after, limit, oldestFirst }: ListQuery,
): Promise<Page<ListedItem>> {
  const { begun } = await readConversationTurns(reader);
  const turns = oldestFirst ? begun : begun.toReversed();
  const from = after === undefined ? 0 : findItemPlace(reader, turns, after);
  const found: ListedItem[] = [];
  for (let at = from; at < turns.length && found.length <= limit; at += MAX_CONCURRENT_READS) {
    const lists = await Promise.all(
      turns.slice(at, at + MAX_CONCURRENT_READS).map((turn) => readTurnItems(reader, turn)),
    );
    const items = lists.flatMap((list) => (oldestFirst ? list : list.toReversed()));
    found.push(...listEntriesAfter(items, at === from ? after : undefined));
  }
  return toPage(found, limit);
}

/** Returns an item of a conversation. @throws OpenAiError if the item does not exist. */
export async function findItem(reader: ItemReader, id: string): Promise<ListedItem> {
  const turn = findItemTurn(reader, id);
  const isKnown = turn !== undefined && (await readConversationTurns(reader)).begun.includes(turn);
  const item = isKnown ? (await readTurnItems(reader, turn)).find((one) => one.id === id) : undefined;
  if (item) return item;
  throw new OpenAiError(`Item with id '${id.slice(0, 80)}' not found.`, {
    status: 404,
    code: 'item_not_found',
  });
}

function findItemPlace(reader: ItemReader, turns: readonly string[], after: string): number {
  const turn = findItemTurn(reader, after);
  const place = turn === undefined ? -1 : turns.indexOf(turn);
  if (place === -1) throw createInvalidValueError('after', 'the id of an item of this conversation');
  return place;
}

function findItemTurn({ of }: ItemReader, id: string): string | undefined {
  const named = readId(id, ITEM_PREFIXES);
  return named?.agent === of.agent && named.session === of.session ? getTurnId(named) : undefined;
}

/**
 * Returns the items of a turn without duplicates, since several responses can contain the same open question.
 */
async function readTurnItems(reader: ItemReader, turn: string): Promise<readonly ListedItem[]> {
  const { isRetry, responses } = await readItemsOfTurn(reader, turn);
  const items = responses.flatMap(({ input, output }, part) => [
    // The conversation already contains the message of a retry.
    ...(isRetry && part === 0 ? input.slice(1) : input),
    ...output,
  ]);
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
