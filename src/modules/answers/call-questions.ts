import { type AskingCall, type AskOutside, askedOtherwise } from '../../journal/asking.ts';
import { pendingWait } from '../../journal/conversation.ts';
import type { CallRecord } from '../../journal/state.ts';
import type { JournaledAnswer, Wait } from '../../journal/wait.ts';
import { sha256Hex, untilAborted } from '../../tool/async.ts';
import type { AnswerTo, Question } from '../../tool/call.ts';
import { parseToolInput } from '../../tool/check-input.ts';
import type { JsonObject } from '../../tool/json.ts';
import { asQuoted, visible } from '../../tool/shown.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { toolResult } from '../../tool/tool-result.ts';

/**
 * Makes what one call asks by. Its questions are told apart by their order, which is the same every time the call restarts.
 *
 * A question throws Interrupted if the call is suspended until its answer; Error if nobody can answer, or another question was asked.
 */
export function questionsOfCall(call: AskingCall): AskOutside {
  const { record, tool, signal } = call;
  let asked = 0;
  let isOver = false;
  const over = Promise.withResolvers<void>();

  /** Waits its turn among the call's questions, asks, and waits for the answer. @throws what ends the call before. */
  async function answered(index: number, wait: Wait): Promise<JournaledAnswer> {
    for (;;) {
      const answer = given(record, index, wait);
      if (answer) return answer;
      if (record.ended || isOver) throw new Error(hasEnded(record.id));
      if (!pendingWait(record) && (record.waits?.length ?? 0) === index) call.suspend(wait);
      await untilAborted(signal, Promise.race([call.changed(), over.promise]));
    }
  }

  async function answerTo(put: PendingQuestion, meanwhile: Meanwhile): Promise<JournaledAnswer> {
    const clean = call.secrets.redact(put);
    const question = { ...clean, message: visible(clean.message) };
    const index = asked;
    asked += 1;
    const wait: Wait = { ...question, binding: await bindingOf(record, tool, question) };
    if (signal.aborted) throw signal.reason;
    const answer = given(record, index, wait);
    if (answer) return answer;
    if (meanwhile === 'running') return answered(index, wait);
    if (record.ended) throw new Error(hasEnded(record.id));
    // One question at a time: asked together, only the last of them could be answered.
    throw call.suspend(pendingWait(record) ? undefined : wait);
  }

  return {
    get asked() {
      return asked;
    },
    async ask<For extends Wait['for']>(question: Question<For>): Promise<AnswerTo<For>> {
      const put = toPending(question, call);
      const answer = await answerTo(put, meanwhileOf(question, record));
      if (answer.type !== put.for) throw new Error(wrongKind(record.id, put.for));
      return (answer.type === 'decision' ? answer : toolResult(answer.result)) as AnswerTo<For>; // as its type was just compared
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

/** A question as a call asks it, without what its answer is bound to. */
type PendingQuestion = Omit<Wait<'decision'>, 'binding'> | Omit<Wait<'result'>, 'binding'>;

type Meanwhile = NonNullable<Question<'decision'>['meanwhile']>;

/**
 * Code without types may leave out what the types ask for.
 *
 * @throws Error if a call is to stay that does not run, for a wait without an end, and for a checkpoint of a call that stays.
 */
function meanwhileOf(question: Question, { name: tool, started, ended }: CallRecord): Meanwhile {
  if (question.for === 'result' || question.meanwhile !== 'running') return 'suspended';
  // Code around `run` may restart, and its time is short.
  if (started === undefined && !ended) throw new Error(notRunning(tool));
  const { expires, checkpoint }: Partial<Record<'expires' | 'checkpoint', unknown>> = question;
  if (expires === undefined) throw new Error(endless(tool));
  // Killed, the call would be run again as one that had not begun.
  if (checkpoint !== undefined) throw new Error(notSuspended(tool));
  return 'running';
}

const wrongKind = (call: string, wanted: Wait['for']): string =>
  wanted === 'decision'
    ? `Call ${call} was sent a result where a decision was asked for.`
    : `Call ${call} was sent a decision where a result was asked for.`;

/** What the question of this number was answered. @throws Error when that was for another one. */
function given({ name, waits }: CallRecord, index: number, { binding }: Wait): JournaledAnswer | undefined {
  const { wait, answer } = waits?.[index] ?? {};
  // What the caller has run is not undone by a change of the tool.
  const isVoid = answer?.type === 'decision' && wait?.binding !== binding;
  if (isVoid) throw new Error(askedOtherwise(name));
  return structuredClone(answer);
}

/**
 * Answers what an answer is given for: the same call of a tool that has become another one, or a question that is put to
 * somebody else, is not the same question. One whose fenced words have got another mark, since the call began anew, is.
 */
export function bindingOf(
  { name, input }: Pick<CallRecord, 'name' | 'input'>,
  { inputSchema }: Pick<AnyTool, 'inputSchema'>,
  question: PendingQuestion | Wait,
): Promise<string> {
  const put =
    question.for === 'decision'
      ? [asQuoted(question.message), question.by, question.allows, question.schema, question.input]
      : [];
  // What is not said is not bound either: the questions that were put before it could be said have the bindings that they had.
  const notBy = question.for === 'decision' && question.notBy !== undefined ? [question.notBy] : [];
  return sha256Hex(JSON.stringify([name, input, inputSchema, question.for, ...put, ...notBy]));
}

const hasEnded = (call: string): string => `Call ${call} has ended, and asks nobody any more.`;

const ALL: Wait<'decision'>['allows'] = ['approve', 'edit', 'reject', 'exit'];

function toPending(question: Question, { record, tool }: AskingCall): PendingQuestion {
  const { message, expires } = question;
  if (question.for === 'result') return { for: 'result', message, ...expiring(expires) };
  const { input, allows = ALL, schema = tool.inputSchema, credentials, by, notBy, checkpoint } = question;
  if (notBy !== undefined && notBy !== 'requester') throw new Error(notByWhom(notBy));
  return {
    for: 'decision',
    message,
    allows,
    schema,
    onExpiry: question.onExpiry ?? 'reject',
    ...(input !== undefined && !isSent(record, input) && { input }),
    ...(credentials && { credentials }),
    ...(by !== undefined && { by }),
    ...(notBy !== undefined && { notBy }),
    ...expiring(expires),
    ...(checkpoint !== undefined && { checkpoint }),
  };
}

const notByWhom = (notBy: never): string =>
  `A question has a notBy of '${String(notBy)}'; it must be 'requester'.`;

/** What the model sent is in the journal already. */
function isSent({ name, input: sent }: CallRecord, input: JsonObject): boolean {
  const parsed = parseToolInput(name, sent);
  return parsed.ok && JSON.stringify(parsed.input) === JSON.stringify(input);
}

/** JSON has no number for ever, and no time that is over before it began was meant. */
function expiring(expires: number | undefined): { readonly expires?: number } {
  if (expires === undefined) return {};
  if (Number.isFinite(expires) && expires > 0) return { expires };
  throw new Error(`A question cannot expire after ${expires} ms: leave expires out to wait for ever.`);
}

const notRunning = (tool: string): string =>
  `Tool '${tool}' asks with meanwhile: 'running' outside of run, where a call is suspended until the answer: leave meanwhile out.`;

const notSuspended = (tool: string): string =>
  `Tool '${tool}' asks while it runs, with a checkpoint, which only a call that is suspended has: leave it out.`;

const endless = (tool: string): string =>
  `Tool '${tool}' asks while it runs, and does not say for how long it waits: give expires, in ms.`;
