/** Computes the numbers in the header of a session from its journal. */
import { useMemo } from 'preact/hooks';
import type { StoredEvent } from '../../../../journal/events.ts';
import { toConversation } from '../chat/conversation.ts';
import type { SessionViewProps } from '../data/session-store.ts';
import { formatCompact, formatCount, formatDollars } from '../ui/format.ts';
import { Badge } from '../ui/parts.tsx';

export function SessionSummary({ store }: SessionViewProps) {
  const { value: length } = store.length;
  if (length === 0) return null;
  const { tokens, cost, status } = useMemo(() => summarizeSession(store.events), [length]);
  return (
    <p class="summary">
      {status}
      <span>{formatCount(length, 'event')}</span>
      <span>{formatCompact(tokens)} tokens</span>
      {cost !== undefined && <span>{formatDollars(cost)}</span>}
    </p>
  );
}

function summarizeSession(events: readonly StoredEvent[]) {
  let tokens = 0;
  let cost: number | undefined;
  for (const event of events) {
    if (!('usage' in event) || !event.usage) continue;
    tokens += event.usage.inputTokens + event.usage.outputTokens;
    if (event.usage.cost !== undefined) cost = (cost ?? 0) + event.usage.cost;
  }
  return { tokens, cost, status: getStatus(events) };
}

function getStatus(events: readonly StoredEvent[]) {
  const { openTurn, isWaiting } = toConversation(events);
  if (openTurn !== undefined)
    return <Badge tone={isWaiting ? 'warn' : 'accent'}>{isWaiting ? 'waiting' : 'running'}</Badge>;
  const last = events.findLast((event) => event.type === 'turn-ended');
  if (!last) return null;
  const { outcome } = last;
  return (
    <Badge tone={outcome === 'failed' ? 'bad' : outcome === 'completed' ? 'good' : 'plain'}>{outcome}</Badge>
  );
}
