import { type AskingCall, type AskOutside, askedOtherwise } from '../../journal/asking.ts';
import { pendingWait } from '../../journal/conversation.ts';
import type { CallRecord } from '../../journal/state.ts';
import type { Answer, DecisionWait, ResultWait, Wait } from '../../journal/wait.ts';
import { sha256Hex, untilAborted } from '../../tool/async.ts';
import type { Decision, DecisionRequest } from '../../tool/call.ts';
import { parseToolInput } from '../../tool/check-input.ts';
import { asQuoted } from '../../tool/fence.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { toolResult } from '../../tool/tool-result.ts';
import { visible } from '../../tool/visible.ts';

/** Answers what this call may ask, in the form that its tool knows. */
export function questionsOfCall(call: AskingCall): AskOutside {
  const { record } = call;
  const questions = callQuestions(call);

  async function decision(request: DecisionRequest, meanwhile: Meanwhile): Promise<Decision> {
    const answer = await questions.answerTo(toQuestion(request, call), meanwhile);
    if (answer.type === 'decision') return answer;
    throw new Error(`Call ${record.id} was sent a result where a decision was asked for.`);
  }

  const asking: Omit<AskOutside, keyof CallQuestions> = {
    decide: (request) => decision(request, 'suspended'),
    async decideWhileRunning(request) {
      // The type says so; without one, the call would wait for as long as it may run.
      if (request.expires === undefined) throw new Error(endless(record.name));
      // Code without types may: killed, the call would be run again as one that had not begun.
      if ('checkpoint' in request && request.checkpoint !== undefined)
        throw new Error(notSuspended(record.name));
      return decision(request, 'running');
    },
    async receive({ message, expires }) {
      const answer = await questions.answerTo({ for: 'result', message, ...expiring(expires) }, 'suspended');
      if (answer.type === 'result') return toolResult(answer.result);
      throw new Error(`Call ${record.id} was sent a decision where a result was asked for.`);
    },
  };
  return Object.assign(questions, asking);
}

/** A question as a call puts it; what its answer is given for is added. */
type PendingQuestion = Omit<DecisionWait, 'binding'> | Omit<ResultWait, 'binding'>;

/** What becomes of a call until it is answered. */
type Meanwhile = 'suspended' | 'running';

/** The questions of one call. They are told apart by their order, which is the same every time the call begins. */
interface CallQuestions extends Pick<AskOutside, 'checkpoint' | 'hasRun'> {
  asked: number;
  /**
   * What the next question is answered, now or by an earlier holder.
   *
   * @throws Interrupted when the call is suspended until then; Error when nobody can answer, or another question was put.
   */
  answerTo(put: PendingQuestion, meanwhile: Meanwhile): Promise<Answer>;
}

/** Puts the questions of this call, and finds those that it has put before. */
function callQuestions(call: AskingCall): CallQuestions {
  const { record, tool, signal } = call;
  let isOver = false;
  const over = Promise.withResolvers<void>();

  /** Waits its turn among the call's questions, puts it, and waits for the answer. @throws what ends the call before. */
  async function answered(index: number, wait: Wait): Promise<Answer> {
    for (;;) {
      const answer = given(record, index, wait);
      if (answer) return answer;
      if (record.ended || isOver) throw new Error(hasEnded(record.id));
      if (!pendingWait(record) && (record.waits?.length ?? 0) === index) call.suspend(wait);
      await untilAborted(signal, Promise.race([call.changed(), over.promise]));
    }
  }

  const questions: CallQuestions = {
    asked: 0,
    async answerTo(put, meanwhile) {
      const clean = call.secrets.redact(put);
      const question = { ...clean, message: visible(clean.message) };
      const index = questions.asked;
      questions.asked += 1;
      const wait: Wait = { ...question, binding: await bindingOf(record, tool, question) };
      if (signal.aborted) throw signal.reason;
      const answer = given(record, index, wait);
      if (answer) return answer;
      if (meanwhile === 'running') return answered(index, wait);
      if (record.ended) throw new Error(hasEnded(record.id));
      // One question at a time: asked together, only the last of them could be answered.
      throw call.suspend(pendingWait(record) ? undefined : wait);
    },
    checkpoint() {
      const before = record.waits?.[questions.asked]?.wait;
      return before?.for === 'decision' ? structuredClone(before.checkpoint) : undefined;
    },
    hasRun() {
      isOver = true;
      over.resolve();
    },
  };
  return questions;
}

/** What the question of this number was answered. @throws Error when that was for another one. */
function given({ name, waits }: CallRecord, index: number, { binding }: Wait): Answer | undefined {
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

const ALL: DecisionWait['allows'] = ['approve', 'edit', 'reject', 'exit'];

function toQuestion(request: DecisionRequest, { record, tool }: AskingCall): PendingQuestion {
  const {
    message,
    input,
    allows = ALL,
    schema = tool.inputSchema,
    credentials,
    by,
    notBy,
    expires,
    checkpoint,
  } = request;
  if (notBy !== undefined && notBy !== 'requester') throw new Error(notByWhom(notBy));
  return {
    for: 'decision',
    message,
    allows,
    schema,
    onExpiry: request.onExpiry ?? 'reject',
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

const notSuspended = (tool: string): string =>
  `Tool '${tool}' asks while it runs, with a checkpoint, which only a call that is suspended has: leave it out.`;

const endless = (tool: string): string =>
  `Tool '${tool}' asks while it runs, and does not say for how long it waits: give expires, in ms.`;
