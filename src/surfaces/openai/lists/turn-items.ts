/** The items of a turn: for each of its responses, what was sent to it, and its output. */
import type { StoredEvent } from '../../../journal/events.ts';
import { endedTurn } from '../../../modules/index/session-turns.ts';
import { type FileUrls, fileUrlsOf } from '../../../worker/file-urls.ts';
import type { ModuleRequest, RouteSession } from '../../../worker/module-request.ts';
import { inSession } from '../../../worker/session-from-code.ts';
import type { Teller } from '../../../worker/tell.ts';
import type { TurnItem } from '../../../worker/turn-feed.ts';
import { turnSoFar } from '../../whole-turn.ts';
import { isBoundary, responseEvents } from '../response-events.ts';
import { echoOfAsked } from '../response-object.ts';
import type { OpenAiSurface } from '../responses.ts';
import { InputItems } from './input-items.ts';
import type { InputItem, ListedItem } from './list-types.ts';

/** Who reads the items of a session. */
export interface ItemReader {
  readonly asked: ModuleRequest;
  readonly of: RouteSession;
  readonly teller: Teller;
  readonly files: FileUrls;
}

export const itemReader = (asked: ModuleRequest, of: RouteSession, surface: OpenAiSurface): ItemReader => ({
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

/** What a turn has said so far. */
export interface ItemsOfTurn {
  /** The turn answers the message of an earlier one again. */
  readonly isRetry: boolean;
  /** In their order. One at least. */
  readonly responses: readonly ResponseItems[];
}

/** Reads the items of a turn. @throws SessionError if there is no such session or turn. */
export async function itemsOfTurn(reader: ItemReader, turn: string): Promise<ItemsOfTurn> {
  const items = await shownOf(reader, turn);
  const inputs = inputsOf(reader, items);
  const responses = await Promise.all(
    inputs.map(async (input, part) => ({ input, output: await outputOf(reader, items, { turn, part }) })),
  );
  const isRetry = items.some((item) => item.type === 'turn-started' && item.retries !== undefined);
  return { isRetry, responses };
}

/** What a turn shows. One that has ended takes one message to its session. */
async function shownOf({ asked, of, teller, files }: ItemReader, turn: string): Promise<readonly TurnItem[]> {
  const session = asked.session(of);
  const ended = await inSession(session, (at) => endedTurn(at, turn));
  const items = ended
    ? each([...ended.events, { type: 'answer', answer: ended.answer }])
    : turnSoFar(session, turn);
  const shown: TurnItem[] = [];
  for await (const item of files.items(teller.items(items))) shown.push(item);
  return shown;
}

async function* each(items: readonly TurnItem[]): AsyncGenerator<TurnItem, void, undefined> {
  yield* items;
}

/** What was sent to each response of a turn: an answer of its client ends one, and begins the next. */
function inputsOf({ of, files }: ItemReader, items: readonly TurnItem[]): readonly (readonly InputItem[])[] {
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

async function outputOf(
  { of, files }: ItemReader,
  items: readonly TurnItem[],
  { turn, part }: { readonly turn: string; readonly part: number },
): Promise<readonly ListedItem[]> {
  const echoed = {
    ...echoOfAsked({}),
    ...{ model: of.agent, metadata: {}, previous_response_id: null, background: false },
  };
  const wanted = { ...of, turn, part, echoed, fileUrl: files.url, now: 0 };
  let output: readonly ListedItem[] = [];
  for await (const event of responseEvents(each(items), wanted))
    if ('response' in event) output = event.response.output;
  return output;
}
