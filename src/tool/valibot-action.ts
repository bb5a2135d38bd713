import { own } from './json.ts';

/** A check, a change or a description in a pipe of Valibot, as far as it is read here. */
export interface ValibotAction {
  readonly kind: 'validation' | 'transformation' | 'metadata';
  readonly type: string;
  readonly requirement?: unknown;
  readonly description?: unknown;
  readonly title?: unknown;
  readonly examples?: readonly unknown[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A JSON Schema in the making. */
export type Written = Record<string, unknown>;

/** Whether the action makes another value, so that later checks say nothing about what is sent. */
export const changesValue = ({ type }: { readonly type: string }): boolean => CHANGES.test(type);

const CHANGES =
  /^(find_item|raw_transform|reduce_items|(parse|stringify)_json|to_(bigint|boolean|date|number|string)|transform)$/;

/** Whether JSON Schema can name a value by `const`. */
export const isConst = (value: unknown): boolean =>
  typeof value === 'boolean' || typeof value === 'string' || Number.isFinite(value);

/** Adds to a schema what an action demands, as far as JSON Schema has a keyword for it. Of several patterns the first is shown. */
export function addAction(written: Written, action: ValibotAction): void {
  const { type, requirement } = action;
  const format = own(FORMATS, type);
  const limited = own(LIMITS, type);
  if (format) written.format = format;
  else if (limited) for (const side of limited) limit(written, side, requirement);
  else if (type === 'base64') written.contentEncoding = type;
  else if (requirement instanceof RegExp) written.pattern ||= requirement.source;
  else addOther(written, action);
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'email',
  rfc_email: 'email',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
  iso_date: 'date',
  iso_date_time: 'date-time',
  iso_timestamp: 'date-time',
  iso_time: 'time',
  url: 'uri',
  uuid: 'uuid',
};

/** The keywords of limits. `Length` is of texts, and becomes `Items` for lists. */
const LIMITS: Readonly<Record<string, readonly string[]>> = {
  min_value: ['minimum'],
  max_value: ['maximum'],
  gt_value: ['exclusiveMinimum'],
  lt_value: ['exclusiveMaximum'],
  min_length: ['minLength'],
  max_length: ['maxLength'],
  length: ['minLength', 'maxLength'],
  min_entries: ['minProperties'],
  max_entries: ['maxProperties'],
  entries: ['minProperties', 'maxProperties'],
};

/** Sets a limit, unless a stricter one is set. Dates and texts have no `minimum`. */
function limit(written: Written, side: string, value: unknown): void {
  const isOfNumbers = side.endsWith('imum');
  if (!Number.isFinite(value) || (isOfNumbers && !NUMBER.test(String(written.type)))) return;
  const keyword = written.type === 'array' ? side.replace('Length', 'Items') : side;
  const { [keyword]: now = value } = written;
  written[keyword] = (/^m?in|Min/.test(keyword) ? Math.max : Math.min)(Number(now), Number(value));
}

const NUMBER = /^(number|integer)$/;

function addOther(written: Written, { type, requirement, ...action }: ValibotAction): void {
  switch (type) {
    case 'description':
    case 'title':
      written[type] = action[type];
      break;
    case 'examples':
    case 'metadata':
      describe(written, action.metadata ?? { examples: action.examples });
      break;
    case 'integer':
    case 'safe_integer':
      written.type = 'integer';
      if (type === 'integer') break;
      limit(written, 'minimum', Number.MIN_SAFE_INTEGER);
      limit(written, 'maximum', Number.MAX_SAFE_INTEGER);
      break;
    case 'non_empty':
      limit(written, 'minLength', 1);
      break;
    case 'empty':
      limit(written, 'maxLength', 0);
      break;
    case 'multiple_of':
      written.multipleOf = requirement;
      break;
    case 'starts_with':
    case 'ends_with':
    case 'includes': {
      const text = String(requirement).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      written.pattern ||= `${type === 'starts_with' ? '^' : ''}${text}${type === 'ends_with' ? '$' : ''}`;
      break;
    }
    case 'value':
      if (isConst(requirement)) written.const ??= requirement;
      break;
    case 'not_value':
      if (isConst(requirement)) exclude(written, { const: requirement });
      break;
    case 'values':
    case 'not_values':
      if (Array.isArray(requirement) && requirement.every(isConst)) choose(written, type, requirement);
  }
}

/** Copies what is said of a schema. Examples add up. */
function describe(written: Written, { examples, ...metadata }: NonNullable<ValibotAction['metadata']>): void {
  const { title, description, ...more } = metadata;
  if (typeof title === 'string') written.title = title;
  if (typeof description === 'string') written.description = description;
  Object.assign(written, more);
  if (Array.isArray(examples)) written.examples = [...toList(written.examples), ...examples];
}

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const exclude = (written: Written, not: Written): void => {
  written.not = written.not === undefined ? not : { anyOf: [written.not, not] };
};

/** Values that the value must be one of, or must not be. */
function choose(written: Written, type: 'values' | 'not_values', values: readonly unknown[]): void {
  if (type === 'not_values') {
    if (values.length > 0) exclude(written, { enum: [...new Set(values)] });
    return;
  }
  const { enum: before = values } = written;
  const both = new Set(toList(before).filter((value) => values.includes(value)));
  delete written.enum;
  if (both.size > 0) written.enum = [...both];
  else exclude(written, {});
}
