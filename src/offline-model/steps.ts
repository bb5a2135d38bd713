import { findMentions, type Mention } from './mentions.ts';
import { extractTopic, isLookVerb, isVerb, stopWords, toStem, toWords } from './words.ts';

/** One request within a message. */
export interface MessageStep {
  readonly text: string;
  /** The topic as stems, without numbers. */
  readonly topic: readonly string[];
  /**
   * The first word as a stem, if the step can be a command. Absent for a question, a doubt or a quotation.
   */
  readonly command: string | undefined;
  /**
   * `true` if an article or a pronoun follows that word, which marks a verb: "zorble a flomp", "zorble it".
   */
  readonly governs: boolean;
  /** The object of the command, in the message's words: from the verb to the first value or preposition. */
  readonly object: string;
  /** `true` if the object follows a number: "3 boxes". */
  readonly counted: boolean;
  readonly mentions: readonly Mention[];
  /** `true` if it refers to an earlier object: "cancel it". */
  readonly refersBack: boolean;
}

/**
 * Returns the requests in a message, in order, at most 12. Sentences, `;`, "then", and "and" before a verb
 * separate steps. Only a command in its verb's plain form ("Cancel ...", "please cancel ...", "Can you cancel
 * A-7?") has a verb. A question, a condition, a negation, a quotation and a report ("was it cancelled") never
 * have one.
 */
export const splitSteps = (message: string): readonly MessageStep[] =>
  splitOutsideQuotes(message, /(?<=[.!?])\s+|;\s*|\n+/gu)
    .flatMap((sentence) => {
      const question = isQuestion(sentence);
      return splitOutsideQuotes(sentence, stepSeparators).flatMap((piece) =>
        splitPiece(piece, question, conditionWord.test(sentence)),
      );
    })
    .slice(0, 12);

const askingWord =
  /^(who|whose|whom|what|which|where|when|why|how|is|are|am|was|were|did|does|do|should|may|can|could|would|will|has|have|had)$/;
const conditionWord = /\b(if|unless|whether|in case|provided|once|suppose|what happens)\b/i;
const courtesyPhrase =
  /^(?:please|hi|hello|hey|now|also|and|so|then|but|ok|okay|just|kindly|first|finally|next)\b[\s,!]*/i;
const wishPhrase =
  /^(?:i want|i need|i would like|i'd like|we need|we want|you need|help me|go ahead and|let's)(?: you)?(?: to)?\b\s*/i;
const requestPhrase = /^(?:can|could|would|will) you\s+/i;
const stepSeparators =
  /,?\s+(?:and\s+)?(?:then|afterwards|after that|finally)\b,?\s+|(?:,\s*(?:and\s+)?|\s+and\s+)(?=(?:please\s+|also\s+)*(?<verb>\p{L}+))/giu;
const nounAfter = /^\s+(?:of|is|was|are|were|has|had)\b/i;
const governedObject = /^\s+(?:a|an|the|another|some|my|our|your|me|us|it|them)(?![\p{L}\p{N}-])/iu;
const backReference = /\b(it|its|this|that|them|they|their|these|those|he|she|his|her)\b/i;

/** Returns the text with quotations replaced by dots of the same length, which keeps positions equal. */
const maskQuotes = (text: string): string =>
  text.replace(/"[^"]*"|“[^”]*”|`[^`]*`|(?<!\p{L})'[^']*'(?!\p{L})/gu, (quote) => '·'.repeat(quote.length));

/**
 * Cuts outside quotations. A separator before a word cuts only if that word is a verb and at least two words
 * precede it.
 */
function splitOutsideQuotes(text: string, seam: RegExp): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (const match of maskQuotes(text).matchAll(seam)) {
    const verb = match.groups?.verb;
    if (verb !== undefined && !(isPlainVerb(verb) && toWords(text.slice(start, match.index)).length > 1))
      continue;
    pieces.push(text.slice(start, match.index));
    start = match.index + match[0].length;
  }
  return [...pieces, text.slice(start)]
    .map((piece) => piece.trim())
    .filter((piece) => /[\p{L}\p{N}]/u.test(piece));
}

/** Accepts `cancel`, but not `cancels` or `cancelled`. */
const isUninflected = (word: string): boolean => {
  const root = toStem(word.toLowerCase());
  return [root, `${root}e`, `${root}${root.at(-1)}`].includes(word.toLowerCase());
};
const isPlainVerb = (word: string): boolean => isUninflected(word) && isVerb(toStem(word.toLowerCase()));

function withoutOpening(text: string): string {
  let rest = text.trim();
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = rest.replace(courtesyPhrase, '').replace(wishPhrase, '');
  }
  return rest;
}

function isQuestion(sentence: string): boolean {
  const text = withoutOpening(maskQuotes(sentence));
  const ends = /\?\s*$/.test(text);
  if (requestPhrase.test(text))
    return ends && !/\bplease\b/i.test(text) && findMentions(sentence).length === 0;
  return ends || askingWord.test(toWords(text)[0] ?? '');
}

function splitPiece(piece: string, question: boolean, conditional: boolean): MessageStep[] {
  const asked = question && !/^(?:and |also )*please\b/i.test(piece);
  const text = withoutOpening(withoutOpening(piece).replace(requestPhrase, ''));
  const [, verbs = '', rest = ''] =
    /^(\p{L}+(?:(?:\s*,\s*|\s+and\s+)\p{L}+)*)(.*)$/su.exec(maskQuotes(text)) ?? [];
  const words = toWords(verbs).filter((word, at) => word !== 'and' && (at === 0 || isPlainVerb(word)));
  const commands = words.filter(
    (word) => isUninflected(word) && !stopWords.has(word) && !isLookVerb(toStem(word)),
  );
  const given =
    asked || conditional || nounAfter.test(rest) || askingWord.test(words[0] ?? '') ? [] : commands;
  const mentions = findMentions(piece);
  const { object, counted } = findObject(text.slice(text.length - rest.length), mentions);
  const step = {
    text: piece,
    topic: extractTopic(piece),
    mentions,
    governs: governedObject.test(rest),
    object,
    counted,
    refersBack: backReference.test(piece),
  };
  return given.length === 0
    ? [{ ...step, command: undefined }]
    : given.map((word) => ({ ...step, command: toStem(word) }));
}

/** Returns the words from the verb to the first value or preposition, without articles. */
function findObject(rest: string, mentions: readonly Mention[]): { object: string; counted: boolean } {
  const bare = rest.replace(/^\s*(?:(?:the|a|an|my|our|your|this|that|all|another|new)\s+)*/i, '');
  const number = /^[$€£]?-?[\d.,]+\s+(?=\p{L})/u.exec(bare)?.[0] ?? '';
  const phrase = bare
    .slice(number.length)
    .split(
      /\s+(?:of|for|to|from|with|on|in|at|by|because|about|as|since|and|until)\b|[·"“`.,:;!?#]|\s+-?\d/iu,
    )[0];
  const words = (phrase ?? '').split(/\s+/).filter((word) => !stopWords.has(word.toLowerCase()));
  const object = words
    .filter((word) => !mentions.some(({ value }) => value.split(' ').includes(word)))
    .join(' ');
  return { object: /^(?:of|for|to|from)$/i.test(object) ? '' : object, counted: number !== '' };
}
