import { cannotBeStored } from './deliver.ts';
import { groupEffectsByLabel } from './judge-calls.ts';
import { collectHomes, computeDuration, type Homes, isAccepted, isLeftWaiting } from './judge-messages.ts';
import type { Ledger } from './ledger.ts';
import type { Reply } from './reply.ts';
import type { CallStory, ReportedResult } from './story.ts';
import type { ToolName } from './worker/plan.ts';

/** The calls and effects of one tool. */
export interface EffectFigures {
  readonly tool: ToolName;
  /** The calls by the outcome that the model received. */
  readonly told: Readonly<Record<ReportedResult, number>>;
  /** The effects that the counter has recorded. */
  readonly seen: number;
  /** Repeated executions of the same effect. For an idempotent tool, these have the same key. */
  readonly again: number;
  /** Calls with an unknown outcome whose effect happened. */
  readonly unknownSeen: number;
}

/** The results of a run. */
export interface Figures {
  readonly accepted: number;
  /**
   * The outcomes of turns, by message. `left waiting` counts turns whose sender does not decide. `given up` counts
   * turns that were abandoned after repeated take-overs without progress.
   */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Messages without a key whose connection broke, so it is unknown whether they arrived. */
  readonly uncertain: number;
  /** Messages that were never accepted, because their sessions were busy or the Worker was down. */
  readonly refused: number;
  /** Requests that found an existing turn of the same message. */
  readonly joined: number;
  /** Messages that had to wait for earlier ones. */
  readonly queued: number;
  /** Messages that a running turn accepted. */
  readonly steered: number;
  readonly tookOver: number;
  readonly effects: readonly EffectFigures[];
  /** The time from the last restart to the end of the last turn, in ms. 0 if all turns had ended before. */
  readonly last: number;
  /** The longest time that a turn took after the last restart or after the end of the previous turn, in ms. */
  readonly longest: number;
}

export function computeFigures(ledger: Ledger): Figures {
  const homes = collectHomes(ledger);
  const accepted = ledger.sent.filter(isAccepted);
  const turns = [...new Set([...homes.values()].flat())];
  const events = [...ledger.journals.values()].flat();
  return {
    accepted: accepted.length,
    outcomes: countWords(accepted.map((sent) => getOutcome(sent, homes))),
    uncertain: ledger.sent.filter((sent) => !isAccepted(sent) && !cannotBeStored(sent)).length,
    refused: ledger.sent.filter(cannotBeStored).length,
    joined: countJoined(ledger, homes),
    queued: ledger.sent.filter(({ replies }) => replies.some(isQueued)).length,
    steered: events.filter(({ type }) => type === 'turn-steered').length,
    tookOver: events.filter((event) => event.type === 'turn-resumed' && event.cause === 'expired').length,
    effects: TOOLS.map((tool) =>
      computeEffectFigures(
        ledger,
        tool,
        turns.flatMap((turn) => [...turn.calls.values()]).filter((call) => call.tool === tool),
      ),
    ),
    last: Math.max(0, ...turns.map(({ endedAt }) => endedAt - ledger.restartedAt)),
    longest: Math.max(
      0,
      ...turns
        .filter(({ endedAt }) => endedAt > ledger.restartedAt)
        .map((turn) => computeDuration(ledger, turn)),
    ),
  };
}

const TOOLS: readonly ToolName[] = ['read', 'idempotent', 'once', 'reconciled', 'approved'];

function getOutcome(sent: Ledger['sent'][number], homes: Homes): string {
  const [turn] = homes.get(sent.errand.plan.message) ?? [];
  if (turn?.error?.type === 'stuck') return 'given up';
  return turn?.outcomes[0] ?? (turn && isLeftWaiting(sent, turn) ? 'left waiting' : 'none');
}

const isQueued = (reply: Reply): boolean => reply.came === 'accepted' && reply.status === 'queued';

/** Counts requests that were answered from a turn that had already started. */
function countJoined({ sent }: Ledger, homes: Homes): number {
  return sent
    .filter(({ errand }) => errand.keyed)
    .map(({ errand, replies }) => {
      const started = homes.get(errand.plan.message)?.[0]?.startedAt ?? Number.POSITIVE_INFINITY;
      return replies.filter((reply) => reply.to === 'message' && 'turn' in reply && reply.sentAt > started)
        .length;
    })
    .reduce((sum, one) => sum + one, 0);
}

function computeEffectFigures(ledger: Ledger, tool: ToolName, calls: readonly CallStory[]): EffectFigures {
  const effects = groupEffectsByLabel(ledger.executions);
  const countTimes = ({ label }: CallStory): number => effects.get(label)?.length ?? 0;
  const told = countWords(calls.flatMap((call) => call.told));
  const { done = 0, unknown = 0, failed = 0 } = told;
  return {
    tool,
    told: { done, unknown, failed, 'not-run': told['not-run'] ?? 0 },
    seen: calls.filter((call) => countTimes(call) > 0).length,
    again: calls.reduce((sum, call) => sum + Math.max(0, countTimes(call) - 1), 0),
    unknownSeen: calls.filter((call) => call.told[0] === 'unknown' && countTimes(call) > 0).length,
  };
}

function countWords(words: readonly string[]): Record<string, number> {
  const counts = Object.groupBy(words, (word) => word);
  return Object.fromEntries(Object.entries(counts).map(([word, list]) => [word, list?.length ?? 0]));
}
