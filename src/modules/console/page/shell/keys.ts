/** Keyboard shortcuts. They do not work while a person types. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** A shortcut: one key, or two keys one after another. */
export interface Shortcut {
  /** One key, such as `?`, or two keys, such as `g s` for `g` and then `s`. */
  readonly keys: string;
  readonly does: string;
  run(): void;
}

/** The shortcuts that currently work. The help lists them. */
export const shortcuts = signal<readonly Shortcut[]>([]);

/** Enables shortcuts while a view is shown. `list` must be the same array in every render. */
export function useShortcuts(list: readonly Shortcut[]): void {
  useEffect(() => {
    shortcuts.value = [...shortcuts.peek(), ...list];
    return () => {
      shortcuts.value = shortcuts.peek().filter((one) => !list.includes(one));
    };
  }, [list]);
}

/** Milliseconds within which the second key must follow. */
const KEY_SEQUENCE_MS = 1_500;

let first = { key: '', at: 0 };

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target))
    return;
  const pair = event.timeStamp - first.at < KEY_SEQUENCE_MS ? `${first.key} ${event.key}` : event.key;
  const found =
    shortcuts.peek().findLast(({ keys }) => keys === pair) ??
    shortcuts.peek().findLast(({ keys }) => keys === event.key);
  first = { key: found ? '' : event.key, at: event.timeStamp };
  if (!found) return;
  event.preventDefault();
  found.run();
});

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest('dialog') !== null);
