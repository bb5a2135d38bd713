import { type Asker, type AskingCall, formatQuestionChangedMessage } from '../../journal/asking.ts';
import { findPendingWait } from '../../journal/conversation.ts';
import type { CallRecord } from '../../journal/state.ts';
import type { JournaledAnswer, Wait } from '../../journal/wait.ts';
import { computeSha256Hex, raceAbort } from '../../tool/async.ts';
import type { Question, ReceivedAnswer } from '../../tool/call.ts';
import { parseToolInput } from '../../tool/check-input.ts';
import type { JsonObject } from '../../tool/json.ts';
import { escapeInvisible, quoteFences } from '../../tool/shown.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { createToolResult } from '../../tool/tool-result.ts';

/**
 * Returns the functions with which one call asks questions. Questions are identified by their order, which is
 * the same each time the call restarts. Asking throws InterruptionError if the call is suspended until the answer
 * arrives. It throws Error if the call cannot ask, or if the answer is to another question.
 */
export function createAsker(call: AskingCall): Asker {
  const { record, tool, signal } = call;
  let asked = 0;
  let isOver = false;
  const over = Promise.withResolvers<void>();

  /**
   * Waits for the call's earlier questions, then asks this one and waits for the answer. @throws Error if the
   * call ends first, or the reason of its signal if the call is aborted.
   */
  async function waitForAnswer(index: number, wait: Wait): Promise<JournaledAnswer> {
    for (;;) {
      const answer = findAnswer(record, index, wait);
      if (answer) return answer;
      if (record.ended || isOver) throw new Error(formatCallEndedMessage(record.id));
      if (!findPendingWait(record) && (record.waits?.length ?? 0) === index) call.suspend(wait);
      await raceAbort(signal, Promise.race([call.changed(), over.promise]));
    }
  }

  async function requestAnswer(put: PendingQuestion, meanwhile: CallMode): Promise<JournaledAnswer> {
    const clean = call.secrets.redact(put);
    const question = { ...clean, message: escapeInvisible(clean.message) };
    const index = asked;
    asked += 1;
    const wait: Wait = { ...question, binding: await computeBinding(record, tool, question) };
    if (signal.aborted) throw signal.reason;
    const answer = findAnswer(record, index, wait);
    if (answer) return answer;
    if (meanwhile === 'running') return waitForAnswer(index, wait);
    if (record.ended) throw new Error(formatCallEndedMessage(record.id));
    // Only one question can be open. If a call asked several at once, only the last could be answered.
    throw call.suspend(findPendingWait(record) ? undefined : wait);
  }

  return {
    get asked() {
      return asked;
    },
    async ask<For extends Wait['for']>(question: Question<For>): Promise<ReceivedAnswer<For>> {
      const put = toPendingQuestion(question, call);
      const answer = await requestAnswer(put, getCallMode(question, record));
      if (answer.type !== put.for) throw new Error(formatWrongKindMessage(record.id, put.for));
      return (answer.type === 'decision' ? answer : createToolResult(answer.result)) as ReceivedAnswer<For>; // just compared
    },
    checkpoint() {
      const before = record.waits?.[asked]?.wait;
      return before?.for === 'decision' ? structuredClone(before.checkpoint) : undefined;
    },
    hasRun() {
      isOver = true;
      over.resolve();
    },
  };
}

/** A question without the binding of its answer. */
type PendingQuestion = Omit<Wait<'decision'>, 'binding'> | Omit<Wait<'result'>, 'binding'>;

type CallMode = NonNullable<Question<'decision'>['meanwhile']>;

/**
 * Returns whether the call keeps running or is suspended. Checks at run time, because code without types can
 * omit required fields.
 *
 * @throws Error if `meanwhile` is `'running'` and the call is not running or has a checkpoint, or if the wait
 * is unlimited.
 */
function getCallMode(question: Question, { name: tool, started, ended }: CallRecord): CallMode {
  if (question.for === 'result' || question.meanwhile !== 'running') return 'suspended';
  // Code around `run` can restart, and its time is limited.
  if (started === undefined && !ended) throw new Error(formatNotRunningMessage(tool));
  const { expires, checkpoint }: Partial<Record<'expires' | 'checkpoint', unknown>> = question;
  if (expires === undefined) throw new Error(formatMissingExpiryMessage(tool));
  // After a kill, the call would run again from its start.
  if (checkpoint !== undefined) throw new Error(formatNotSuspendedMessage(tool));
  return 'running';
}

const formatWrongKindMessage = (call: string, wanted: Wait['for']): string =>
  wanted === 'decision'
    ? `Call ${call} received a result, but asked for a decision.`
    : `Call ${call} received a decision, but asked for a result.`;

/**
 * Returns the answer to the question with this number. @throws Error if the answer is to another question.
 */
function findAnswer(
  { name, waits }: CallRecord,
  index: number,
  { binding }: Wait,
): JournaledAnswer | undefined {
  const { wait, answer } = waits?.[index] ?? {};
  // A result stays valid if the tool changes, since the caller has already run the tool.
  const isVoid = answer?.type === 'decision' && wait?.binding !== binding;
  if (isVoid) throw new Error(formatQuestionChangedMessage(name));
  return structuredClone(answer);
}

/**
 * Returns the binding of a question, which an answer must match. A change of the tool's schema or of the
 * people who can answer changes the binding. A fence marker in quoted text that changes with a restart of the
 * call does not.
 */
export function computeBinding(
  { name, input }: Pick<CallRecord, 'name' | 'input'>,
  { inputSchema }: Pick<AnyTool, 'inputSchema'>,
  question: PendingQuestion | Wait,
): Promise<string> {
  const put =
    question.for === 'decision'
      ? [quoteFences(question.message), question.by, question.allows, question.schema, question.input]
      : [];
  // Omitted if absent, so bindings of older questions stay the same.
  const notBy = question.for === 'decision' && question.notBy !== undefined ? [question.notBy] : [];
  return computeSha256Hex(JSON.stringify([name, input, inputSchema, question.for, ...put, ...notBy]));
}

const formatCallEndedMessage = (call: string): string => `Call ${call} has ended, and cannot ask any more.`;

const ALL_DECISIONS: Wait<'decision'>['allows'] = ['approve', 'edit', 'reject', 'exit'];

function toPendingQuestion(question: Question, { record, tool }: AskingCall): PendingQuestion {
  const { message, expires } = question;
  if (question.for === 'result') return { for: 'result', message, ...toExpiry(expires) };
  const {
    input,
    allows = ALL_DECISIONS,
    schema = tool.inputSchema,
    credentials,
    by,
    notBy,
    checkpoint,
  } = question;
  if (notBy !== undefined && notBy !== 'requester') throw new Error(formatInvalidNotByMessage(notBy));
  return {
    for: 'decision',
    message,
    allows,
    schema,
    onExpiry: question.onExpiry ?? 'reject',
    ...(input !== undefined && !isInputUnchanged(record, input) && { input }),
    ...(credentials && { credentials }),
    ...(by !== undefined && { by }),
    ...(notBy !== undefined && { notBy }),
    ...toExpiry(expires),
    ...(checkpoint !== undefined && { checkpoint }),
  };
}

const formatInvalidNotByMessage = (notBy: never): string =>
  `A question has a notBy of '${String(notBy)}'. It must be 'requester'.`;

/** Returns `true` if the input equals the model's, which is already in the journal. */
function isInputUnchanged({ name, input: sent }: CallRecord, input: JsonObject): boolean {
  const parsed = parseToolInput(name, sent);
  return parsed.ok && JSON.stringify(parsed.input) === JSON.stringify(input);
}

/** Returns the expiry. JSON has no infinity, and a time of zero or less is a mistake. */
function toExpiry(expires: number | undefined): { readonly expires?: number } {
  if (expires === undefined) return {};
  if (Number.isFinite(expires) && expires > 0) return { expires };
  throw new Error(`A question cannot expire after ${expires} ms. Omit expires to wait without a limit.`);
}

const formatNotRunningMessage = (tool: string): string =>
  `Tool '${tool}' asks with meanwhile: 'running' outside of run, where a call is suspended until the answer. Omit meanwhile.`;

const formatNotSuspendedMessage = (tool: string): string =>
  `Tool '${tool}' asks with a checkpoint while it runs, but only a suspended call has one. Omit it.`;

const formatMissingExpiryMessage = (tool: string): string =>
  `Tool '${tool}' asks while it runs, without a time limit. Set expires, in ms.`;
