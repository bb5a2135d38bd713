/** Converts a turn to an A2A task. All functions in this file are pure. */
import type { ShownEvent, TurnStreamEnd } from '../../create-holdfast.ts';
import type { Artifact, Message, Part, Task, TaskState, TaskStatus } from './wire.ts';

type Answer = Extract<TurnStreamEnd, { readonly type: 'answer' }>['answer'];
type SuspendedView = Extract<TurnStreamEnd, { readonly type: 'suspended' }>['view'];
type LaterView = Extract<TurnStreamEnd, { readonly type: 'later' }>['view'];
export type PendingCall = SuspendedView['pending'][number];

export type TurnView = Answer | SuspendedView | (LaterView & { readonly outcome?: undefined });

/** Returns the URL of a session's file. */
export type FileUrls = (id: string) => string;

/** Returns the task id of a turn. Session ids cannot contain a `~`. */
export const toTaskId = ({ session, turn }: { readonly session: string; readonly turn: string }): string =>
  `${session}~${turn}`;

/** Parses the session and turn from a task id, or returns `undefined`. */
export function readTaskId(id: string): { readonly session: string; readonly turn: string } | undefined {
  const [session = '', turn = '', ...more] = id.split('~');
  return session === '' || turn === '' || more.length > 0 ? undefined : { session, turn };
}

export function toTask(standing: TurnView, files: FileUrls, history?: readonly Message[]): Task {
  const artifacts = standing.outcome === undefined ? [] : toArtifacts(standing, files);
  const answer = standing.outcome === undefined ? undefined : toAnswerArtifact(standing);
  return {
    id: toTaskId(standing),
    contextId: standing.session,
    status: toStatus(standing),
    artifacts: answer ? [answer, ...artifacts] : artifacts,
    ...(history && { history }),
    metadata: toMetadata(standing),
  };
}

/** Returns the data for which A2A has no property. */
export const toMetadata = (standing: TurnView) => ({
  holdfast: {
    ...('status' in standing && { status: standing.status }),
    ...(standing.outcome !== undefined && {
      outcome: standing.outcome,
      usage: {
        inputTokens: standing.usage.inputTokens,
        outputTokens: standing.usage.outputTokens,
      },
    }),
  },
});

const STATES: Readonly<Record<Answer['outcome'], TaskState>> = {
  completed: 'TASK_STATE_COMPLETED',
  'returned-direct': 'TASK_STATE_COMPLETED',
  'limit-reached': 'TASK_STATE_COMPLETED',
  cancelled: 'TASK_STATE_CANCELED',
  failed: 'TASK_STATE_FAILED',
};

export const isOver = ({ outcome }: TurnView): boolean => outcome !== undefined && outcome !== 'suspended';

export function toStatus(standing: TurnView): TaskStatus {
  if (standing.outcome === undefined) {
    const isWorking = standing.status === 'running';
    return { state: isWorking ? 'TASK_STATE_WORKING' : 'TASK_STATE_SUBMITTED' };
  }
  if (standing.outcome === 'suspended') {
    const parts = standing.pending.flatMap(createQuestionParts);
    return { state: 'TASK_STATE_INPUT_REQUIRED', message: createAgentMessage(standing, 'asks', parts) };
  }
  const { outcome, error } = standing;
  return {
    state: STATES[outcome],
    ...(error && { message: createAgentMessage(standing, 'error', [{ text: error.message }]) }),
  };
}

/** Formats a question as text for a person and as data for a program, with the format of an answer. */
function createQuestionParts(one: PendingCall): Part[] {
  const { call, question, tool, input, message, allows, schema, by, expiresAt } = one;
  const data = {
    call,
    ...(question > 1 && { question }),
    tool,
    input,
    for: one.for,
    message,
    ...(allows && { allows: [...allows] }),
    ...(schema && { schema: JSON.parse(JSON.stringify(schema)) }),
    ...(by !== undefined && { by }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  };
  return [{ text: message }, { data, mediaType: 'application/json' }];
}

/** Creates a message from the agent that is not part of its answer. */
export const createAgentMessage = (
  of: { readonly session: string; readonly turn: string },
  name: string,
  parts: readonly Part[],
): Message => ({
  messageId: `${toTaskId(of)}/${name}`,
  contextId: of.session,
  taskId: toTaskId(of),
  role: 'ROLE_AGENT',
  parts,
});

/** The id of the artifact that contains the answer. */
export const ANSWER = 'answer';

/** Returns the answer as an artifact, or `undefined` if it has no text and no object. */
export function toAnswerArtifact({ text, object }: Answer | SuspendedView): Artifact | undefined {
  const parts: Part[] = [
    ...(text === '' ? [] : [{ text }]),
    ...(object === undefined ? [] : [{ data: object, mediaType: 'application/json' }]),
  ];
  return parts.length > 0 ? { artifactId: ANSWER, name: ANSWER, parts } : undefined;
}

/** Returns the artifacts of calls, and the URLs of their files. */
export const toArtifacts = (
  { artifacts, files = [] }: Answer | SuspendedView,
  urls: FileUrls,
): Artifact[] => [
  ...artifacts.map(({ call, tool, type, value }, place) => ({
    artifactId: `${call}/artifact/${place}`,
    name: type ?? tool,
    parts: [{ data: value, mediaType: 'application/json' }],
  })),
  ...files.map(({ call, tool, id, mediaType, name }, place) => ({
    artifactId: `${call}/file/${place}`,
    name: name ?? tool,
    parts: [{ url: urls(id), mediaType, ...(name !== undefined && { filename: name }) }],
  })),
];

/** Returns the newest `length` messages of a turn. */
export function toHistory(
  events: readonly ShownEvent[],
  session: string,
  length = Number.POSITIVE_INFINITY,
): Message[] {
  const messages = events.flatMap((event): Message[] => {
    if (event.type === 'turn-started' || event.type === 'turn-steered') {
      const { turn, seq, message } = event;
      return [{ ...createAgentMessage({ session, turn }, `${seq}`, [{ text: message }]), role: 'ROLE_USER' }];
    }
    if (event.type === 'model-replied' && event.frame === undefined && event.text !== '')
      return [createAgentMessage({ session, turn: event.turn }, `${event.seq}`, [{ text: event.text }])];
    return [];
  });
  return messages.slice(Math.max(0, messages.length - length));
}
