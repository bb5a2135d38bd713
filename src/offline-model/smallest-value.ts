import { type Schema, safePattern } from './params.ts';

/** A text that the schema takes: one of those wanted, else a stand-in. */
export const textFitting = (node: Schema, wanted: readonly string[]): string => {
  const format = formatOf(node);
  const example = Object.hasOwn(examples, format) ? examples[format] : undefined;
  const candidates = [...wanted, ...(example === undefined ? [] : [example]), 'unknown', '0', 'a', 'A', ''];
  const fitting = candidates.map((text) => sized(node, text)).find((text) => fitsText(node, text));
  return fitting ?? sized(node, example ?? 'unknown');
};

const sized = (node: Schema, text: string): string =>
  text
    .padEnd(Math.min(numberIn(node, 'minLength') ?? 0, maxPadding), '-')
    .slice(0, Math.max(0, numberIn(node, 'maxLength') ?? Number.POSITIVE_INFINITY));

/** No text is padded to more than this. */
const maxPadding = 10_000;

/** True when a text may stand where the schema wants one, as far as its keywords are understood. */
const fitsText = (node: Schema, text: string): boolean => {
  const format = formatOf(node);
  const look = Object.hasOwn(looks, format) ? looks[format] : undefined;
  const pattern = safePattern(node.pattern);
  return (
    text.length >= (numberIn(node, 'minLength') ?? 0) &&
    text.length <= (numberIn(node, 'maxLength') ?? Number.POSITIVE_INFINITY) &&
    (look?.test(text) ?? true) &&
    (pattern?.test(text.slice(0, 200)) ?? true)
  );
};

const formatOf = ({ format }: Schema): string => (typeof format === 'string' ? format : '');

/** What each format takes, by an example that stands in for nothing known. */
const examples: Readonly<Record<string, string>> = {
  email: 'nobody@example.com',
  date: '1970-01-01',
  'date-time': '1970-01-01T00:00:00Z',
  time: '00:00:00Z',
  uri: 'https://example.com/',
  uuid: '00000000-0000-0000-0000-000000000000',
};

const looks: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
  time: /^\d\d:\d\d:\d\d/,
  uri: /^[a-z][a-z+.-]*:\S+$/i,
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
};

/** A number that the schema takes: one of those wanted, else the one nearest to zero that is easily found. */
export const numberFitting = (node: Schema, wanted: readonly number[]): number => {
  const step = numberIn(node, 'multipleOf') ?? 1;
  const low = numberIn(node, 'minimum') ?? numberIn(node, 'exclusiveMinimum') ?? 0;
  const high = numberIn(node, 'maximum') ?? numberIn(node, 'exclusiveMaximum') ?? 0;
  const up = Math.ceil(low / step) * step;
  const down = Math.floor(high / step) * step;
  const near = [0, low, up, up + step, high, down, down - step, (low + high) / 2];
  return [...wanted, ...near].find((value) => fitsNumber(node, value)) ?? 0;
};

/** True when a number may stand where the schema wants one. */
const fitsNumber = (node: Schema, value: number): boolean => {
  const step = numberIn(node, 'multipleOf');
  return (
    Number.isFinite(value) &&
    (node.type !== 'integer' || Number.isInteger(value)) &&
    value >= (numberIn(node, 'minimum') ?? Number.NEGATIVE_INFINITY) &&
    value <= (numberIn(node, 'maximum') ?? Number.POSITIVE_INFINITY) &&
    value > (numberIn(node, 'exclusiveMinimum') ?? Number.NEGATIVE_INFINITY) &&
    value < (numberIn(node, 'exclusiveMaximum') ?? Number.POSITIVE_INFINITY) &&
    (step === undefined || step <= 0 || Number.isInteger(value / step))
  );
};

const numberIn = (node: Schema, key: string): number | undefined => {
  const value = node[key];
  return typeof value === 'number' ? value : undefined;
};
