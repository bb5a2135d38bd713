import type { Scalar } from '../model/untrusted-json.ts';
import type { PastCall } from './memory.ts';
import type { Mention, NamedValue } from './mentions.ts';
import type { Param, ParamShape } from './params.ts';
import type { MessageStep } from './steps.ts';
import type { ToolCard } from './tool-card.ts';
import { isVerb, listImpliedStems, toStem, toWords } from './words.ts';

/** The sources of values, nearest first. */
export interface InputSources {
  readonly step: MessageStep;
  /** The calls made for this step. */
  readonly segment: readonly PastCall[];
  /** The other calls of the conversation, latest first. */
  readonly background: readonly PastCall[];
  /** The values in the user's earlier text: one list for each step or message, latest first. */
  readonly heard: readonly (readonly Mention[])[];
  /**
   * The words for the subjects of the offered tools. A value next to one of these words belongs only to that
   * subject.
   */
  readonly vocabulary: ReadonlySet<string>;
  /** The findings of this turn, for text addressed to a person. */
  readonly summary: string;
}

/** The state while one input is filled. */
export interface InputRun {
  readonly card: ToolCard;
  readonly sources: InputSources;
  /** The mentions that parameters of this input already use. */
  readonly used: ReadonlySet<Mention>;
}

/** The values that fit a parameter, best first. There are several if the step names several. */
export interface MatchingValues {
  readonly values: readonly Scalar[];
  /** The mentions behind the values, in the same order. Empty for other sources. */
  readonly mentions: readonly Mention[];
}

/** The result if no value fits a parameter. */
export const NO_VALUES: MatchingValues = { values: [], mentions: [] };

/** Returns the values that the step itself names for this parameter: `flomp 12` for `flomp_id`. */
export function findNamedValues(
  param: Param,
  { sources: { step, vocabulary }, used }: InputRun,
): MatchingValues {
  const fitting = step.mentions.filter(
    (mention) =>
      !used.has(mention) && canFill(param.shape, mention) && isNamedByMention(mention, param, vocabulary),
  );
  const agreeing = fitting.filter(({ preposition }) => preposition === param.preposition);
  return toMatchingValues(
    param.shape,
    param.preposition !== undefined && agreeing.length > 0 ? agreeing : fitting,
  );
}

/** Returns the values of the step that no word ties to another parameter: `4711` in "cancel 4711". */
export function findUnclaimedValues(param: Param, { card, sources, used }: InputRun): MatchingValues {
  const { step, segment, vocabulary } = sources;
  const spent = new Set(segment.flatMap(({ input }) => Object.values(input).map(String)));
  const free = step.mentions.filter((mention) => {
    if (used.has(mention) || spent.has(mention.value) || !canFill(param.shape, mention)) return false;
    const [near = ''] = mention.before;
    if (!param.nouns.includes(near) && card.params.some(({ nouns }) => nouns.includes(near))) return false;
    if (/^(email|date|url)$/.test(param.shape.type)) return true;
    if (param.shape.type !== 'id') return !vocabulary.has(near);
    return (
      !mention.counts &&
      !vocabulary.has(near) &&
      (near === '' ||
        near === step.command ||
        isVerb(near) ||
        listImpliedStems(near).length > 0 ||
        card.weights.has(near))
    );
  });
  // Two free values that do not form a list are ambiguous. A command must not guess.
  if (step.command !== undefined && new Set(free.map(({ list }) => list)).size > 1) return NO_VALUES;
  return toMatchingValues(
    param.shape,
    free.filter(({ list }) => list === free[0]?.list),
  );
}

/** Returns the values that an earlier step or message names for this parameter. */
export function findEarlierValues(param: Param, { heard, vocabulary }: InputSources): MatchingValues {
  for (const mentions of heard) {
    const fitting = mentions.filter(
      (mention) => canFill(param.shape, mention) && isNamedByMention(mention, param, vocabulary),
    );
    if (fitting.length > 0) return { ...toMatchingValues(param.shape, fitting), mentions: [] };
  }
  return NO_VALUES;
}

/**
 * Returns the values that calls returned under the parameter's name, from the closest match. All have the
 * same kind.
 */
export function findFactValues(param: Param, calls: readonly PastCall[]): MatchingValues {
  const ranked = calls.flatMap(({ facts, given }) =>
    [...facts, ...given].map((fact) => ({ fact, rank: computeSimilarity(fact, param) })),
  );
  const best = Math.max(0, ...ranked.map(({ rank }) => rank));
  if (best === 0) return NO_VALUES;
  const facts = ranked.filter(({ rank }) => rank === best).map(({ fact }) => fact);
  const values = facts.flatMap((fact) => convertValue(param.shape, String(fact.value)) ?? []);
  return { values: [...new Set(values)].slice(0, 8), mentions: [] };
}

/**
 * Returns whether a call reported that the identifier does not exist: its result names it with an empty
 * value.
 */
export const isAbsent = (param: Param, calls: readonly PastCall[]): boolean =>
  param.shape.type === 'id' &&
  calls.some(({ absent }) => absent.some((fact) => computeSimilarity(fact, param) > noLikeness));

/** Returns how well a fact's name matches the parameter. 0 means that it does not match. */
export function computeSimilarity(fact: NamedValue, { name, nouns, shape }: Param): number {
  const words = toWords(name).map(toStem);
  const same = hasSameWords(fact.words, words);
  switch (shape.type) {
    case 'id':
      return computeIdSimilarity(fact, nouns, words);
    case 'number':
      if (typeof fact.value !== 'number') return noLikeness;
      if (same) return sameName;
      return listImpliedStems(words.at(-1) ?? '').includes(fact.words.at(-1) ?? '')
        ? similarName
        : noLikeness;
    case 'email':
      return /^[^\s@]+@[^\s@]+$/.test(String(fact.value)) ? similarName : noLikeness;
    default:
      return same ? sameName : noLikeness;
  }
}

/**
 * The degrees of similarity between a fact and a parameter. Only their order matters: the highest degree
 * wins.
 */
const noLikeness = 0;
/**
 * `total` for `amount`, or `zarnik_code` for `lost_zarnik_id`: another name with a possibly equal meaning.
 */
const similarName = 1;
/** `flomp: "F-12"` for `flomp_id`: the object's own name, with a value that could identify it. */
const sameObjectName = 2;
/** `flomp_code` for `flomp_id`: another identifier of the same object. */
const identifiesSame = 3;
/** `flomp_id` for `flompId`: the same name. */
const sameName = 4;

function computeIdSimilarity(fact: NamedValue, nouns: readonly string[], words: readonly string[]): number {
  const bare = !words.some((word) => nouns.includes(word));
  if (bare)
    return fact.marked && nouns.some((noun) => fact.nouns.includes(noun)) ? identifiesSame : noLikeness;
  if (hasSameWords(fact.words, words)) return sameName;
  const about = hasSameWords(fact.nouns, nouns);
  if (about && fact.marked) return identifiesSame;
  if (about) return /\d/.test(String(fact.value)) ? sameObjectName : noLikeness;
  return fact.marked && fact.nouns.at(-1) === nouns.at(-1) ? similarName : noLikeness;
}

const hasSameWords = (left: readonly string[], right: readonly string[]): boolean =>
  left.length > 0 && left.length === right.length && left.every((word) => right.includes(word));

function toMatchingValues(shape: ParamShape, mentions: readonly Mention[]): MatchingValues {
  const pairs = mentions.flatMap((mention) => {
    const value = convertValue(shape, mention.value);
    return value === undefined ? [] : [{ value, mention }];
  });
  return { values: pairs.map(({ value }) => value), mentions: pairs.map(({ mention }) => mention) };
}

function isNamedByMention(
  { kind, before, after }: Mention,
  { nouns, shape }: Param,
  vocabulary: ReadonlySet<string>,
): boolean {
  const [near = '', far = ''] = before;
  if (nouns.includes(near)) return true;
  if (nouns.includes(far) && !vocabulary.has(near)) return true;
  return kind === 'number' && shape.type === 'number' && after !== undefined && nouns.includes(after);
}

/** Returns whether a mention written in this way can fill the shape. */
function canFill(shape: ParamShape, { kind, value }: Mention): boolean {
  switch (shape.type) {
    case 'email':
    case 'date':
    case 'url':
      return kind === shape.type;
    case 'number':
      return kind === 'number' && convertValue(shape, value) !== undefined;
    case 'id':
      return (
        /^(id|number|quoted)$/.test(kind) && !/\s/.test(value) && convertValue(shape, value) !== undefined
      );
    default:
      return /^(quoted|name|id|number)$/.test(kind);
  }
}

/** Returns the value in the type of the shape, or `undefined` if it does not fit. */
function convertValue(shape: ParamShape, value: string): Scalar | undefined {
  switch (shape.type) {
    case 'number': {
      const number = Number(value);
      const fits = value.trim() !== '' && number >= shape.minimum && number <= shape.maximum;
      return fits && (!shape.integer || Number.isInteger(number)) ? number : undefined;
    }
    case 'id': {
      if (value.length > 200) return undefined;
      if (shape.numeric) return /^-?\d{1,15}$/.test(value) ? Number(value) : undefined;
      return shape.pattern !== undefined && !shape.pattern.test(value.slice(0, 64)) ? undefined : value;
    }
    default:
      return value;
  }
}
