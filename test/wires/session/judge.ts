/** Compares a session with the scripts of its models. */
import type { SessionEvent } from '../../../src/journal/entry.ts';
import { formatCanonicalJson, listReplies, type ScriptedReply } from '../wire.ts';
import type { Effect } from './agent.ts';
import { listServers, type Servers } from './changes.ts';
import { findDifferences } from './differences.ts';
import { findLostFiles } from './judge-files.ts';
import type { Change } from './names.ts';
import { MESSAGES, SCRIPTS } from './script.ts';
import type { WireName } from './servers.ts';

/** The data of a session whose turns have ended. */
export interface PlayedSession {
  readonly wire: WireName;
  readonly change?: Change;
  readonly events: readonly SessionEvent[];
  /** The text of each turn's answer, as its client received it. */
  readonly answers: readonly string[];
  readonly effects: readonly Effect[];
  readonly servers: Servers;
}

export interface Verdict {
  readonly requests: number;
  /** The message of each refusal. */
  readonly refused: readonly string[];
  /** The missing and unexpected items, one line each. */
  readonly lost: readonly string[];
  /** Calls with too many effects, too few effects, or an unreported outcome. */
  readonly miscounted: readonly string[];
  readonly calls: number;
  readonly executions: number;
  /** The number of calls of `once` tools whose outcome the model received as unknown. */
  readonly unknown: number;
}

/** The effect of each tool. Tools that are not listed only make other tools available. */
const TOOL_EFFECTS: Readonly<Record<string, 'read' | 'idempotent' | 'once'>> = {
  ...{ look: 'read', shot: 'read', read_file: 'read', search: 'read', status: 'read' },
  ...{ save: 'idempotent', write_file: 'idempotent', analyze: 'idempotent' },
  ...{ add: 'idempotent', confirm: 'idempotent', ship: 'idempotent' },
  ...{ pay: 'once', report: 'once' },
};

type EventOf<Type> = Extract<SessionEvent, { readonly type: Type }>;
type ReplyEvent = EventOf<'model-replied'>;

/** A call in the journal. */
interface CalledTool {
  readonly id: string;
  readonly name: string;
}

export async function judge(played: PlayedSession): Promise<Verdict> {
  const { wire, change, events, answers, effects, servers } = played;
  const getEvents = <Type extends SessionEvent['type']>(type: Type): EventOf<Type>[] =>
    events.filter((event): event is EventOf<Type> => event.type === type);
  const replies = getEvents('model-replied');
  const ends = getEvents('tool-call-ended');
  const calls = replies.flatMap(({ toolCalls }) => toolCalls);
  const unknown = new Set(ends.filter(isUnknown).map(({ call }) => call));
  const all = listServers(servers);
  const refused = all.flatMap(([name, server]) => server.refused.map(({ message }) => `${name}: ${message}`));
  return {
    requests: all.reduce((sum, [, { requests }]) => sum + requests.length, 0),
    refused,
    lost: [
      ...findDifferences(
        'messages',
        MESSAGES,
        getEvents('turn-started').map(({ message }) => message),
      ),
      ...findDifferences(
        'outcomes',
        MESSAGES.map(() => 'completed'),
        getEvents('turn-ended').map(describeOutcome),
      ),
      ...findDifferences(
        'answers',
        SCRIPTS.main.turns.map(({ answer }) => answer),
        answers,
      ),
      ...findLostReplies(replies, getEvents('frame-started')),
      ...calls.flatMap(({ id, name }) =>
        findLostEnd(
          name,
          ends.filter(({ call }) => call === id),
        ),
      ),
      // Skips the file check if the model changes, because the requests of both models contain the files.
      ...(change ? findMissingChange(change, replies) : await findLostFiles({ wire, events, servers })),
    ],
    miscounted: [
      ...calls.flatMap((call) =>
        findMiscounted(
          call,
          effects.filter((effect) => isRunOf(effect, call)),
          unknown.has(call.id),
        ),
      ),
      ...effects.filter((effect) => !calls.some((call) => isRunOf(effect, call))).flatMap(describeStrayRun),
    ],
    calls: calls.length,
    executions: effects.length,
    unknown: unknown.size,
  };
}

/**
 * Returns `true` if an execution belongs to a call. A call that was never stored may have had the same id.
 */
const isRunOf = ({ call, tool }: Effect, { id, name }: CalledTool): boolean => call === id && tool === name;

const describeOutcome = ({ outcome, error }: EventOf<'turn-ended'>): string =>
  error ? `${outcome}: ${error.message}` : outcome;

const isUnknown = ({ result }: EventOf<'tool-call-ended'>): boolean =>
  result.type === 'error' && result.reason === 'unknown-outcome';

/**
 * Returns a finding for an execution without a journaled call. Only reads may run before their reply is stored.
 */
const describeStrayRun = ({ tool, call }: Effect): string[] =>
  TOOL_EFFECTS[tool] === 'read' ? [] : [`${tool} (${call}) ran for a call that is not in the journal`];

/**
 * Compares the replies of the main loops and of each nested loop with the scripts, including their order and
 * parts.
 */
function findLostReplies(
  replies: readonly ReplyEvent[],
  frames: readonly EventOf<'frame-started'>[],
): string[] {
  const expected = SCRIPTS.main.turns.flatMap(({ steps }) => steps.flatMap(({ calls }) => calls));
  const own = replies.filter(({ frame }) => frame === undefined);
  return [
    ...findDifferences(
      'replies',
      listReplies(SCRIPTS.main).map(canonicalizeScript),
      own.map(canonicalizeReply),
    ),
    ...(['research', 'order'] as const).flatMap((loop) => {
      const opened = frames.filter(({ name }) => name === loop);
      const count = expected.filter(({ name }) => name === loop).length;
      return [
        ...findDifferences(`loops of ${loop}`, [String(count)], [String(opened.length)]),
        ...opened.flatMap((one) => {
          const inside = replies.filter(({ frame }) => frame === one.frame);
          return findDifferences(
            `replies in ${loop}`,
            listReplies(SCRIPTS[loop]).map(canonicalizeScript),
            inside.map(canonicalizeReply),
          );
        }),
      ];
    }),
  ];
}

const canonicalizeScript = ({ text, calls }: ScriptedReply): string =>
  formatCanonicalJson([text, calls.map(({ name, input }) => [name, input])]);

const canonicalizeReply = ({ text, toolCalls }: ReplyEvent): string =>
  formatCanonicalJson([text, toolCalls.map(({ name, input }) => [name, JSON.parse(input)])]);

/** The minimum number of take-overs of the main loop by another model, according to its events. */
const MIN_TAKE_OVERS: Readonly<Record<Change, number>> = { fallback: 1, flap: 2, upgrade: 1 };

function findMissingChange(change: Change, replies: readonly ReplyEvent[]): string[] {
  const told = replies.filter(({ frame, tookOver }) => frame === undefined && tookOver).length;
  const least = MIN_TAKE_OVERS[change];
  return told >= least ? [] : [`a model took over ${told} times, and ${least} times at least were expected`];
}

/** Checks that each call ends once: with success, or with an unknown outcome for a `once` tool. */
function findLostEnd(tool: string, ends: readonly EventOf<'tool-call-ended'>[]): string[] {
  const [end, ...more] = ends;
  if (!end || more.length > 0) return [`a call of ${tool} ended ${ends.length} times`];
  const { result } = end;
  if (result.type !== 'error' || (isUnknown(end) && TOOL_EFFECTS[tool] === 'once')) return [];
  return [`a call of ${tool} failed: ${result.message}`];
}

/** Returns the problems with the number of executions of a call. */
function findMiscounted({ id, name }: CalledTool, runs: readonly Effect[], isInDoubt: boolean): string[] {
  const keys = new Set(runs.map(({ key }) => key));
  const told = `${name} (${id}) ran ${runs.length} times`;
  const care = TOOL_EFFECTS[name];
  if (care === undefined) return runs.length === 0 ? [] : [told];
  switch (care) {
    case 'read':
      return runs.length > 0 ? [] : [told];
    case 'idempotent':
      return keys.size === 1 ? [] : [`${told} under ${keys.size} keys`];
    case 'once':
      return runs.length === 1 || (runs.length === 0 && isInDoubt) ? [] : [told];
  }
}
