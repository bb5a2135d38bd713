/** Shows text from models, tools and people. The text is never rendered as markup, and never invisible. */
import { useState } from 'preact/hooks';
import { formatNumber } from './format.ts';

/**
 * Matches characters that are invisible or change how other characters look: control characters, direction
 * marks and tags. Excludes line breaks, and the joiners of Persian and emoji.
 */
const INVISIBLE_CHARACTER = /(?![\t\n\r\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/u;

const INVISIBLE_CHARACTERS = new RegExp(INVISIBLE_CHARACTER, 'gu');

interface WordsProps {
  readonly text: string;
  /** The number of characters to show at first. Defaults to 2,000. */
  readonly most?: number;
  /** Shows the text in the monospaced font. */
  readonly isCode?: boolean;
}

/** The number of characters that "Show more" adds. */
const CHARACTERS_PER_STEP = 20_000;

/** Shows a text as a block with its line breaks. A long text is shortened, and a button shows more. */
export function Words({ text, most = 2_000, isCode = false }: WordsProps) {
  const [shown, setShown] = useState(most);
  const left = text.length - shown;
  return (
    <div class={isCode ? 'words code' : 'words'} dir="auto">
      <Visible text={left > 0 ? truncate(text, shown) : text} />
      {left > 0 && (
        <span class="words-more">
          … <span class="muted">{formatNumber(left)} more characters</span>{' '}
          <button type="button" class="link" onClick={() => setShown(shown + CHARACTERS_PER_STEP)}>
            Show more
          </button>{' '}
          <button type="button" class="link" onClick={() => void navigator.clipboard?.writeText(text)}>
            Copy all
          </button>
        </span>
      )}
    </div>
  );
}

/**
 * Shows a text inside a line, such as a name or a title, shortened to `most` characters. `most` defaults to
 * 200.
 */
export function Line({ text, most = 200 }: { readonly text: string; readonly most?: number }) {
  const short = text.length > most ? `${truncate(text, most)}…` : text;
  return (
    <bdi>
      <Visible text={short.replaceAll(/\s+/g, ' ')} />
    </bdi>
  );
}

/** Replaces each invisible character by its code point in a box. */
function Visible({ text }: { readonly text: string }) {
  if (!INVISIBLE_CHARACTER.test(text)) return <>{text}</>;
  const pieces = text.split(INVISIBLE_CHARACTERS);
  const unseen = text.match(INVISIBLE_CHARACTERS) ?? [];
  return (
    <>
      {pieces.map((piece, at) => (
        <>
          {piece}
          {unseen[at] !== undefined && <span class="unseen">{formatCodePoint(unseen[at])}</span>}
        </>
      ))}
    </>
  );
}

const formatCodePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Shortens a text without splitting a character. */
function truncate(text: string, most: number): string {
  const isPair = /[\ud800-\udbff]/.test(text.charAt(most - 1));
  return text.slice(0, isPair ? most - 1 : most);
}
