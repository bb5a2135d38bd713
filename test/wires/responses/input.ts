/**
 * The checks of the Responses API: the input must contain earlier items unchanged.
 *
 * Two rules are stricter than the real API: a call needs its reasoning even if sent without its id, and all
 * items of a reply must be returned in order.
 */
import { findReplies, isSameJson, type OrderCheck } from '../calls.ts';
import {
  createOwnRefusal,
  formatCanonicalJson,
  isRecord,
  RefusalError,
  type ScriptedReply,
} from '../wire.ts';
import { createItems, type Item, type ItemMode, type Ledger, type WireItem } from './items.ts';

export interface InputCheck extends OrderCheck {
  readonly input: readonly unknown[];
  readonly seed: string;
  /** The settings of the request, which determine the names of missing items in errors. */
  readonly mode: ItemMode;
  readonly ledger: Ledger;
  readonly exactArguments: boolean;
}

/** The part of an input entry that the checks use. */
type Entry =
  | {
      readonly kind: 'model';
      readonly type: Item['type'];
      readonly sent: SentItem;
      readonly given: WireItem | undefined;
    }
  | { readonly kind: 'output'; readonly callId: string }
  | { readonly kind: 'message' }
  | { readonly kind: 'beside' };

type ModelEntry = Extract<Entry, { kind: 'model' }>;
type SentItem = Readonly<Record<string, unknown>>;

/**
 * Returns how many replies of the script the input contains. @throws {@link Refused} if an item was changed.
 */
export function checkInput(check: InputCheck): number {
  refuseDuplicates(check);
  refuseOutputsWithoutCalls(check);
  const runs = groupRuns(check.input.map((sent) => parseEntry(sent, check)));
  const held = runs.filter(({ run }) => run.length > 0);
  for (const { run } of held) refuseDangling(run);
  const replies = findReplies(findPlaces(held, check), check);
  for (const [index, { run, outputs }] of held.entries()) {
    const reply = replies[index];
    if (reply === undefined) continue;
    const callIds = findForeignCalls(run) ?? checkRun(run, reply, check);
    checkOutputs(outputs, callIds);
  }
  const last = runs.at(-1);
  if (last !== undefined && last.run.length > 0 && last.outputs.length === 0) {
    throw createOwnRefusal('the input ends with an answer, and nothing was asked after it');
  }
  return (replies.at(-1)?.at ?? -1) + 1;
}

/**
 * A run of consecutive entries: the items of a reply, and the outputs after them. A message starts a new run.
 */
interface Run {
  readonly run: ModelEntry[];
  readonly outputs: string[];
}

function groupRuns(entries: readonly Entry[]): readonly Run[] {
  const runs: Run[] = [];
  let current: Run | undefined;
  for (const entry of entries) {
    if (entry.kind === 'beside') continue;
    const isNew = entry.kind === 'message' || (entry.kind === 'model' && (current?.outputs.length ?? 0) > 0);
    if (isNew || current === undefined) {
      current = { run: [], outputs: [] };
      runs.push(current);
    }
    if (entry.kind === 'model') current.run.push(entry);
    if (entry.kind === 'output') current.outputs.push(entry.callId);
  }
  return runs;
}

/**
 * Returns the script positions of the replies. A reply is identified by a call, by the id of another item, or
 * by the text of an answer.
 */
function findPlaces(runs: readonly Run[], { replies }: InputCheck): readonly number[] {
  const places: number[] = [];
  for (const { run } of runs) {
    const known =
      run.find(({ type, given }) => type === 'function_call' && given !== undefined) ??
      run.find(({ given }) => given !== undefined);
    const text = run.map(({ type, sent }) => (type === 'message' ? joinText(sent.content) : '')).join('');
    const answer = replies.find((reply) => reply.calls.length === 0 && reply.text === text);
    places.push((known?.given?.reply ?? answer)?.at ?? (places.at(-1) ?? -1) + 1);
  }
  return places;
}

/** Checks that the outputs directly follow the calls of a reply, each once. */
function checkOutputs(outputs: readonly string[], callIds: readonly string[]): void {
  const waiting = new Set(callIds);
  const answered = new Set<string>();
  for (const callId of outputs) {
    if (answered.has(callId)) throw createDuplicateError(callId);
    if (!waiting.delete(callId))
      throw createOwnRefusal(`the output of ${callId} does not stand right behind its call`);
    answered.add(callId);
  }
  for (const callId of waiting)
    throw new RefusalError(400, `No tool output found for function call ${callId}.`);
}

function refuseOutputsWithoutCalls({ input }: InputCheck): void {
  const called = new Set<unknown>();
  for (const { type, call_id } of input.filter(isRecord)) {
    if (type === 'function_call') called.add(call_id);
    if (type === 'function_call_output' && !called.has(call_id)) {
      throw new RefusalError(400, `No tool call found for function call output with call_id ${call_id}.`);
    }
  }
}

/** Refuses duplicates. A call is also identified by its call id, because clients omit its item id. */
function refuseDuplicates({ input }: InputCheck): void {
  const seen = new Map<unknown, unknown>();
  for (const { id, type, call_id } of input.filter(isRecord)) {
    const names = [id, type === 'function_call' ? call_id : undefined].filter((name) => name != null);
    for (const name of names) {
      if (seen.has(name)) throw createDuplicateError(String(seen.get(name)));
      seen.set(name, id ?? name);
    }
  }
}

function createDuplicateError(id: string): RefusalError {
  return new RefusalError(
    400,
    `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
  );
}

function parseEntry(sent: unknown, { ledger, mode }: InputCheck): Entry {
  if (!isRecord(sent)) throw createOwnRefusal(`an entry of the input is no object: ${JSON.stringify(sent)}`);
  const { type, role } = sent;
  if (type === 'function_call_output') return { kind: 'output', callId: String(sent.call_id) };
  if (type === 'function_call') {
    return { kind: 'model', type, sent, given: ledger.byCallId.get(String(sent.call_id)) };
  }
  if (type === 'reasoning')
    return { kind: 'model', type, sent, given: findReasoning(sent, { ledger, mode }) };
  if (type === 'item_reference') {
    const given = ledger.byId.get(String(sent.id));
    if (given === undefined || !given.mode.stored) throw createNotFoundError(sent.id, given?.mode ?? mode);
    return { kind: 'model', type: given.item.type, sent: { ...given.item }, given };
  }
  if (role === 'assistant') {
    return { kind: 'model', type: 'message', sent, given: ledger.byId.get(String(sent.id)) };
  }
  if (role === 'user' || ((role === 'system' || role === 'developer') && type !== 'additional_tools')) {
    return { kind: 'message' };
  }
  // The types of entries that are not part of a reply, such as tools that are added later.
  return { kind: 'beside' };
}

/** Returns the reasoning item that was sent in full, from its encrypted content or from the stored items. */
function findReasoning(sent: SentItem, { ledger, mode }: Pick<InputCheck, 'ledger' | 'mode'>): WireItem {
  const blob = sent.encrypted_content;
  const byId = ledger.byId.get(String(sent.id));
  if (typeof blob !== 'string') {
    if (byId === undefined || !byId.mode.stored) throw createNotFoundError(sent.id, byId?.mode ?? mode);
    return byId;
  }
  const byBlob = ledger.byBlob.get(blob);
  if (byBlob === undefined) {
    const reason = 'Encrypted content could not be decrypted or parsed.';
    throw new RefusalError(
      400,
      `The encrypted content ${blob.slice(0, 4)}...${blob.slice(-4)} could not be verified. Reason: ${reason}`,
    );
  }
  if (sent.id != null && sent.id !== byBlob.item.id) {
    const reason = 'Encrypted content item_id did not match the target item id.';
    throw new RefusalError(
      400,
      `The encrypted content for item ${sent.id} could not be verified. Reason: ${reason}`,
    );
  }
  return byBlob;
}

/** Returns the provider's 404 for an unknown item. The message explains it if items are not stored. */
function createNotFoundError(id: unknown, { stored }: ItemMode): RefusalError {
  const why =
    ' Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.';
  return new RefusalError(404, `Item with id '${id}' not found.${stored ? '' : why}`);
}

/**
 * Compares the entries between two messages or results with the reply at their position. Returns the ids of its
 * calls.
 */
function checkRun(run: readonly ModelEntry[], reply: ScriptedReply, check: InputCheck): readonly string[] {
  const mode = run.find(({ type, given }) => given !== undefined && type !== 'function_call')?.given?.mode;
  const expected = createItems(reply, { seed: check.seed, mode: mode ?? check.mode });
  refuseUnreasoned(run, expected, reply);
  for (const [index, item] of expected.entries()) {
    const entry = run[index];
    const held = `${item.type} '${item.id}'`;
    if (entry === undefined) throw createOwnRefusal(`reply ${reply.at + 1} held ${held}, which is missing`);
    const fault = findFault(entry, item, check);
    if (fault !== undefined)
      throw createOwnRefusal(`reply ${reply.at + 1} held ${held} as item ${index + 1}, ${fault}`);
  }
  const more = run[expected.length];
  if (more !== undefined)
    throw createOwnRefusal(`reply ${reply.at + 1} held no ${more.type} after its last item`);
  return expected.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []));
}

/** Returns the call ids if another model made the calls. Such calls must not have reasoning. */
function findForeignCalls(run: readonly ModelEntry[]): readonly string[] | undefined {
  const calls = run.filter(({ type }) => type === 'function_call');
  if (calls.length === 0 || run.some(({ given }) => given !== undefined)) return undefined;
  if (calls.some(({ sent }) => sent.id != null)) return undefined;
  return calls.map(({ sent }) => String(sent.call_id));
}

/** Refuses reasoning without the items that follow it. */
function refuseDangling(run: readonly ModelEntry[]): void {
  for (const [index, { type, given }] of run.entries()) {
    if (type !== 'reasoning') continue;
    const next = run[index + 1];
    if (next !== undefined && next.type !== 'reasoning' && isFromReply(next, given?.reply.at)) continue;
    const what = `Item '${given?.item.id}' of type 'reasoning'`;
    throw new RefusalError(400, `${what} was provided without its required following item.`);
  }
}

/** Refuses items that do not follow the reasoning of their reply. */
function refuseUnreasoned(
  run: readonly ModelEntry[],
  expected: readonly Item[],
  { at }: ScriptedReply,
): void {
  for (const [index, { type, sent, given }] of run.entries()) {
    if (type === 'reasoning') continue;
    if (run.slice(0, index).some((before) => before.type === 'reasoning' && isFromReply(before, at)))
      continue;
    const isIt = (item: Item) =>
      item.type === 'function_call' ? item.call_id === sent.call_id : item.type === type;
    const id = sent.id ?? expected.find(isIt)?.id ?? given?.item.id;
    throw new RefusalError(
      400,
      `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${expected[0]?.id}'.`,
    );
  }
}

/** Returns `true` if an entry is unknown or belongs to the reply at this position. */
function isFromReply({ given }: ModelEntry, place: number | undefined): boolean {
  return given === undefined || given.reply.at === place;
}

/** Returns the difference of an entry from its item, as the end of a sentence. */
function findFault(
  { type, sent, given }: ModelEntry,
  item: Item,
  { exactArguments }: InputCheck,
): string | undefined {
  if (type !== item.type) return `and a ${type} stands there`;
  switch (item.type) {
    case 'reasoning': {
      if (given?.item.id !== item.id) return `and '${given?.item.id}' stands there`;
      const isWhole = formatCanonicalJson(sent.summary) === formatCanonicalJson(item.summary);
      return isWhole ? undefined : 'and its summary is another';
    }
    case 'message':
      if (joinText(sent.content) !== joinText(item.content)) return 'and its text is another';
      return sent.phase === item.phase ? undefined : `of the phase ${item.phase}, not ${String(sent.phase)}`;
    case 'function_call': {
      if (sent.call_id !== item.call_id) return `and the call '${String(sent.call_id)}' stands there`;
      if (sent.name !== item.name) return `and its name is ${String(sent.name)}`;
      const isSame = exactArguments
        ? sent.arguments === item.arguments
        : isSameJson(sent.arguments, item.arguments);
      return isSame ? undefined : `and its arguments are ${String(sent.arguments)}`;
    }
  }
}

function joinText(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((part) => (isRecord(part) ? String(part.text) : '')).join('');
}
