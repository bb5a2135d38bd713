/** Shows one turn as a waterfall, live while it runs. A click on a row opens its event. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { TurnTimeline } from '../../../timeline/timeline.ts';
import { createTimeline } from '../../../timeline/timeline-of.ts';
import type { SessionViewProps } from '../data/session-store.ts';
import { EventDetail } from '../journal/event-detail.tsx';
import { place, setQuery } from '../shell/router.ts';
import { formatCompact, formatDateTime, formatDollars, formatDuration } from '../ui/format.ts';
import { Badge, Empty } from '../ui/parts.tsx';
import { Line } from '../ui/words.tsx';
import { listTurns, TurnPicker } from './turn-picker.tsx';
import { toRows } from './turn-rows.ts';
import { Waterfall } from './waterfall.tsx';

export function TurnView({ store }: SessionViewProps) {
  const { value: length } = store.length;
  const { query } = place.value;
  const turns = useMemo(() => listTurns(store.events), [length]);
  const opened = Number(query.event);
  const event = store.events.find(({ seq }) => seq === opened);
  const ofEvent = event && 'turn' in event ? event.turn : undefined;
  const chosen = turns.find(({ turn }) => turn === (query.turn ?? ofEvent)) ?? turns.at(-1);
  const timeline = useMemo(() => chosen && createTimeline(store.events, chosen.turn), [chosen?.turn, length]);
  if (!chosen || !timeline)
    return <Empty title="No turn yet">The first message of this session starts one.</Empty>;
  return (
    <div class={event ? 'split has-detail' : 'split'}>
      <div class="split-main">
        <header class="turn-head">
          <TurnPicker turns={turns} chosen={chosen.turn} />
          <TurnFacts timeline={timeline} />
        </header>
        <DrawnTurn timeline={timeline} opened={opened} />
      </div>
      {event && (
        <aside class="panel detail" aria-label={`Event ${event.seq}`}>
          <EventDetail store={store} event={event} onClose={() => setQuery({ event: undefined })} />
        </aside>
      )}
    </div>
  );
}

function DrawnTurn({ timeline, opened }: { readonly timeline: TurnTimeline; readonly opened: number }) {
  const rows = useMemo(() => toRows(timeline), [timeline]);
  const isOpen = timeline.end === undefined;
  const now = useNow(isOpen && timeline.status === 'running');
  const last = Math.max(...rows.map(({ end, start }) => end ?? start), timeline.start);
  const end = timeline.end ?? Math.max(now, last);
  return (
    <Waterfall
      rows={rows}
      from={timeline.start}
      to={end}
      opened={opened}
      onOpen={(seq) => setQuery({ event: String(seq) })}
    />
  );
}

const STATE_TONES = { running: 'accent', suspended: 'warn', 'handed-over': 'warn', ended: 'plain' } as const;

function TurnFacts({ timeline }: { readonly timeline: TurnTimeline }) {
  const { status, outcome, usage, start, end, error } = timeline;
  const { inputTokens, outputTokens, cachedInputTokens: cached = 0, cost } = usage;
  return (
    <p class="turn-facts">
      <Badge tone={outcome === 'failed' ? 'bad' : outcome === 'completed' ? 'good' : STATE_TONES[status]}>
        {outcome ?? status}
      </Badge>
      <span>{formatDateTime(start)}</span>
      {end !== undefined && <span>{formatDuration(end - start)}</span>}
      <span>
        {formatCompact(inputTokens)} in, {formatCompact(outputTokens)} out
        {cached > 0 && inputTokens > 0 && `, ${Math.round((100 * cached) / inputTokens)}% cached`}
      </span>
      {cost !== undefined && <span>{formatDollars(cost)}</span>}
      {error && (
        <span class="turn-error">
          <Line text={`${error.type}: ${error.message}`} most={300} />
        </span>
      )}
    </p>
  );
}

/** Milliseconds between updates of a running bar. */
const TICK_MS = 250;

/** Returns the current time. Updates it every quarter of a second while `isRunning` is `true`. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
