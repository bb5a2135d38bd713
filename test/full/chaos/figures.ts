import { cannotBeThere } from './deliver.ts';
import { effectsByLabel } from './judge-calls.ts';
import { type Homes, homesOf, isAccepted, isLeft, tookSince } from './judge-messages.ts';
import type { Ledger } from './ledger.ts';
import type { Reply } from './reply.ts';
import type { CallStory, Told } from './story.ts';
import type { ToolName } from './worker/plan.ts';

/** The calls and effects of one tool. */
export interface EffectFigures {
  readonly tool: ToolName;
  /** Calls by the outcome that the model received. */
  readonly told: Readonly<Record<Told, number>>;
  /** Things that happened, as the counter knows them. */
  readonly seen: number;
  /** Executions of something that had happened before; for an idempotent tool, under the same key. */
  readonly again: number;
  /** The calls with an unknown outcome that did happen. */
  readonly unknownSeen: number;
}

/** The results of a run. */
export interface Figures {
  readonly accepted: number;
  /**
   * Turns' ends, by message; `left waiting` where nobody was to decide, `given up` where one was taken over again and again
   * without progress.
   */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Messages without a key whose connection broke, so that their arrival is unknown. */
  readonly uncertain: number;
  /** Messages that were never accepted, because their sessions were busy or the Worker was down. */
  readonly refused: number;
  /** Requests that found the turn of the same message there. */
  readonly joined: number;
  /** Messages that had to wait for earlier ones. */
  readonly queued: number;
  /** Messages that a running turn has taken in. */
  readonly steered: number;
  readonly tookOver: number;
  readonly effects: readonly EffectFigures[];
  /** From the last restart to the last end, in ms; 0 when everything had ended before. */
  readonly last: number;
  /** The most that one turn took from then on, or from the end of the turn that it had to wait for, in ms. */
  readonly longest: number;
}

export function figuresOf(ledger: Ledger): Figures {
  const homes = homesOf(ledger);
  const accepted = ledger.sent.filter(isAccepted);
  const turns = [...new Set([...homes.values()].flat())];
  const events = [...ledger.journals.values()].flat();
  return {
    accepted: accepted.length,
    outcomes: count(accepted.map((sent) => outcomeOf(sent, homes))),
    uncertain: ledger.sent.filter((sent) => !isAccepted(sent) && !cannotBeThere(sent)).length,
    refused: ledger.sent.filter(cannotBeThere).length,
    joined: joinedIn(ledger, homes),
    queued: ledger.sent.filter(({ replies }) => replies.some(isQueued)).length,
    steered: events.filter(({ type }) => type === 'turn-steered').length,
    tookOver: events.filter((event) => event.type === 'turn-resumed' && event.cause === 'expired').length,
    effects: TOOLS.map((tool) =>
      effectsOf(
        ledger,
        tool,
        turns.flatMap((turn) => [...turn.calls.values()]).filter((call) => call.tool === tool),
      ),
    ),
    last: Math.max(0, ...turns.map(({ endedAt }) => endedAt - ledger.restartedAt)),
    longest: Math.max(
      0,
      ...turns.filter(({ endedAt }) => endedAt > ledger.restartedAt).map((turn) => tookSince(ledger, turn)),
    ),
  };
}

const TOOLS: readonly ToolName[] = ['read', 'idempotent', 'once', 'reconciled', 'approved'];

function outcomeOf(sent: Ledger['sent'][number], homes: Homes): string {
  const [turn] = homes.get(sent.errand.plan.message) ?? [];
  if (turn?.error?.type === 'stuck') return 'given up';
  return turn?.outcomes[0] ?? (turn && isLeft(sent, turn) ? 'left waiting' : 'none');
}

const isQueued = (reply: Reply): boolean => reply.came === 'accepted' && reply.status === 'queued';

/** Requests that were answered from a turn which had started before they were sent. */
function joinedIn({ sent }: Ledger, homes: Homes): number {
  return sent
    .filter(({ errand }) => errand.keyed)
    .map(({ errand, replies }) => {
      const started = homes.get(errand.plan.message)?.[0]?.startedAt ?? Number.POSITIVE_INFINITY;
      return replies.filter((reply) => reply.to === 'message' && 'turn' in reply && reply.sentAt > started)
        .length;
    })
    .reduce((sum, one) => sum + one, 0);
}

function effectsOf(ledger: Ledger, tool: ToolName, calls: readonly CallStory[]): EffectFigures {
  const effects = effectsByLabel(ledger.executions);
  const times = ({ label }: CallStory): number => effects.get(label)?.length ?? 0;
  const told = count(calls.flatMap((call) => call.told));
  const { done = 0, unknown = 0, failed = 0 } = told;
  return {
    tool,
    told: { done, unknown, failed, 'not-run': told['not-run'] ?? 0 },
    seen: calls.filter((call) => times(call) > 0).length,
    again: calls.reduce((sum, call) => sum + Math.max(0, times(call) - 1), 0),
    unknownSeen: calls.filter((call) => call.told[0] === 'unknown' && times(call) > 0).length,
  };
}

function count(words: readonly string[]): Record<string, number> {
  const counts = Object.groupBy(words, (word) => word);
  return Object.fromEntries(Object.entries(counts).map(([word, list]) => [word, list?.length ?? 0]));
}
