/** A long list that renders only the rows in view. All rows have the same height. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualListProps {
  readonly label: string;
  readonly length: number;
  /** The height of a row in pixels. */
  readonly rowHeight: number;
  /** The index of the selected row, which has the focus. */
  readonly selected: number;
  readonly onSelect: (index: number) => void;
  readonly row: (index: number) => ComponentChildren;
  /** Whether the list scrolls to new rows while its end is in view. */
  readonly followsEnd?: boolean;
}

/** The number of rows to render outside the view, so that scrolling shows no gap. */
const OVERSCAN_ROWS = 8;

export function VirtualList({
  label,
  length,
  rowHeight,
  selected,
  onSelect,
  row,
  followsEnd,
}: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const isAtEnd = useRef(followsEnd === true && selected < 0);
  const measure = (): void => {
    const { current } = box;
    if (!current) return;
    isAtEnd.current = current.scrollTop + current.clientHeight >= current.scrollHeight - rowHeight;
    setView({ top: current.scrollTop, height: current.clientHeight });
  };
  useEffect(() => {
    const { current } = box;
    if (!current) return;
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const { current } = box;
    if (current && followsEnd && isAtEnd.current) current.scrollTop = current.scrollHeight;
  }, [length]);
  useLayoutEffect(() => {
    const { current } = box;
    if (!current || selected < 0) return;
    const top = selected * rowHeight;
    if (top < current.scrollTop) current.scrollTop = top;
    else if (top + rowHeight > current.scrollTop + current.clientHeight)
      current.scrollTop = top + rowHeight - current.clientHeight;
  }, [selected]);
  const from = Math.max(0, Math.floor(view.top / rowHeight) - OVERSCAN_ROWS);
  const to = Math.min(length, Math.ceil((view.top + view.height) / rowHeight) + OVERSCAN_ROWS);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = computeIndex(event.key, { at: selected, length, page: Math.floor(view.height / rowHeight) });
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next);
  };
  return (
    <div
      ref={box}
      class="virtual"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={selected >= from && selected < to ? `row-${selected}` : undefined}
      onScroll={measure}
      onKeyDown={onKeyDown}
      onClick={({ target }) => {
        const option = target instanceof Element ? target.closest<HTMLElement>('[data-at]') : null;
        if (option) onSelect(Number(option.dataset.at));
      }}
    >
      <div role="presentation" style={{ height: `${length * rowHeight}px` }} class="virtual-space">
        {Array.from({ length: Math.max(0, to - from) }, (_, index) => {
          const at = from + index;
          return (
            <div
              key={at}
              id={`row-${at}`}
              data-at={at}
              role="option"
              tabIndex={-1}
              aria-selected={at === selected}
              aria-posinset={at + 1}
              aria-setsize={length}
              class="virtual-row"
              style={{ top: `${at * rowHeight}px`, height: `${rowHeight}px` }}
            >
              {row(at)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface ListPosition {
  readonly at: number;
  readonly length: number;
  readonly page: number;
}

function computeIndex(key: string, { at, length, page }: ListPosition): number | undefined {
  const moves: Readonly<Record<string, number>> = {
    ...{ ArrowDown: at + 1, ArrowUp: Math.max(at, 0) - 1, Home: 0, End: length - 1 },
    ...{ PageDown: at + page, PageUp: at - page },
  };
  const to = Object.hasOwn(moves, key) ? moves[key] : undefined;
  return to === undefined || length === 0 ? undefined : Math.min(Math.max(to, 0), length - 1);
}
