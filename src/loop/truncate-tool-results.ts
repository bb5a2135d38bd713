import { beginning } from '../tool/tool-result.ts';
import type { LoopTransformer } from './transformer.ts';

/** What is put after the first characters of a result: `shown` of `length` characters. */
export type TruncationMarker = (shown: number, length: number) => string;

/** `\n... [truncated, 10000 chars shown]` (CBK-08). */
export const charsShown: TruncationMarker = (shown) => `\n... [truncated, ${shown} chars shown]`;

/** `... [truncated, full length: 20000 chars]` (AEL-03). */
export const fullLength: TruncationMarker = (_, length) => `... [truncated, full length: ${length} chars]`;

export interface TruncationOptions {
  /** Characters of a result that are shown, 10,000 unless given; 0 leaves the marker only. */
  readonly maxLength?: number | undefined;
  /** `charsShown` unless given. */
  readonly marker?: string | TruncationMarker | undefined;
}

/**
 * Shows a model the beginning of long results only. The journal, sinks and whoever is answered directly have all of it.
 *
 * @throws RangeError when `maxLength` is not a whole number from 0.
 */
export function truncateToolResults({
  maxLength = 10_000,
  marker = charsShown,
}: TruncationOptions = {}): LoopTransformer {
  if (!Number.isInteger(maxLength) || maxLength < 0) {
    throw new RangeError(`truncateToolResults: maxLength is ${maxLength}; use a whole number from 0.`);
  }
  return {
    name: 'truncateToolResults',
    shortens: true,
    result: (text) => {
      if (text.length <= maxLength) return text;
      const kept = beginning(text, maxLength);
      return kept + (typeof marker === 'string' ? marker : marker(kept.length, text.length));
    },
  };
}
