import type { Scalar } from '../model/untrusted-json.ts';
import {
  findEarlierValues,
  findFactValues,
  findNamedValues,
  findUnclaimedValues,
  type InputRun,
  type InputSources,
  type MatchingValues,
  NO_VALUES,
} from './fill-value.ts';
import type { PastCall } from './memory.ts';
import type { Mention } from './mentions.ts';
import type { Param } from './params.ts';
import type { ToolCard } from './tool-card.ts';
import { toStem, toStems, toWords } from './words.ts';

type Input = Readonly<Record<string, unknown>>;

/** The result of filling a tool's input. */
export interface FilledInput {
  /**
   * Complete inputs, at most 6. There are several if the step names several values for one parameter. Empty
   * if the tool cannot be called.
   */
  readonly inputs: readonly Input[];
  /** The required parameters without a fitting value. */
  readonly missing: readonly Param[];
  /** `true` if the input contains more than the message's own words, such as a value, a choice or a fact. */
  readonly grounded: boolean;
  /** The values of the step that the inputs use. */
  readonly mentions: readonly Mention[];
}

/**
 * Fills a tool's input. Required parameters use every source; optional ones are filled only if the step names
 * them. Never throws.
 */
export function fillInput(card: ToolCard, sources: InputSources): FilledInput {
  const used = new Set<Mention>();
  const values = new Map<string, unknown>();
  const missing: Param[] = [];
  let grounded = false;
  let several: { readonly name: string; readonly found: MatchingValues } | undefined;
  for (const param of sortParams(card.params)) {
    const found = chooseValue(param, { card, sources, used });
    if (found === undefined) {
      if (param.required) missing.push(param);
      continue;
    }
    values.set(param.name, found.value);
    grounded ||= found.grounded;
    for (const mention of found.taken) used.add(mention);
    if (found.spread.values.length > 1) several ??= { name: param.name, found: found.spread };
  }
  const first = Object.fromEntries(values);
  const more =
    several === undefined
      ? []
      : listAlternatives(several.found, used).map((value) => [several?.name ?? '', value]);
  const inputs = [first, ...more.map((entry) => ({ ...first, ...Object.fromEntries([entry]) }))];
  const mentions = [...used, ...(several?.found.mentions ?? [])];
  return { inputs: missing.length === 0 ? inputs.slice(0, 6) : [], missing, grounded, mentions };
}

/**
 * Sorts required parameters before optional ones, and identifiers first. An amount then cannot use an
 * identifier's number.
 */
const sortParams = (params: readonly Param[]): Param[] =>
  params.toSorted((left, right) => sortWeight(left) - sortWeight(right));
const sortWeight = ({ required, shape }: Param): number => (required ? 0 : 2) + (shape.type === 'id' ? 0 : 1);

/** Returns the values, except the first, that other parameters do not use. */
const listAlternatives = ({ values, mentions }: MatchingValues, used: ReadonlySet<Mention>): Scalar[] =>
  values.filter((_, at) => {
    const mention = mentions[at];
    return at > 0 && (mention === undefined || !used.has(mention));
  });

function chooseValue(param: Param, run: InputRun): ChosenValue | undefined {
  const { shape, required } = param;
  const { card, sources } = run;
  switch (shape.type) {
    case 'choice':
      return chooseFromList(param, shape.values, sources);
    case 'boolean':
      return chooseBoolean(param, sources);
    case 'text':
      return required ? chooseText(param, shape.tells, sources) : chooseReason(param, shape.tells, sources);
    case 'list': {
      const found = findScalars({ ...param, shape: shape.item }, run);
      if (found.values.length === 0) return undefined;
      return { value: found.values, grounded: true, taken: found.mentions, spread: NO_VALUES };
    }
    case 'object': {
      const filling = required ? fillInput({ ...card, params: shape.params }, sources) : undefined;
      return filling?.inputs[0] === undefined
        ? undefined
        : { ...toChosenValue(filling.inputs[0], filling.grounded), taken: filling.mentions };
    }
    case 'unknown':
      return undefined;
    default:
      return chooseOne(param, findScalars(param, run)) ?? chooseFallback(param, run);
  }
}

/**
 * Chooses one of the values found. A command accepts several only if the step itself lists them: it must not
 * guess.
 */
function chooseOne({ shape }: Param, found: MatchingValues): ChosenValue | undefined {
  const [value] = found.values;
  if (value === undefined) return undefined;
  const spread = shape.type === 'id' ? found : NO_VALUES;
  return { value, grounded: true, taken: found.mentions.slice(0, 1), spread };
}

function findScalars(param: Param, run: InputRun): MatchingValues {
  const { step, segment, background } = run.sources;
  const named = findNamedValues(param, run);
  if (named.values.length > 0) return named;
  const typed = /^(email|date|url)$/.test(param.shape.type);
  if (typed && step.mentions.some(({ kind }) => kind === param.shape.type))
    return findUnclaimedValues(param, run);
  if (!param.required) return NO_VALUES;
  const keepIfSure = (found: MatchingValues): MatchingValues =>
    step.command !== undefined && found.values.length > 1 ? NO_VALUES : found;
  const linked = findFactValues(param, segment);
  if (linked.values.length > 0) return keepIfSure(linked);
  const free = findUnclaimedValues(param, run);
  if (free.values.length > 0) return free;
  // If a step names its own value, results for another value do not apply.
  if (param.shape.type === 'id' && step.mentions.some((mention) => isNewMention(mention, background)))
    return NO_VALUES;
  for (const call of background) {
    const known = findFactValues(param, [call]);
    if (known.values.length > 0) return keepIfSure(known);
  }
  return param.shape.type === 'id' ? keepIfSure(findEarlierValues(param, run.sources)) : NO_VALUES;
}

/**
 * Returns whether a mention is a number, an identifier or a name that no earlier call contains. It then
 * refers to something new.
 */
function isNewMention({ kind, value, counts }: Mention, background: readonly PastCall[]): boolean {
  if (kind === 'id' || kind === 'number') return !counts;
  if (kind !== 'name' && kind !== 'email') return false;
  const name = value.replace(/['’]s$/u, '');
  return !background.some(({ facts }) => facts.some((fact) => String(fact.value).includes(name)));
}

/** Returns the fallback for a required parameter for which no value was found. */
function chooseFallback(param: Param, { card, sources: { step } }: InputRun): ChosenValue | undefined {
  if (!param.required) return undefined;
  if (param.fallback !== undefined) return toChosenValue(param.fallback, false);
  const alone = card.params.filter(({ shape, required }) => required && shape.type === 'phrase').length === 1;
  if (param.shape.type !== 'phrase' || !alone) return undefined;
  if (step.command !== undefined) return step.object === '' ? undefined : toChosenValue(step.object, false);
  const tail = /^.*\s(?:in|for|about|on|of|called|named)\s+(?:the\s+|an?\s+)?(.+?)[\s.?!]*$/is.exec(
    step.text,
  )?.[1];
  return toChosenValue(tail ?? step.text, false);
}

/** The value chosen for one parameter. */
interface ChosenValue {
  readonly value: unknown;
  /** `true` if it is more than the message's own words. */
  readonly grounded: boolean;
  /** The mentions that it uses up. */
  readonly taken: readonly Mention[];
  /** All fitting values, if the step lists several. */
  readonly spread: MatchingValues;
}

/** Returns a value that uses up no mention. */
const toChosenValue = (value: unknown, grounded: boolean): ChosenValue => ({
  value,
  grounded,
  taken: [],
  spread: NO_VALUES,
});

/** Returns the choice whose words occur in the step, longest first. */
function chooseFromList(
  { required, fallback }: Param,
  values: readonly Scalar[],
  { step }: InputSources,
): ChosenValue | undefined {
  const said = new Set(toWords(step.text).map(toStem));
  const isFitting = (value: Scalar): boolean => {
    const words = toWords(String(value)).map(toStem);
    return words.length > 0 && words.every((word) => said.has(word));
  };
  const chosen = values
    .filter(isFitting)
    .toSorted((left, right) => String(right).length - String(left).length)[0];
  if (chosen !== undefined) return toChosenValue(chosen, true);
  if (!required) return undefined;
  if (fallback !== undefined) return toChosenValue(fallback, false);
  return values.length === 1 ? toChosenValue(values[0], false) : undefined;
}

/**
 * Returns `true` if the step names the parameter, `false` if it negates it. A required parameter defaults to
 * `false`.
 */
function chooseBoolean(
  { nouns, required, fallback }: Param,
  { step }: InputSources,
): ChosenValue | undefined {
  const named = nouns.length > 0 && nouns.every((noun) => step.topic.includes(noun));
  const negated = /\b(?:not|no|without|never)\b|n't\b/i.test(step.text);
  if (named) return toChosenValue(!negated, true);
  return required ? toChosenValue(fallback ?? false, false) : undefined;
}

const findReason = (text: string): string | undefined =>
  /\b(?:because|since|due to|reason:)\s+(.{1,500})/is.exec(text)?.[1]?.trim();

/** Returns the step's text for an optional parameter: a quotation next to its name, or a reason. */
function chooseReason({ nouns }: Param, tells: boolean, { step }: InputSources): ChosenValue | undefined {
  const quoted = step.mentions.find(
    ({ kind, before: [near = ''] }) => kind === 'quoted' && nouns.includes(near),
  );
  if (quoted !== undefined) return toChosenValue(quoted.value, true);
  const reason = tells ? findReason(step.text) : undefined;
  return reason === undefined ? undefined : toChosenValue(reason, false);
}

/**
 * Returns free text: a quotation, a reason or the step itself. A text addressed to a person also gets this
 * turn's findings.
 */
function chooseText({ nouns }: Param, tells: boolean, { step, summary }: InputSources): ChosenValue {
  if (!tells) return toChosenValue(step.text, false);
  const quotes = step.mentions.filter(({ kind }) => kind === 'quoted');
  const quoted = quotes.find(({ before }) => before.some((word) => nouns.includes(word))) ?? quotes[0];
  if (quoted !== undefined) return toChosenValue(quoted.value, true);
  const reason = findReason(step.text);
  if (reason !== undefined) return toChosenValue(reason, false);
  const short = nouns.some((noun) => toStems('subject title summary').includes(noun));
  if (short) return toChosenValue(step.text.slice(0, 80), false);
  const carries = nouns.some((noun) => toStems('body message text content').includes(noun));
  return toChosenValue(
    carries && step.refersBack && summary !== '' ? `${step.text}: ${summary}` : step.text,
    false,
  );
}
