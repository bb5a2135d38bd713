/** Parses AG-UI requests from unchecked JSON. */
import type { RunAgentInput } from '@ag-ui/client';
import type { CallAnswer, SentPart, SessionView } from '../../create-holdfast.ts';
import type { JsonObject } from '../../index.ts';
import { getInterruptId } from './run-end.ts';

type Message = RunAgentInput['messages'][number];
type PendingCall = SessionView['pending'][number];

export type RunAction =
  | {
      readonly type: 'send';
      readonly id: string;
      readonly parts: readonly SentPart[];
      /** `decline` if the message is sent instead of the pending results of client tools. */
      readonly pending?: 'decline' | undefined;
    }
  | { readonly type: 'answer'; readonly answers: readonly CallAnswer[] }
  /** A request without new input shows the thread and its running turn. */
  | { readonly type: 'show' };

/** Thrown for a request that cannot be fulfilled. */
export class RunInputError extends Error {}

/** Checks the properties of the body that this example uses. @throws RunInputError that names the problem. */
export function readRunInput(body: JsonObject): RunAgentInput {
  const { threadId, runId, messages, context: told, resume: answered } = body;
  // Some clients send null for omitted fields.
  const [context, resume] = [told ?? [], answered ?? []];
  const problems = [
    ...(typeof threadId === 'string' ? [] : ['threadId must be a string']),
    ...(typeof runId === 'string' ? [] : ['runId must be a string']),
    ...(isListOf(messages, isMessage) ? [] : ['messages must be a list of messages with id and role']),
    ...(isListOf(context, isContext) ? [] : ['context must be a list of { description, value }']),
    ...(isListOf(resume, isResume)
      ? []
      : ["resume must be a list of { interruptId, status: 'resolved' or 'cancelled' }"]),
  ];
  if (problems.length > 0)
    throw new RunInputError(`The body is not a valid RunAgentInput: ${problems.join('; ')}.`);
  return { ...body, context, resume } as unknown as RunAgentInput; // the used properties were just checked
}

const isListOf = (value: unknown, isOne: (one: Readonly<Record<string, unknown>>) => boolean): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null && isOne(one));
const isMessage = ({ id, role }: Readonly<Record<string, unknown>>) =>
  typeof id === 'string' && typeof role === 'string';
const isContext = ({ description, value }: Readonly<Record<string, unknown>>) =>
  typeof description === 'string' && typeof value === 'string';
const isResume = ({ interruptId, status }: Readonly<Record<string, unknown>>) =>
  typeof interruptId === 'string' && (status === 'resolved' || status === 'cancelled');

/**
 * Returns the action that a run requests from a session with these waiting calls. @throws RunInputError if
 * that action is impossible.
 */
export function toRunAction(
  { messages, resume = [] }: RunAgentInput,
  pending: readonly PendingCall[],
): RunAction {
  const last = messages.at(-1);
  const answers = [...readDecisions(resume, pending), ...readResults(messages, pending)];
  if (answers.length > 0) return { type: 'answer', answers };
  if (last?.role !== 'user') return { type: 'show' };
  const isLeft = pending.length > 0 && pending.every((one) => one.for === 'result');
  return { type: 'send', id: last.id, parts: readParts(last), ...(isLeft && { pending: 'decline' }) };
}

type Resume = NonNullable<RunAgentInput['resume']>[number];

function readDecisions(resume: readonly Resume[], pending: readonly PendingCall[]): CallAnswer[] {
  return resume.map((entry) => {
    const one = pending.find(
      (waiting) => waiting.for === 'decision' && getInterruptId(waiting) === entry.interruptId,
    );
    const [call = '', question] = (one ? getInterruptId(one) : entry.interruptId).split('?question=');
    return { call, ...(question !== undefined && { question: Number(question) }), ...toDecision(entry, one) };
  });
}

/** Only a plain yes approves: any other value must not run the tool. */
function toDecision({ interruptId: id, status, payload }: Resume, one: PendingCall | undefined) {
  if (status === 'cancelled') {
    const decision = one?.allows?.includes('exit') === false ? ('reject' as const) : ('exit' as const);
    return { decision };
  }
  const { approved, reason, input } = Object(payload);
  const said = typeof reason === 'string' ? { reason } : {};
  if (approved === false) return { decision: 'reject' as const, ...said };
  if (approved !== true)
    throw new RunInputError(
      `The payload for '${id}' must contain { approved: true } or { approved: false }.`,
    );
  return input === undefined
    ? { decision: 'approve' as const, ...said }
    : { decision: 'edit' as const, input, ...said };
}

/** Returns the results of client tools for calls that wait for them. */
function readResults(messages: readonly Message[], pending: readonly PendingCall[]): CallAnswer[] {
  const waiting = new Set(pending.flatMap((one) => (one.for === 'result' ? one.call : [])));
  return messages.flatMap((message) => {
    if (message.role !== 'tool' || !waiting.delete(message.toolCallId)) return [];
    const { toolCallId: call, error, content: said } = message;
    return [typeof error === 'string' ? { call, error } : { call, text: readText(said) }];
  });
}

function readText(said: unknown): string {
  if (typeof said === 'string') return said;
  const texts = Array.isArray(said) ? said.map((part) => Object(part).text) : [];
  if (texts.length === 0 || texts.some((text) => typeof text !== 'string'))
    throw new RunInputError('The result of a tool must be text.');
  return texts.join('\n');
}

/** Returns the text and files of a message, in order. */
function readParts({ content: said }: { readonly content?: unknown }): readonly SentPart[] {
  if (typeof said === 'string') return [{ type: 'text', text: said }];
  if (!Array.isArray(said))
    throw new RunInputError('The content of a message must be a string or a list of parts.');
  return said.map((part): SentPart => {
    const { type, text, source } = Object(part);
    if (type === 'text' && typeof text === 'string') return { type, text };
    const { type: from, value, mimeType: mediaType } = Object(type === 'binary' ? toSource(part) : source);
    if (typeof value !== 'string')
      throw new RunInputError(
        "A part of a message must be { type: 'text', text }, or a file with its { source }.",
      );
    if (from === 'data') return { type: 'file', mediaType, data: value };
    if (from === 'url') return { type: 'file', mediaType, url: value };
    throw new RunInputError('The source of a file must contain its data or its url.');
  });
}

/** Returns the source of a file in the format before AG-UI 1.0. */
const toSource = ({ mimeType, data, url }: Readonly<Record<string, unknown>>) =>
  data === undefined ? { type: 'url', value: url, mimeType } : { type: 'data', value: data, mimeType };
