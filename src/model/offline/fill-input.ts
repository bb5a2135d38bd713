import type { Scalar } from '../untrusted-json.ts';
import {
  type Found,
  factValues,
  heardValues,
  namedValues,
  type Sources,
  unclaimedValues,
} from './fill-value.ts';
import { booleanFor, type Chosen, choiceFor, none, plain, reasonFor, textFor } from './fill-words.ts';
import type { PastCall } from './memory.ts';
import type { Mention } from './mentions.ts';
import type { Param } from './params.ts';
import type { ToolCard } from './tool-card.ts';

type Input = Readonly<Record<string, unknown>>;

/** What became of the attempt to fill a tool's input. */
export interface Filling {
  /** Complete inputs, at most 6: several when the step names several values for one parameter. Empty: it cannot be called. */
  readonly inputs: readonly Input[];
  /** The required parameters that nothing fits. */
  readonly missing: readonly Param[];
  /** Something in the input is more than the message's own words: a value, a choice, a fact. */
  readonly grounded: boolean;
  /** The values of the step that went into the inputs. */
  readonly mentions: readonly Mention[];
}

/** Fills a tool's input. Required parameters from every source; optional ones only when the step names them. Never throws. */
export function fillInput(card: ToolCard, sources: Sources): Filling {
  const used = new Set<Mention>();
  const values = new Map<string, unknown>();
  const missing: Param[] = [];
  let grounded = false;
  let several: { readonly name: string; readonly found: Found } | undefined;
  for (const param of inOrder(card.params)) {
    const found = valueFor(param, card, sources, used);
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
      : alternatives(several.found, used).map((value) => [several?.name ?? '', value]);
  const inputs = [first, ...more.map((entry) => ({ ...first, ...Object.fromEntries([entry]) }))];
  const mentions = [...used, ...(several?.found.mentions ?? [])];
  return { inputs: missing.length === 0 ? inputs.slice(0, 6) : [], missing, grounded, mentions };
}

/** Required before optional, identifiers before the rest, so that an amount never takes an identifier's number. */
const inOrder = (params: readonly Param[]): Param[] =>
  params.toSorted((left, right) => weight(left) - weight(right));
const weight = ({ required, shape }: Param): number => (required ? 0 : 2) + (shape.type === 'id' ? 0 : 1);

/** The values beyond the first that no other parameter took. */
const alternatives = ({ values, mentions }: Found, used: ReadonlySet<Mention>): Scalar[] =>
  values.filter((_, at) => {
    const mention = mentions[at];
    return at > 0 && (mention === undefined || !used.has(mention));
  });

function valueFor(
  param: Param,
  card: ToolCard,
  sources: Sources,
  used: ReadonlySet<Mention>,
): Chosen | undefined {
  const { shape, required } = param;
  switch (shape.type) {
    case 'choice':
      return choiceFor(param, shape.values, sources);
    case 'boolean':
      return booleanFor(param, sources);
    case 'text':
      return required ? textFor(param, shape.tells, sources) : reasonFor(param, shape.tells, sources);
    case 'list': {
      const found = scalarFor({ ...param, shape: shape.item }, card, sources, used);
      if (found.values.length === 0) return undefined;
      return { value: found.values, grounded: true, taken: found.mentions, spread: none };
    }
    case 'object': {
      const filling = required ? fillInput({ ...card, params: shape.params }, sources) : undefined;
      return filling?.inputs[0] === undefined
        ? undefined
        : { ...plain(filling.inputs[0], filling.grounded), taken: filling.mentions };
    }
    case 'unknown':
      return undefined;
    default:
      return oneOf(param, scalarFor(param, card, sources, used)) ?? otherwise(param, card, sources);
  }
}

/** One value of those found. A command takes several only where the step itself lists them: it must not guess. */
function oneOf({ shape }: Param, found: Found): Chosen | undefined {
  const [value] = found.values;
  if (value === undefined) return undefined;
  const spread = shape.type === 'id' ? found : none;
  return { value, grounded: true, taken: found.mentions.slice(0, 1), spread };
}

function scalarFor(param: Param, card: ToolCard, sources: Sources, used: ReadonlySet<Mention>): Found {
  const { step, segment, background } = sources;
  const named = namedValues(param, sources, used);
  if (named.values.length > 0) return named;
  const typed = /^(email|date|url)$/.test(param.shape.type);
  if (typed && step.mentions.some(({ kind }) => kind === param.shape.type))
    return unclaimedValues(param, card, sources, used);
  if (!param.required) return none;
  const sure = (found: Found): Found =>
    step.command !== undefined && found.values.length > 1 ? none : found;
  const linked = factValues(param, segment);
  if (linked.values.length > 0) return sure(linked);
  const free = unclaimedValues(param, card, sources, used);
  if (free.values.length > 0) return free;
  // A step that names its own value is not about what was found for another one.
  if (param.shape.type === 'id' && step.mentions.some((mention) => isNew(mention, background))) return none;
  for (const call of background) {
    const known = factValues(param, [call]);
    if (known.values.length > 0) return sure(known);
  }
  return param.shape.type === 'id' ? sure(heardValues(param, sources)) : none;
}

/** A number or identifier, or a name that no earlier call knows: it speaks of something else than they did. */
function isNew({ kind, value, counts }: Mention, background: readonly PastCall[]): boolean {
  if (kind === 'id' || kind === 'number') return !counts;
  if (kind !== 'name' && kind !== 'email') return false;
  const name = value.replace(/['’]s$/u, '');
  return !background.some(({ facts }) => facts.some((fact) => String(fact.value).includes(name)));
}

/** What a required parameter takes when nothing was found for it. */
function otherwise(param: Param, card: ToolCard, { step }: Sources): Chosen | undefined {
  if (!param.required) return undefined;
  if (param.fallback !== undefined) return plain(param.fallback, false);
  const alone = card.params.filter(({ shape, required }) => required && shape.type === 'phrase').length === 1;
  if (param.shape.type !== 'phrase' || !alone) return undefined;
  if (step.command !== undefined) return step.object === '' ? undefined : plain(step.object, false);
  const tail = /^.*\s(?:in|for|about|on|of|called|named)\s+(?:the\s+|an?\s+)?(.+?)[\s.?!]*$/is.exec(
    step.text,
  )?.[1];
  return plain(tail ?? step.text, false);
}
