import type { StoredEvent } from '../../../../src/journal/entry.ts';

/** A call whose effect happened, but is not in a fork. */
export interface CutOffCall {
  readonly call: string;
  readonly label: string;
}

/**
 * Returns the calls with effects that started up to the event `until` and are missing or open in a fork at
 * `at`. Computed independently of the library, from the content of the fork.
 */
export function findCutOffCalls(
  events: readonly StoredEvent[],
  at: number,
  until: number,
): readonly CutOffCall[] {
  const labels = new Map<string, string>();
  const started = new Set<string>();
  const settled = new Set<string>();
  const turns = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'model-replied')
      for (const { id, input } of event.toolCalls) {
        labels.set(id, JSON.parse(input).label); // the input is from the planned model
        turns.set(id, event.turn);
      }
    const isEffect =
      event.type === 'tool-call-started' && (event.effect === 'once' || event.effect === 'idempotent');
    if (isEffect && event.seq <= until) started.add(event.call);
    if (event.seq > at) continue;
    if (event.type === 'tool-call-ended') settled.add(event.call);
    if (event.type === 'turn-ended')
      for (const [call, turn] of turns) if (turn === event.turn) settled.add(call);
  }
  return [...started].flatMap((call) => {
    const label = labels.get(call);
    return settled.has(call) || label === undefined ? [] : [{ call, label }];
  });
}
