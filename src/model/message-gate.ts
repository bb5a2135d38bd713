import type { ModelMessage } from './chat-model.ts';

const MAX_MESSAGE_CHARACTERS = 300;
/**
 * The maximum number of characters to read: more than is ever shown, and few enough to compare with a long
 * conversation.
 */
const MAX_READ_CHARACTERS = 1_000;

interface FailureTexts {
  /** The message for clients. */
  readonly message: string;
  /** The message for the operator's log. It includes quotations from the conversation. */
  readonly reason: string;
}

/**
 * Makes a message safe to report. The result is short and contains no secrets, and the client's version does
 * not quote the conversation.
 */
export type MessageSanitizer = (message: string, sent: readonly ModelMessage[]) => FailureTexts;

/**
 * Creates the sanitizer of all error messages. `blot` removes the secrets. Then quotations from the
 * conversation are removed, and control characters become spaces. The text is cut last, because a cut through
 * a secret would hide it from `blot`.
 */
export const createMessageSanitizer =
  (blot: (message: string) => string): MessageSanitizer =>
  (message, sent) => {
    const whole = blot(message).slice(0, MAX_READ_CHARACTERS);
    return {
      message: toLine(removeEchoes(whole, sent), MAX_MESSAGE_CHARACTERS),
      reason: toLine(whole, MAX_READ_CHARACTERS),
    };
  };

const toLine = (text: string, most: number): string => {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ');
  return line.length > most ? `${line.slice(0, most)}…` : line;
};

/**
 * The length of a probe. Texts can share this many characters by chance. A run of twice this length counts as
 * an echo, and always contains one whole probe.
 */
const PROBE_CHARACTERS = 20;
const MIN_TEXT_CHARACTERS = 8;

interface SentText {
  readonly text: string;
  /** `true` if clients must not see it. They have sent the other texts, or can read them. */
  readonly hidden: boolean;
}

interface Echo {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the echo around the probe at `at`: the longest run, starting no earlier than `from`, that is also
 * in one of the texts.
 */
const findEcho = (
  message: string,
  at: number,
  { from, texts }: { readonly from: number; readonly texts: readonly SentText[] },
): Echo | undefined => {
  const probe = message.slice(at, at + PROBE_CHARACTERS);
  for (const { text, hidden } of texts) {
    const place = text.indexOf(probe);
    if (place === -1) continue;
    let before = 0;
    while (at - before > from && place > before && message[at - before - 1] === text[place - before - 1]) {
      before += 1;
    }
    let after = PROBE_CHARACTERS;
    while (at + after < message.length && message[at + after] === text[place + after]) after += 1;
    const echo = { start: at - before, end: at + after };
    if (hidden || isQuoted(message, echo.start, echo.end - echo.start === text.length)) return echo;
  }
  return undefined;
};

/**
 * Returns whether the text at `start` is quoted. A server's own words can match a user's text by chance, for
 * example if the user asks about an error. That is not an echo. `whole` means that the run is a complete
 * text, which can also follow a colon.
 */
const isQuoted = (message: string, start: number, whole: boolean): boolean =>
  (whole ? /["'`‘“«([{:]\s*$/ : /["'`‘“«([{]\s*$/).test(message.slice(0, start));

/** Returns the texts of the conversation, hidden ones first. */
const collectTexts = (sent: readonly ModelMessage[]): SentText[] =>
  sent
    .flatMap((message): SentText[] => {
      const said = { text: message.text, hidden: message.role === 'system' };
      if (message.role !== 'assistant') return [said];
      const calls = message.toolCalls.map(({ input }) => ({ text: input, hidden: false }));
      const thought = (message.parts ?? []).flatMap((part) =>
        part.type === 'reasoning' ? [{ text: part.text, hidden: true }] : [],
      );
      return [said, ...calls, ...thought];
    })
    .sort((one, other) => Number(other.hidden) - Number(one.hidden));

/**
 * Returns the message without quotations from the conversation. Some servers quote it when they refuse a
 * request, and a client must not see the instructions in an error. The part up to the first colon is our own
 * text, and is kept. If no other part of the server's text would remain, only hidden texts are removed.
 */
const removeEchoes = (message: string, sent: readonly ModelMessage[]): string => {
  const own = message.indexOf(': ') + 2;
  const [start, words] = own < 2 ? [message, ''] : [message.slice(0, own), message.slice(own)];
  const texts = collectTexts(sent);
  const left = removeSentTexts(words, texts);
  if (/\p{L}/u.test(left.replaceAll(ECHO_REPLACEMENT, ''))) return start + left;
  return (
    start +
    removeSentTexts(
      words,
      texts.filter(({ hidden }) => hidden),
    )
  );
};

const ECHO_REPLACEMENT = '[request]';

const removeSentTexts = (words: string, texts: readonly SentText[]): string => {
  const short = texts.filter(
    ({ text: { length } }) => length >= MIN_TEXT_CHARACTERS && length < 2 * PROBE_CHARACTERS,
  );
  const rest = short.reduce(removeShortEcho, words);
  let shown = '';
  let from = 0;
  for (let at = 0; at + PROBE_CHARACTERS <= rest.length; ) {
    const echo = findEcho(rest, at, { from, texts });
    if (echo === undefined) {
      at += PROBE_CHARACTERS;
      continue;
    }
    shown += `${rest.slice(from, echo.start)}${ECHO_REPLACEMENT}`;
    from = echo.end;
    at = echo.end;
  }
  return shown + rest.slice(from);
};

const removeShortEcho = (words: string, { text, hidden }: SentText): string =>
  words.replaceAll(text, (echo, at: number) =>
    hidden || isQuoted(words, at, true) ? ECHO_REPLACEMENT : echo,
  );
