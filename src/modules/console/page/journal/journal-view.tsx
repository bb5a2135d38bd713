/** Shows the journal as a searchable list. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { StoredEvent } from '../../../../journal/events.ts';
import type { SessionViewProps } from '../data/session-store.ts';
import { type Shortcut, useShortcuts } from '../shell/keys.ts';
import { place, setQuery } from '../shell/router.ts';
import { formatCount, formatNumber, formatTimeOfDay } from '../ui/format.ts';
import { Empty } from '../ui/parts.tsx';
import { VirtualList } from '../ui/virtual-list.tsx';
import { Line } from '../ui/words.tsx';
import { EventDetail } from './event-detail.tsx';
import { getEventTone, summarizeEvent } from './event-summary.ts';
import { filterEvents } from './search.ts';

const ROW_HEIGHT = 30;

const focusSearch = (): void => document.getElementById('journal-search')?.focus();

const SHORTCUTS: readonly Shortcut[] = [{ keys: '/', does: 'Search the journal', run: focusSearch }];

export function JournalView({ store }: SessionViewProps) {
  useShortcuts(SHORTCUTS);
  const { value: length } = store.length;
  const { query } = place.value;
  const [text, setText] = useState(query.q ?? '');
  const type = query.type ?? '';
  const shown = useMemo(() => filterEvents(store.events, { text, type }), [text, type, length]);
  const types = useMemo(() => listTypes(store.events), [length]);
  const opened = Number(query.event);
  const selected = shown.findIndex(({ seq }) => seq === opened);
  const event = store.events.find(({ seq }) => seq === opened);
  useKept(text);
  if (length === 0) return <Empty title="The journal is empty">It fills when the session starts.</Empty>;
  return (
    <div class={event ? 'split has-detail' : 'split'}>
      <div class="split-main">
        <search class="filters">
          <input
            id="journal-search"
            class="input"
            type="search"
            placeholder="Search events"
            aria-label="Search events"
            value={text}
            onInput={(input) => setText(input.currentTarget.value)}
          />
          <select
            class="input"
            aria-label="Type of event"
            value={type}
            onChange={(change) => setQuery({ type: change.currentTarget.value || undefined })}
          >
            <option value="">All types</option>
            {types.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
          <span class="muted small" role="status">
            {shown.length === length
              ? formatCount(length, 'event')
              : `${formatNumber(shown.length)} of ${formatNumber(length)}`}
          </span>
        </search>
        <div class="panel journal">
          <VirtualList
            label="Events"
            length={shown.length}
            rowHeight={ROW_HEIGHT}
            selected={selected}
            followsEnd
            onSelect={(index) => setQuery({ event: String(shown[index]?.seq) })}
            row={(index) => <EventRow event={shown[index]} />}
          />
          {shown.length === 0 && <Empty title="No event matches" />}
        </div>
      </div>
      {event && (
        <aside class="panel detail" aria-label={`Event ${event.seq}`}>
          <EventDetail store={store} event={event} onClose={() => setQuery({ event: undefined })} />
        </aside>
      )}
    </div>
  );
}

/** Writes the search to the URL once the person stops typing. */
function useKept(text: string): void {
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const timer = setTimeout(() => setQuery({ q: text || undefined }), 400);
    return () => clearTimeout(timer);
  }, [text]);
}

const listTypes = (events: readonly StoredEvent[]): readonly string[] =>
  [...new Set(events.map(({ type }) => type))].toSorted();

function EventRow({ event }: { readonly event: StoredEvent | undefined }) {
  if (!event) return null;
  const { seq, at, type } = event;
  const isNested = 'frame' in event && event.frame !== undefined;
  return (
    <span class={`journal-row ${getEventTone(event)}`}>
      <span class="journal-seq">{seq}</span>
      <span class="journal-time">{formatTimeOfDay(at)}</span>
      <span class="journal-type">
        {isNested && <span title="In a nested loop">↳ </span>}
        {type}
      </span>
      <span class="journal-summary">
        <Line text={summarizeEvent(event)} most={240} />
      </span>
    </span>
  );
}
