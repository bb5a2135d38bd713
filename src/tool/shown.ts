/** How errors of definitions name what they are about. */
import { shorten } from './json.ts';

/** Returns a value as an error names it: short values as they are, of others their kind. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${shorten(value, 80)}'`;
  if (typeof value === 'function')
    return `${isClass(value) ? 'the class' : 'the function'} ${value.name}`.trim();
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Promise) return 'a promise';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Returns whether a function is a class, which cannot be called. */
export const isClass = (value: object): boolean =>
  typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));

/** Returns the name in a literal, for the error about it; blank if there is none. */
export const nameIn = (config: unknown, key = 'name'): string => {
  const name: unknown = Object(config)[key];
  return typeof name === 'string' ? name : '';
};

/** Returns the sentence with a full stop, if it does not end by itself. */
export const ended = (sentence: string): string => (/[.?]$/.test(sentence) ? sentence : `${sentence}.`);
