/** The items of a turn: the input and the output of each of its responses. */
import type { StoredEvent } from '../../../journal/events.ts';
import { readEndedTurn } from '../../../modules/index/session-turns.ts';
import { type FileUrls, fileUrlsOf } from '../../../worker/file-urls.ts';
import type { ModuleRequest, RouteSession } from '../../../worker/module-request.ts';
import { runInSession } from '../../../worker/session-from-code.ts';
import type { ErrorWording } from '../../../worker/tell.ts';
import type { TurnItem } from '../../../worker/turn-feed.ts';
import { readTurnSoFar } from '../../whole-turn.ts';
import { isBoundary, toResponseEvents } from '../response-events.ts';
import { echoExtras } from '../response-object.ts';
import type { OpenAiSurface } from '../responses.ts';
import { InputItems } from './input-items.ts';
import type { InputItem, ListedItem } from './list-types.ts';

/** Reads the items of a session. */
export interface ItemReader {
  readonly asked: ModuleRequest;
  readonly of: RouteSession;
  readonly teller: ErrorWording;
  readonly files: FileUrls;
}

export const createItemReader = (
  asked: ModuleRequest,
  of: RouteSession,
  surface: OpenAiSurface,
): ItemReader => ({
  asked,
  of,
  teller: surface.tellerOf(asked.request),
  files: fileUrlsOf(asked, of),
});

/** One response of a turn. */
export interface ResponseItems {
  readonly input: readonly InputItem[];
  readonly output: readonly ListedItem[];
}

/** The content of a turn so far. */
export interface TurnItemLists {
  /** `true` if the turn retries the message of an earlier one. */
  readonly isRetry: boolean;
  /** The responses in order. There is at least one. */
  readonly responses: readonly ResponseItems[];
}

/** Reads the items of a turn. @throws SessionError if the session or turn does not exist. */
export async function readItemsOfTurn(reader: ItemReader, turn: string): Promise<TurnItemLists> {
  const items = await readShownItems(reader, turn);
  const inputs = splitInputs(reader, items);
  const responses = await Promise.all(
    inputs.map(async (input, part) => ({ input, output: await readOutput(reader, items, { turn, part }) })),
  );
  const isRetry = items.some((item) => item.type === 'turn-started' && item.retries !== undefined);
  return { isRetry, responses };
}

/** Returns the items of a turn. For a turn that has ended, one request to the session is enough. */
async function readShownItems(
  { asked, of, teller, files }: ItemReader,
  turn: string,
): Promise<readonly TurnItem[]> {
  const session = asked.session(of);
  const ended = await runInSession(session, (at) => readEndedTurn(at, turn));
  const items = ended
    ? toAsyncItems([...ended.events, { type: 'answer', answer: ended.answer }])
    : readTurnSoFar(session, turn);
  const shown: TurnItem[] = [];
  for await (const item of files.items(teller.items(items))) shown.push(item);
  return shown;
}

async function* toAsyncItems(items: readonly TurnItem[]): AsyncGenerator<TurnItem, void, undefined> {
  yield* items;
}

/**
 * Returns the input of each response of a turn. An answer of the client ends one response and begins the
 * next.
 */
function splitInputs(
  { of, files }: ItemReader,
  items: readonly TurnItem[],
): readonly (readonly InputItem[])[] {
  const inputs = new InputItems(of, files.url);
  let before: StoredEvent | undefined;
  for (const item of items) {
    if (!('seq' in item)) continue;
    if (inputs.isWaiting && isBoundary(item, before)) inputs.next();
    inputs.event(item);
    before = item;
  }
  return inputs.responses;
}

async function readOutput(
  { of, files }: ItemReader,
  items: readonly TurnItem[],
  { turn, part }: { readonly turn: string; readonly part: number },
): Promise<readonly ListedItem[]> {
  const echoed = {
    ...echoExtras({}),
    ...{ model: of.agent, metadata: {}, previous_response_id: null, background: false },
  };
  const wanted = { ...of, turn, part, echoed, fileUrl: files.url, now: 0 };
  let output: readonly ListedItem[] = [];
  for await (const event of toResponseEvents(toAsyncItems(items), wanted))
    if ('response' in event) output = event.response.output;
  return output;
}
