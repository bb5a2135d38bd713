/** The theme: that of the system, or the theme chosen in this browser. */
import { effect, signal } from '@preact/signals';
import { recall, remember } from '../data/browser-storage.ts';

export type Theme = 'system' | 'light' | 'dark';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export const theme = signal<Theme>(THEMES.find((one) => one === recall('theme')) ?? 'system');

effect(() => {
  const { dataset } = document.documentElement;
  if (theme.value === 'system') delete dataset.theme;
  else dataset.theme = theme.value;
  remember('theme', theme.value === 'system' ? undefined : theme.value);
});

/** Switches to the next theme: system, light, dark. */
export function switchTheme(): void {
  const at = THEMES.indexOf(theme.peek());
  theme.value = THEMES[(at + 1) % THEMES.length] ?? 'system';
}
