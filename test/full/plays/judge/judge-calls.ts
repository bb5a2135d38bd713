import type { ToolName } from '../app/plan.ts';
import type { Effect } from '../play/outside.ts';
import type { CallStory, ReportedResult, TurnStory } from './story.ts';
import type { Finding } from './witness.ts';

const ONCE_TOOLS: readonly ToolName[] = [
  'once',
  'approved',
  'reconciled',
  'filed',
  'confirm',
  'ship',
  'prepare',
  'finish',
];
const IDEMPOTENT_TOOLS: readonly ToolName[] = ['idempotent', 'noted'];
const RECONCILED_TOOLS: readonly ToolName[] = [
  'reconciled',
  'approved',
  'confirm',
  'ship',
  'prepare',
  'finish',
];
/** Tools that fail as planned or are missing in a version. */
const FAILING_TOOLS: readonly ToolName[] = ['fails', 'legacy'];

const toFinding = (rule: string, { label, tool, id }: CallStory, what: string): Finding => ({
  rule,
  where: `${label} (${tool}, ${id})`,
  what,
});

/** The failures that are allowed in a play. */
interface Excuses {
  readonly mayTimeOut: boolean;
  readonly mayModelFail: boolean;
}

/** Checks that the results of each call match its effects. */
export function judgeCalls(
  turns: readonly TurnStory[],
  effects: readonly Effect[],
  excuses: Excuses,
): Finding[] {
  const byCall = Map.groupBy(effects, ({ call }) => call);
  return turns.flatMap((turn) => {
    const calls = [...turn.calls.values()];
    return [
      ...calls.flatMap((call) => judgeCall({ turn, call, excuses }, byCall.get(call.id) ?? [])),
      ...(excuses.mayTimeOut ? [] : calls.flatMap((call) => judgeDoubt(turn, call))),
    ];
  });
}

/** The calls in a session's journal. */
export interface SessionCalls {
  readonly session: string;
  readonly turns: readonly TurnStory[];
  /** The turns that were not copied from the session's source. */
  readonly own: readonly TurnStory[];
}

/**
 * Checks that every effect belongs to a call of its session under a unique key, and that an effect of a `once`
 * tool belongs to one call.
 */
export function judgeStrangers(sessions: readonly SessionCalls[], effects: readonly Effect[]): Finding[] {
  const bySession = new Map(sessions.map((one) => [one.session, collectCalls(one.own)]));
  const byLabel = Map.groupBy(effects, ({ label }) => label);
  const byKey = Map.groupBy(effects, ({ key }) => key);
  return [
    ...[...byLabel].flatMap(([label, all]) =>
      [...new Set(all.filter((one) => !bySession.get(one.session)?.has(one.call)).map(formatPlace))].map(
        (place) => ({
          rule: 'write-ahead',
          where: label,
          what: `It happened for ${place}, of no journal.`,
        }),
      ),
    ),
    ...[...byKey].flatMap(([key, all]) => {
      const places = [...new Set(all.map(formatPlace))];
      return places.length > 1
        ? [{ rule: 'key', where: key, what: `It is that of ${places.join(' and ')}.` }]
        : [];
    }),
    ...sessions.flatMap((one) => judgeDoubled(one, byLabel)),
  ];
}

const formatPlace = ({ call, session }: Effect): string => `${call} in ${session}`;

const collectCalls = (turns: readonly TurnStory[]): ReadonlyMap<string, CallStory> =>
  new Map(turns.flatMap(({ calls }) => [...calls]));

/**
 * Checks that no conversation contains a call twice, and that two calls did not cause the same `once` effect.
 */
function judgeDoubled(
  { session, turns, own }: SessionCalls,
  byLabel: ReadonlyMap<string, readonly Effect[]>,
): Finding[] {
  const [all, mine] = [collectCalls(turns), collectCalls(own)];
  return [...Map.groupBy(all.values(), ({ label }) => label)].flatMap(([label, calls]) => {
    if (calls.length === 1) return [];
    // A copied call was made by the source.
    const done = (byLabel.get(label) ?? []).filter(
      (one) => all.has(one.call) && mine.has(one.call) === (one.session === session),
    );
    const makers = [...new Set(done.map(formatPlace))];
    const isDoubled = calls.some(({ tool }) => ONCE_TOOLS.includes(tool)) && makers.length > 1;
    return [
      {
        rule: 'made twice',
        where: label,
        what: `${session} has the calls ${calls.map(({ id }) => id).join(', ')}.`,
      },
      ...(isDoubled
        ? [{ rule: 'doubled', where: label, what: `It happened for ${makers.join(' and ')}.` }]
        : []),
    ];
  });
}

/** A call with the data that is needed to judge it. */
interface JudgedCall {
  readonly turn: TurnStory;
  readonly call: CallStory;
  readonly excuses: Excuses;
}

function judgeCall({ turn, call, excuses }: JudgedCall, effects: readonly Effect[]): Finding[] {
  const [word] = call.told;
  const isOpen = call.told.length === 0 && turn.outcomes.length === 0;
  if (isOpen) return [];
  if (word === undefined || call.told.length > 1) {
    return [toFinding('ends once', call, `It has ended ${call.told.length} times: ${call.told.join(', ')}.`)];
  }
  return [
    ...judgeStart(call, effects),
    ...judgeCount(call, word, effects),
    ...judgeFailure({ turn, call, excuses }, word),
  ];
}

/** Checks that every effect has a recorded start. */
function judgeStart(call: CallStory, effects: readonly Effect[]): Finding[] {
  const keys = new Set(effects.map(({ key }) => key));
  if (keys.size > 1) return [toFinding('key', call, `It has used ${keys.size} keys.`)];
  return effects.length > 0 && !call.isStarted
    ? [toFinding('write-ahead', call, 'It happened, and its start is not in the journal.')]
    : [];
}

function judgeCount(call: CallStory, word: ReportedResult, effects: readonly Effect[]): Finding[] {
  const { tool } = call;
  const isIdempotent = IDEMPOTENT_TOOLS.includes(tool);
  if (!isIdempotent && !ONCE_TOOLS.includes(tool)) return [];
  const times = isIdempotent ? Math.min(1, effects.length) : effects.length;
  if (times > 1)
    return [toFinding('doubled', call, `It happened ${times} times, and the model was shown ${word}.`)];
  if (word === 'done' && times === 0)
    return [toFinding('shown without effect', call, 'The model was shown that it is done, and it is not.')];
  if ((word === 'not-run' || word === 'failed') && times > 0) {
    return [
      toFinding(
        'effect not shown',
        call,
        `The model was shown ${word} (${getResult(call)}), and it happened.`,
      ),
    ];
  }
  return [];
}

/**
 * Checks that a call fails only for a known reason: its tool fails as planned, the model of its loop failed, or
 * its unfolding tool was not called in its turn.
 */
function judgeFailure({ turn, call, excuses }: JudgedCall, word: ReportedResult): Finding[] {
  const result = getResult(call);
  const isByModel = excuses.mayModelFail && MODEL_FAILURE_TEXTS.some((words) => result.includes(words));
  const isNotOffered = DESK_TOOLS.includes(call.tool) && ![...turn.calls.values()].some(isDesk);
  const isExcused = FAILING_TOOLS.includes(call.tool) || isByModel || isNotOffered;
  return word === 'failed' && !isExcused ? [toFinding('failed', call, result)] : [];
}

const MODEL_FAILURE_TEXTS: readonly string[] = [
  'The provider returned 503.',
  "The model 'planned' was silent for ",
  'The stream broke off.',
];
const DESK_TOOLS: readonly ToolName[] = ['filed', 'noted'];
const isDesk = ({ tool, told }: CallStory): boolean => tool === 'desk' && told.includes('done');

/**
 * Checks that an unknown outcome has a reason: a holder died during the call, or the turn was cancelled. Used
 * if no call can time out.
 */
function judgeDoubt(turn: TurnStory, call: CallStory): Finding[] {
  const [word] = call.told;
  const isStopped = turn.isCancelled || turn.outcomes[0] === 'failed' || turn.outcomes[0] === 'cancelled';
  if (word !== 'unknown' || isStopped) return [];
  if (RECONCILED_TOOLS.includes(call.tool)) return [toFinding('in doubt', call, 'It can be found out.')];
  if (!ONCE_TOOLS.includes(call.tool)) return [toFinding('in doubt', call, 'It can be done again.')];
  return call.isTakenOver
    ? []
    : [toFinding('in doubt', call, `Nobody took over between its start and its end: ${getResult(call)}`)];
}

const getResult = ({ results }: CallStory): string => JSON.stringify(results.at(-1))?.slice(0, 300) ?? '';
