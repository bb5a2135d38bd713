/** Shows rows with bars on a time scale. Arrow keys move between rows, and Enter opens a row. */
import { useRef } from 'preact/hooks';
import { formatDuration } from '../ui/format.ts';
import { Badge } from '../ui/parts.tsx';
import { indexAfter } from '../ui/tabs.tsx';
import { Line } from '../ui/words.tsx';
import type { TimelineBar, TimelineRow } from './turn-rows.ts';

interface WaterfallProps {
  readonly rows: readonly TimelineRow[];
  /** The times at the left and at the right end. */
  readonly from: number;
  readonly to: number;
  /** The sequence number of the open event. */
  readonly opened: number;
  readonly onOpen: (seq: number) => void;
}

export function Waterfall({ rows, from, to, opened, onOpen }: WaterfallProps) {
  const list = useRef<HTMLUListElement>(null);
  const span = Math.max(1, to - from);
  const move = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') return;
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>('.row') ?? [])];
    const { activeElement } = document;
    const at = activeElement instanceof HTMLElement ? buttons.indexOf(activeElement) : -1;
    const next = at < 0 ? undefined : indexAfter(event.key, at, buttons.length);
    if (next === undefined) return;
    event.preventDefault();
    buttons[next]?.focus();
  };
  const current = rows.findIndex(({ seq }) => seq === opened);
  return (
    <div class="waterfall panel">
      <div class="scale" aria-hidden="true">
        <span />
        <span class="ticks">
          {[0, 0.25, 0.5, 0.75, 1].map((part) => (
            <span key={part} style={{ left: `${part * 100}%` }}>
              {formatDuration(span * part)}
            </span>
          ))}
        </span>
      </div>
      <ul ref={list} onKeyDown={move} aria-label="Timeline of the turn">
        {rows.map((row, at) => (
          <li key={row.id}>
            <button
              type="button"
              class={`row row-${row.kind}`}
              aria-current={row.seq === opened ? 'true' : undefined}
              tabIndex={at === Math.max(0, current) ? 0 : -1}
              onClick={() => row.seq !== undefined && onOpen(row.seq)}
            >
              <span class="row-label" style={{ paddingLeft: `${10 + row.depth * 16}px` }}>
                <span class="row-name">
                  <Line text={row.label} most={80} />
                </span>
                {row.badge && <Badge tone={row.badge.tone}>{row.badge.text}</Badge>}
                {row.note && (
                  <span class="row-note">
                    <Line text={row.note} most={120} />
                  </span>
                )}
              </span>
              <span class="row-track">
                {row.bars.map((bar) => (
                  <BarMark key={bar.start} bar={bar} from={from} span={span} to={to} />
                ))}
                <span class="row-time" style={{ left: `${getLabelPosition(row, { from, to, span })}%` }}>
                  {row.kind === 'mark' ? '' : formatDuration((row.end ?? to) - row.start)}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/**
 * Returns the position of the label after the bar, in percent. The track leaves room for it at the right end.
 */
const getLabelPosition = ({ end }: TimelineRow, { from, to, span }: TimeScale): number =>
  Math.min(((end ?? to) - from) / span, 1) * 100;

interface TimeScale {
  readonly from: number;
  readonly to: number;
  readonly span: number;
}

interface BarMarkProps extends TimeScale {
  readonly bar: TimelineBar;
}

function BarMark({ bar: { start, end, tone }, from, span, to }: BarMarkProps) {
  const left = ((start - from) / span) * 100;
  const width = (((end ?? to) - start) / span) * 100;
  return (
    <span
      class={`bar-mark ${tone}${end === undefined ? ' open' : ''}`}
      style={{ left: `${Math.min(left, 100)}%`, width: `${Math.max(0, Math.min(width, 100 - left))}%` }}
    />
  );
}
