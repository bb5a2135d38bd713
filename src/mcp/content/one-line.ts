import { shorten } from '../../tool/json.ts';

/**
 * Words that somebody else chose, as a part of a line of ours: at most `max` characters, without line breaks, control
 * characters, and characters of format, which are invisible or turn the direction of what follows. So they can neither pass
 * for a line of their own nor hide a part of themselves.
 */
export const oneLine = (text: string, max: number): string =>
  shorten(
    text
      .toWellFormed()
      .replaceAll(/\p{Cf}+/gu, '')
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
    max,
  );
