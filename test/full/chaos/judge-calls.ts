import type { Execution } from '../../../src/examples/demo/counted-effects.ts';
import type { Homes } from './judge-messages.ts';
import type { Finding, Ledger } from './ledger.ts';
import type { CallStory, ReportedResult, TurnStory } from './story.ts';
import type { Plan } from './worker/plan.ts';

/** Groups executions by the label of their call. */
export function groupEffectsByLabel(
  executions: readonly Execution[],
): ReadonlyMap<string, readonly Execution[]> {
  return Map.groupBy(executions, ({ what }) => getLabel(what));
}

function getLabel(what: string): string {
  const { label }: { label: string } = JSON.parse(what); // the input of the chaos agent's tools
  return label;
}

/**
 * Checks that every planned call has one result and that its effect happened accordingly. Effects are counted
 * by label, so the same planned call under two keys is a violation.
 */
export function judgeCalls(ledger: Ledger, homes: Homes): Finding[] {
  const effects = groupEffectsByLabel(ledger.executions);
  const stories = [...new Set([...homes.values()].flat())];
  const calls = stories.flatMap((turn) => [...turn.calls.values()].map((call) => ({ turn, call })));
  const planned = ledger.sent.flatMap(({ errand }) => {
    const turns = homes.get(errand.plan.message) ?? [];
    return turns.slice(0, 1).flatMap((turn) => judgePlan(errand.plan, turn)); // `judgeMessages` reports a message with several turns
  });
  return [
    ...planned,
    ...calls.flatMap(({ turn, call }) => judgeCall(turn, call, effects.get(call.label) ?? [])),
    ...judgeKeys(ledger.executions, new Map(calls.map(({ call }) => [call.id, call]))),
  ];
}

const toFinding = (
  rule: string,
  { label, tool }: Pick<CallStory, 'label' | 'tool'>,
  what: string,
): Finding => ({
  rule,
  where: `${label} (${tool})`,
  what,
});

/** Checks that a completed turn made every call of its plan exactly once. */
function judgePlan({ steps }: Plan, turn: TurnStory): Finding[] {
  const made = [...turn.calls.values()].map(({ label }) => label);
  return steps.flat().flatMap((call) => {
    const times = made.filter((label) => label === call.label).length;
    if (times > 1) return toFinding('made twice', call, `Turn ${turn.turn} has ${times} calls of it.`);
    const isOwed = turn.outcomes[0] === 'completed' && times === 0;
    return isOwed ? toFinding('not made', call, `Turn ${turn.turn} was completed without it.`) : [];
  });
}

function judgeCall(turn: TurnStory, call: CallStory, effects: readonly Execution[]): Finding[] {
  const { told, tool } = call;
  const [word] = told;
  const isOpen = word === undefined && turn.outcomes.length === 0;
  if (isOpen && told.length === 0) return [];
  if (word === undefined || told.length > 1) {
    return [toFinding('told once', call, `The model was told ${told.length} times: ${told.join(', ')}.`)];
  }
  if (word === 'failed') return [toFinding('failed', call, 'No call of this run fails.')];
  if (tool === 'read')
    return word === 'unknown' ? [toFinding('unknown', call, 'A read is never in doubt.')] : [];
  return [...judgeCount(call, word, effects), ...judgeDoubt(turn, call, word)];
}

/**
 * Checks the number of effects against the result: `done` is exactly one effect under one key, `not-run` is
 * none, and `unknown` is at most one.
 */
function judgeCount(call: CallStory, word: ReportedResult, effects: readonly Execution[]): Finding[] {
  // An idempotent service recognizes the key: repeated requests with one key have one effect.
  const isKeyed = call.tool === 'idempotent';
  const times = isKeyed ? new Set(effects.map(({ key }) => key)).size : effects.length;
  if (times > 1) return [toFinding('doubled', call, `It happened ${times} times, and was told as ${word}.`)];
  if (word === 'done' && times === 0)
    return [toFinding('told without effect', call, 'Told as done, and it was not.')];
  if (word === 'not-run' && times > 0)
    return [toFinding('effect untold', call, 'Told as not run, and it was.')];
  return [];
}

/** Checks that an outcome is unknown only if a holder died during the call, or if the turn was cancelled. */
function judgeDoubt(turn: TurnStory, call: CallStory, word: ReportedResult): Finding[] {
  if (word !== 'unknown' || turn.cancelRequested || turn.outcomes[0] === 'failed') return [];
  const isAnswerable = call.tool === 'idempotent' || call.tool === 'reconciled';
  if (isAnswerable) return [toFinding('unknown', call, 'It could have been found out.')];
  return call.tookOver ? [] : [toFinding('unknown', call, 'Nothing happened between its start and its end.')];
}

/**
 * Checks that each call has one key, that each key has one call, and that every effect has a recorded start.
 */
function judgeKeys(executions: readonly Execution[], calls: ReadonlyMap<string, CallStory>): Finding[] {
  const keyOf = new Map(executions.map(({ call, key }) => [call, key]));
  const callOf = new Map(executions.map(({ call, key }) => [key, call]));
  return executions.flatMap(({ call, key, what }) => {
    const createFinding = (rule: string, words: string): Finding => ({
      rule,
      where: `${getLabel(what)} ${call}`,
      what: words,
    });
    if (key === '' || keyOf.get(call) !== key || callOf.get(key) !== call) {
      return createFinding('key', 'Its idempotency key is not its own.');
    }
    return calls.get(call)?.started
      ? []
      : createFinding('write-ahead', 'It happened, and its start is not in the journal.');
  });
}
