/** Computes the numbers in the header of a session from its journal. */
import type { StoredEvent } from '../../../../journal/events.ts';
import type { SessionViewProps } from '../data/session-store.ts';
import { compact, counted, dollars } from '../ui/format.ts';
import { Badge } from '../ui/parts.tsx';

export function SessionSummary({ store }: SessionViewProps) {
  const { value: length } = store.length;
  if (length === 0) return null;
  const { tokens, cost, status } = summaryOf(store.events);
  return (
    <p class="summary">
      {status}
      <span>{counted(length, 'event')}</span>
      <span>{compact(tokens)} tokens</span>
      {cost !== undefined && <span>{dollars(cost)}</span>}
    </p>
  );
}

function summaryOf(events: readonly StoredEvent[]) {
  let tokens = 0;
  let cost: number | undefined;
  for (const event of events) {
    if (!('usage' in event) || !event.usage) continue;
    tokens += event.usage.inputTokens + event.usage.outputTokens;
    if (event.usage.cost !== undefined) cost = (cost ?? 0) + event.usage.cost;
  }
  return { tokens, cost, status: statusOf(events) };
}

/** Returns the status of the last turn. */
function statusOf(events: readonly StoredEvent[]) {
  const last = events.findLast(({ type }) => type in STATUS);
  if (!last) return null;
  if (last.type === 'turn-ended') {
    const { outcome } = last;
    return (
      <Badge tone={outcome === 'failed' ? 'bad' : outcome === 'completed' ? 'good' : 'plain'}>
        {outcome}
      </Badge>
    );
  }
  return last.type === 'tool-call-suspended' ? (
    <Badge tone="warn">waiting</Badge>
  ) : (
    <Badge tone="accent">running</Badge>
  );
}

/** The events that change the status of a turn. */
const STATUS: Readonly<Record<string, true>> = {
  'turn-started': true,
  'turn-resumed': true,
  'turn-ended': true,
  'model-replied': true,
  'tool-call-suspended': true,
  'tool-call-answered': true,
  'tool-call-ended': true,
};
