import { findLastReply, getAnswerText, isBlank } from '../journal/conversation.ts';
import type { CallRecord, Message } from '../journal/state.ts';
import type { ChatModel, ModelMessage, ToolSetChange } from '../model/chat-model.ts';
import {
  adaptReply,
  formatCallResult,
  NO_RESPONSE_TEXT,
  replyToText,
  TOOL_RESULTS_HEADING,
} from '../model/given-to.ts';
import { listCalls, type ReplyPart, type RequestedCall } from '../model/parts.ts';
import { attempt } from '../tool/async.ts';
import type { HistoryCall, HistoryMessage } from '../tool/call.ts';
import { type ContentPart, formatFileLine, isFile } from '../tool/content.ts';
import { joinParagraphs } from '../tool/json.ts';
import type { AnyTool } from '../tool/tool.ts';
import { listResultParts, type ResultData, toModelText } from '../tool/tool-result.ts';
import { findKeptReplies, type KeptReplies, type ShownReply } from './kept-replies.ts';
import { getPrincipal, type Loop, type LoopSpec } from './loop.ts';
import type { ShownContent, ShownFiles } from './loop-files.ts';
import { type HistoryScope, LOOPS } from './loop-seams.ts';

/** A loop whose conversation is shown. */
export type ShownLoop = Pick<Loop, 'spec' | 'journal' | 'log'>;

/**
 * Returns the conversation as the model sees it. Its results belong to the journal's state, so do not change
 * them.
 */
export const toShownHistory = (loop: ShownLoop, messages: readonly Message[]): readonly HistoryMessage[] =>
  loop.spec.uses.length === 0
    ? toHistory(messages)
    : applyHistorySteps(loop, 'conversation', toHistory(messages));

/** Runs the `history` step of every module of the loop, in order. */
export function applyHistorySteps(
  loop: ShownLoop,
  of: HistoryScope['of'],
  history: readonly HistoryMessage[],
): readonly HistoryMessage[] {
  let shown = history;
  for (const { use } of loop.spec.uses) {
    const scope = { of, principal: getPrincipal(loop), log: loop.log };
    shown = LOOPS.of(use)?.history?.(shown, scope) ?? shown;
  }
  return shown;
}

/** Returns whether a module of the loop changes the shown conversation. */
export const hasHistorySteps = ({ uses }: Pick<LoopSpec, 'uses'>): boolean =>
  uses.some(({ use }) => LOOPS.of(use)?.history !== undefined);

/**
 * Returns the conversation for tools and modules. Its results belong to the journal's state, so do not change
 * them.
 */
export function toHistory(messages: readonly Message[]): HistoryMessage[] {
  const history: HistoryMessage[] = [];
  for (const message of messages) {
    if (message.role === 'user') {
      const { shown, ...said } = message;
      if (shown === undefined) history.push(message);
      else history.push({ ...said, text: toModelText({ type: 'text', content: said.text }, shown) });
      continue;
    }
    const calls = message.calls.map(
      ({ id, name, input, ended, said }): HistoryCall => ({
        id,
        name,
        input,
        ...(said && { said }),
        ...(ended && { result: ended.result }),
        ...(ended?.shown !== undefined && { shown: ended.shown }),
      }),
    );
    const { kept, toolsChange } = message;
    const text = message.cutOff ? message.text + CUT_OFF_MARKER : message.text;
    const parts = kept && { parts: kept.parts };
    history.push({ role: 'assistant', text, calls, ...parts, ...(toolsChange && { toolsChange }) });
  }
  return history;
}

/** Shown to a model after the text of a reply that was cut off. */
const CUT_OFF_MARKER = '\n\n[The reply was cut off here.]';

/**
 * Returns the answer of a loop: the text of its last reply, or of its direct results, as modules show them to
 * users.
 */
export function getShownAnswer(loop: Loop): string {
  const { messages } = loop.frame;
  const { uses } = loop.spec;
  const last = uses.length > 0 && hasHistorySteps(loop.spec) ? findLastReply(messages) : undefined;
  const [shown] = last ? applyHistorySteps(loop, 'answer', toHistory([last])) : [];
  if (!last || shown?.role !== 'assistant') return getAnswerText(messages);
  const results = new Map(shown.calls.map(({ id, result }) => [id, result]));
  const calls = last.calls.map((call) => {
    const result = results.get(call.id);
    return call.ended && result ? { ...call, ended: { ...call.ended, result } } : call;
  });
  return getAnswerText([{ ...last, text: shown.text, calls }]);
}

/**
 * Returns the conversation in the model's format, without instructions. Results follow their reply in the
 * order of its calls, each shortened to the policy's limit.
 */
export function toModelMessages(
  loop: ShownLoop,
  { conversation, shown, changes, files }: ShownConversation,
): ModelMessage[] {
  const sending = createSendContext(loop, conversation, files);
  const sent: ModelMessage[] = [];
  for (const [index, message] of shown.entries()) {
    const change = changes?.get(message.toolsChange);
    if (change) sent.push(toToolsChangeMessage(change));
    if (message.role === 'user') {
      const { text, parts } = message;
      const shown = parts && (files ? files.message(message) : { text: withFileLines(text, parts) });
      sent.push({ role: 'user', ...(shown ?? { text }) });
    } else if (isBlank(message)) sent.push(...toBlankReply(message, sending, shown[index + 1]));
    else sent.push(...toReply(message, sending));
  }
  return sent;
}

/** A conversation, and the data needed to show it. */
interface ShownConversation {
  readonly conversation: readonly Message[];
  /** As `toShownHistory` returns it. */
  readonly shown: readonly HistoryMessage[];
  /** The tool changes to show the model. Absent for most models. */
  readonly changes: ReadonlyMap<unknown, ToolSetChange> | undefined;
  readonly files: ShownFiles | undefined;
}

/** Returns a message that lists the tools added and removed at this point. */
export const toToolsChangeMessage = (toolsChange: ToolSetChange): ModelMessage => ({
  role: 'system',
  text: '',
  toolsChange,
});

/** Appends lines about the files of a user message, if no module shows them. */
const withFileLines = (text: string, parts: readonly ContentPart[]): string =>
  joinParagraphs(text, ...parts.filter(isFile).map(formatFileLine));

interface SendContext {
  readonly model: ChatModel;
  readonly files: ShownFiles | undefined;
  /** Every call, by our id. */
  readonly records: ReadonlyMap<string, CallRecord>;
  /** Absent if no reply has parts beyond text and calls, as with most models. */
  readonly kept: KeptReplies | undefined;
  readonly characters: number;
  /** Formats results for a model that has a tool to read more of them. */
  readonly words: ResultWriter | undefined;
}

/** Returns the text of a call's result, by its id, in at most `most` characters. */
export type ResultWriter = (id: string, result: ResultData, most: number) => string;

/** The key under which a reading tool stores its result writer. */
export const RESULT_WRITER: unique symbol = Symbol('holdfast.reads-on');

/** A tool with which a model reads more of a shortened result. */
export interface ReadingTool extends AnyTool {
  /** Returns a writer of results. `tool`: the tool's name in the loop. */
  [RESULT_WRITER](tool: string, loop: ShownLoop, conversation: readonly Message[]): ResultWriter;
}

const isReading = (tool: AnyTool): tool is ReadingTool => RESULT_WRITER in tool;

function createSendContext(
  loop: ShownLoop,
  conversation: readonly Message[],
  files: ShownFiles | undefined,
): SendContext {
  const { model, tools, policies } = loop.spec;
  const records = new Map<string, CallRecord>();
  let hasKept = false;
  for (const message of conversation) {
    if (message.role === 'user') continue;
    if (message.kept || message.cut) hasKept = true;
    for (const call of message.calls) records.set(call.id, call);
  }
  const reading = tools.find(isReading);
  return {
    model,
    files,
    records,
    kept: hasKept ? findKeptReplies(conversation) : undefined,
    characters: policies.resultCharacters,
    words: reading?.[RESULT_WRITER](reading.name, loop, conversation),
  };
}

/**
 * Returns the messages for a blank reply. Drops its reasoning, but sends back tools that the provider ran and
 * custom parts, which can be its memory. Adds a nudge unless a user message follows.
 */
function toBlankReply(
  reply: ShownReply,
  sending: SendContext,
  next: HistoryMessage | undefined,
): ModelMessage[] {
  const parts = sending.kept?.partsOf(reply) ?? [];
  const isMore = parts.some(
    ({ type }) => type === 'tool-call' || type === 'tool-result' || type === 'custom',
  );
  return [
    ...(isMore
      ? toReply(reply, sending)
      : [{ role: 'assistant', text: NO_RESPONSE_TEXT, toolCalls: [] } as const]),
    ...(next?.role === 'user' ? [] : [{ role: 'user', text: NUDGE } as const]),
  ];
}

function toReply(reply: ShownReply, sending: SendContext): ModelMessage[] {
  const { text, calls } = reply;
  const kept = sending.kept?.of(reply);
  if (sending.kept && !kept) {
    const left = sending.kept.partsOf(reply);
    if (left.length > 0 || calls.some(({ id }) => sending.kept?.has(id)))
      return toPlainReply(reply, left, sending);
  }
  const given = kept?.parts && listCalls(kept.parts);
  const toolCalls: RequestedCall[] = [];
  const results: ModelMessage[] = [];
  for (const [index, call] of calls.entries()) {
    // Providers repeat their ids, so calls are looked up by ours.
    const own = {
      id: sending.records.get(call.id)?.providerId ?? call.id,
      name: call.name,
      input: call.input,
    };
    const { id, name } = given?.[index] ?? own;
    toolCalls.push(own);
    results.push({ role: 'tool', id, name, ...toShownResult(call, sending) });
  }
  const said = { role: 'assistant', text, toolCalls: given ?? toolCalls, ...kept } as const;
  return [kept ? adaptReply(sending.model, said) : said, ...results];
}

/**
 * Returns the shown result of a call, followed by its messages to the user. In this position they are the
 * same in every request, and every provider accepts them. A separate assistant message could not end a
 * request or come between a call and its result.
 */
function toShownResult(call: HistoryCall, sending: SendContext): ShownContent {
  const plain = formatResult(call, sending);
  const shown = sending.files ? withFiles(call, plain, sending) : { text: plain };
  const words = call.said ? formatSentMessages(call, sending) : '';
  if (words === '') return shown;
  const { text, parts } = shown;
  return {
    text: joinParagraphs(text, words),
    ...(parts && { parts: [...parts, { type: 'text', text: words }] }),
  };
}

/**
 * Returns the messages of a call to the user, within the length limit of a result. Omits text that the model
 * wrote into the input itself, as when it sends a message.
 */
function formatSentMessages({ said = [], input }: HistoryCall, { characters }: SendContext): string {
  if (said.length === 0) return '';
  const sent = attempt(() => Object.values(Object(JSON.parse(input))));
  const others = said.filter(({ text }) => !sent.ok || !sent.value.includes(text));
  const content = others.map(({ text }) => `[Said to the user: ${text}]`).join('\n');
  return toModelText({ type: 'text', content }, characters);
}

/** Adds the files of a result. If the result was shortened to fit the conversation, adds only their names. */
function withFiles({ id, result }: HistoryCall, text: string, sending: SendContext): ShownContent {
  const { records, files, characters } = sending;
  const parts = result ? listResultParts(result) : [];
  if (!files || parts.length === 0 || records.get(id)?.ended?.shown !== undefined) return { text };
  return files.result(text, parts, characters);
}

function formatResult({ id, result }: HistoryCall, { records, characters, words }: SendContext): string {
  const answer = result ?? { type: 'error', message: 'There is no result for this call.' };
  const most = Math.min(characters, records.get(id)?.ended?.shown ?? characters);
  return words ? words(id, answer, most) : toModelText(answer, most);
}

/**
 * Returns a reply and its results as plain text. Needed if the reply has provider parts but was changed
 * since: its provider would refuse an incomplete set. `left`: the parts that remain.
 */
function toPlainReply(reply: ShownReply, left: readonly ReplyPart[], sending: SendContext): ModelMessage[] {
  const { calls } = reply;
  const words = replyToText(left, reply);
  const answers = calls.map((call) => formatCallResult(call, formatResultWithMessages(call, sending)));
  return [
    ...(words.trim() === '' ? [] : [{ role: 'assistant', text: words, toolCalls: [] } as const]),
    ...(answers.length === 0
      ? []
      : [{ role: 'user', text: `${TOOL_RESULTS_HEADING}\n${answers.join('\n')}` } as const]),
  ];
}

const formatResultWithMessages = (call: HistoryCall, sending: SendContext): string =>
  joinParagraphs(formatResult(call, sending), formatSentMessages(call, sending));

/** The message for a model whose reply was blank. */
export const NUDGE =
  'Your previous turn produced no response. Take ONE concrete action that progresses toward answering the ' +
  "user's most recent question — either call a tool to gather what you still need, or write the answer using " +
  'the information you already have. Do not stay silent.';
