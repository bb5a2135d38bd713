import { type Answer, type DecisionWait, inFrame, type ResultWait, type Wait } from '../journal/events.ts';
import { type CallRecord, pendingWait } from '../journal/state.ts';
import { sha256Hex } from '../tools/sha256.ts';
import type { AnyTool } from '../tools/tool.ts';
import { untilAborted } from '../tools/until-aborted.ts';
import { Interrupted } from './interrupted.ts';
import type { Loop } from './loop.ts';

/** A question as a call puts it; what its answer is given for is added. */
export type Asked = Omit<DecisionWait, 'binding'> | Omit<ResultWait, 'binding'>;

/** What becomes of a call until it is answered. */
export type Meanwhile = 'suspended' | 'running';

/** The questions of one call. They are told apart by their order, which is the same every time the call begins. */
export interface CallQuestions {
  /**
   * What the next question is answered, now or by an earlier invocation.
   *
   * @throws Interrupted when the call is suspended until then; Error when nobody can answer, or another question was put.
   */
  answerTo(put: Asked, meanwhile: Meanwhile): Promise<Answer>;
  /** `run` is over, or was left: what it still asks while it runs is not put any more. */
  hasRun(): void;
  /** @throws Error when what the call asked before is no longer asked: its answer was for something else. */
  assertAsked(): void;
}

/** How often a running call looks whether it was answered, in ms: whoever holds the session folds what comes. */
const LOOK_EVERY = 50;

/** Puts the questions of this call, and finds those that it has put before. */
export function callQuestions(loop: Loop, record: CallRecord, tool: AnyTool): CallQuestions {
  const { turn, frame, invocation } = loop;
  let asked = 0;
  let isOver = false;

  const suspend = (wait: Wait): void =>
    loop.journal.emit({ type: 'tool-call-suspended', turn, ...inFrame(frame), call: record.id, wait });

  /** Waits its turn among the call's questions, puts it, and waits for the answer. @throws what ends the call before. */
  async function answered(index: number, wait: Wait): Promise<Answer> {
    for (;;) {
      const answer = given(record, index, wait);
      if (answer) return answer;
      if (record.ended || isOver) throw new Error(hasEnded(record.id));
      if (!pendingWait(record) && (record.waits?.length ?? 0) === index) suspend(wait);
      const look = Promise.withResolvers<void>();
      const cancel = invocation.after(LOOK_EVERY, look.resolve);
      await untilAborted(invocation.signal, look.promise).finally(cancel);
    }
  }

  return {
    async answerTo(put, meanwhile) {
      const question = loop.secrets.redact(put);
      const index = asked;
      asked += 1;
      const wait: Wait = { ...question, binding: await bindingOf(record, tool, question) };
      if (invocation.signal.aborted) throw invocation.signal.reason;
      const answer = given(record, index, wait);
      if (answer) return answer;
      if (!loop.inSession) throw new Error(nobodyToAsk(record.name));
      if (meanwhile === 'running') return answered(index, wait);
      if (record.ended) throw new Error(hasEnded(record.id));
      // One question at a time: asked together, only the last of them could be answered.
      if (!pendingWait(record)) suspend(wait);
      throw new Interrupted('suspended', `Call ${record.id} waits for an answer.`);
    },
    hasRun() {
      isOver = true;
    },
    assertAsked() {
      const goesOn = record.started !== undefined || loop.journal.state.turn?.frames.has(record.id);
      if (!goesOn && asked < (record.waits?.length ?? 0)) throw new Error(changed(record.name));
    },
  };
}

/** What the question of this number was answered. @throws Error when that was for another one. */
function given({ name, waits }: CallRecord, index: number, { binding }: Wait): Answer | undefined {
  const { wait, answer } = waits?.[index] ?? {};
  // What the caller has run is not undone by a change of the tool.
  const isVoid = answer?.type === 'decision' && wait?.binding !== binding;
  if (isVoid) throw new Error(changed(name));
  return structuredClone(answer);
}

/**
 * What an answer is given for: the same call of a tool that has become another one, or a question that is put to
 * somebody else, is not the same question.
 */
export function bindingOf(
  { name, input }: Pick<CallRecord, 'name' | 'input'>,
  { inputSchema }: Pick<AnyTool, 'inputSchema'>,
  question: Asked | Wait,
): Promise<string> {
  const put =
    question.for === 'decision'
      ? [question.message, question.by, question.allows, question.schema, question.input]
      : [];
  return sha256Hex(JSON.stringify([name, input, inputSchema, question.for, ...put]));
}

const hasEnded = (call: string): string => `Call ${call} has ended, and asks nobody any more.`;

const nobodyToAsk = (tool: string): string =>
  `Tool '${tool}' asks somebody outside, and only a session can wait for the answer: give the tool to an agent.`;

const changed = (tool: string): string =>
  `Tool '${tool}' has changed since this was asked, so what was decided does not hold for it. Call it again to ask again.`;
