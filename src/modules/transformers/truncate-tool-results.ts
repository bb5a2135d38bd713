import type { ModuleUse } from '../../tool/module-use.ts';
import { beginning } from '../../tool/tool-result.ts';
import { defineTransformer } from './define-transformer.ts';

/**
 * Has a model shown the beginning of long results only. The journal, sinks and whoever is answered directly have all of it.
 *
 * @throws RangeError when `maxLength` is not a whole number from 0.
 */
export function truncateToolResults({
  maxLength = 10_000,
  marker = charsShown,
}: TruncationOptions = {}): ModuleUse {
  if (!Number.isInteger(maxLength) || maxLength < 0) {
    throw new RangeError(`truncateToolResults: maxLength is ${maxLength}; use a whole number from 0.`);
  }
  return defineTransformer({
    name: `truncateToolResults(${maxLength})`,
    shortens: true,
    result: (text) => {
      if (text.length <= maxLength) return text;
      const kept = beginning(text, maxLength);
      return kept + (typeof marker === 'string' ? marker : marker(kept.length, text.length));
    },
  });
}

/** What is put after the first characters of a result: `shown` of `length` characters. */
export type TruncationMarker = (shown: number, length: number) => string;

/** Marks a shortened result by `\n... [truncated, 10000 chars shown]`. */
export const charsShown: TruncationMarker = (shown) => `\n... [truncated, ${shown} chars shown]`;

/** Marks a shortened result by `... [truncated, full length: 20000 chars]`. */
export const fullLength: TruncationMarker = (_, length) => `... [truncated, full length: ${length} chars]`;

/** How long a result may be, and what is shown of a longer one. */
export interface TruncationOptions {
  /** Characters of a result that are shown, 10,000 unless given; 0 leaves the marker only. */
  readonly maxLength?: number | undefined;
  /** `charsShown` unless given. */
  readonly marker?: string | TruncationMarker | undefined;
}
