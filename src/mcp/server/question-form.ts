/** Puts a question of a turn to the person behind a client, and reads what they answer (MCP specification, Elicitation). */
import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/server';
import type { SentAnswer } from '../../journal/asking.ts';
import type { PendingCall } from '../../journal/wait.ts';
import { checkAnswer } from '../../modules/answers/check-answer.ts';
import { type AskedQuestion, toPendingCall } from '../../modules/answers/questions.ts';
import type { DecisionKind } from '../../tool/call.ts';
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../tool/json.ts';
import { oneLine } from '../content/words.ts';

/** A question as a form. */
export interface QuestionForm {
  readonly params: ElicitRequestFormParams;
  /** The decision that an answer is; `undefined` when the person has left without one. */
  read(answer: ElicitResult): ReadForm | undefined;
}

/** A decision, not checked, or why the answer is none that could be meant. */
type ReadForm = { readonly body: SentAnswer['body'] } | { readonly problem: string };

/** One field of a form, by its name. */
type Fields = Readonly<Record<string, JsonObject>>;

/** The most characters of a form, which people have to read: a question with more is answered where there is room. */
const MAX_FORM = 16_384;
/** The most characters of a tool's name. */
const MAX_NAME = 80;

/**
 * Makes a form of a question for a decision: one that asks for values has their fields, and one that asks whether a call
 * may run has a decision, a reason and, where an edit can be said in a form, the fields of the call's input. `undefined` for what no
 * form can ask: a form is flat, and its fields are texts, numbers, choices and yes or no.
 */
export function formOf(question: AskedQuestion): QuestionForm | undefined {
  if (question.wait.for !== 'decision') return undefined;
  const asked = toPendingCall(question);
  const { allows = [], schema } = asked;
  const fields = schema && fieldsOf(schema);
  const form =
    fields && asksForValues(question, asked)
      ? formOfValues(asked, fields)
      : allows.includes('approve')
        ? formOfApproval(asked, fields)
        : undefined;
  return form && JSON.stringify(form.params).length <= MAX_FORM ? form : undefined;
}

/** Tells a question for values from one about a call: there is nothing to approve, or the call's own input is no answer. */
function asksForValues(question: AskedQuestion, { allows = [], input }: PendingCall): boolean {
  const { wait } = question;
  if (wait.for !== 'decision' || !allows.includes('edit')) return false;
  if (!allows.includes('approve') || wait.credentials === 'refused') return true;
  if (!isJsonObject(input)) return true;
  return !checkAnswer(question, { decision: 'edit', input }, NOBODY).ok;
}

/** By whom nothing is answered: it is only looked at. */
const NOBODY = { by: '' };

/** To accept it is to give the values, and to decline it is to reject. */
function formOfValues({ message, allows = [], schema = {} }: PendingCall, fields: Fields): QuestionForm {
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return {
    params: { mode: 'form', message, requestedSchema: requested(fields, required) },
    read: ({ action, content }) =>
      action === 'accept' ? { body: { decision: 'edit', input: { ...content } } } : declined(action, allows),
  };
}

/** What the form has beside the fields of an input. */
const OWN = ['decision', 'reason'];

function formOfApproval(
  { tool, input, message, allows = [] }: PendingCall,
  fields: Fields = {},
): QuestionForm {
  const current = isJsonObject(input) ? input : {};
  const names = Object.keys(fields);
  const mayEdit =
    allows.includes('edit') &&
    isJsonObject(input) &&
    names.length > 0 &&
    !names.some((name) => OWN.includes(name));
  const decisions = allows.filter((one) => one !== 'edit' || mayEdit);
  const description = decisions.map((one) => `${one}: ${MEANING[one]}`).join('; ');
  const decision = { type: 'string', title: 'Decision', description, enum: decisions };
  const reason = { type: 'string', title: 'Reason', description: 'For the agent.', maxLength: 2_000 };
  const filled = mayEdit ? filledIn(fields, current) : {};
  const told = `Tool '${oneLine(tool, MAX_NAME)}' is to be called with ${JSON.stringify(input)}.`;
  return {
    params: {
      mode: 'form',
      message: message.trim() === '' ? told : `${told}\n${message}`,
      requestedSchema: requested({ decision, reason, ...filled }, ['decision']),
    },
    read: ({ action, content = {} }) =>
      action === 'accept' ? decided(content, { current, filled }) : declined(action, allows),
  };
}

/** What each decision does, for the person who takes it. */
const MEANING: Readonly<Record<DecisionKind, string>> = {
  approve: 'it runs',
  edit: 'it runs with what you change here',
  reject: 'it does not run, and the agent is told',
  exit: 'it does not run, and the agent stops',
};

interface FilledForm {
  readonly current: JsonObject;
  /** The fields of the input, as the person was shown them. */
  readonly filled: Fields;
}

/** An input goes along with an edit. To approve something else than what the person has before them is neither the one nor the other. */
function decided(content: NonNullable<ElicitResult['content']>, { current, filled }: FilledForm): ReadForm {
  const { decision, reason } = content;
  const edited = Object.entries(content).filter(
    ([name, value]) => Object.hasOwn(filled, name) && !isUntouched(value, filled[name]?.default),
  );
  if (decision === 'approve' && edited.length > 0) {
    const names = edited.map(([name]) => oneLine(name, MAX_NAME)).join(', ');
    return {
      problem: `decision: approve is for what stood here, and ${names} was changed. Choose edit for the change to count, or take it back`,
    };
  }
  const takesInput = decision === 'edit' && Object.keys(filled).length > 0;
  const input = { ...current, ...Object.fromEntries(edited) };
  const body = {
    decision,
    ...(takesInput && { input }),
    ...(reason !== undefined && reason !== '' && { reason }),
  };
  return { body };
}

/** Clients fill in what a person leaves alone, if only with nothing. */
const isUntouched = (value: Json, start: Json | undefined): boolean =>
  start === undefined
    ? value === '' || value === false || (Array.isArray(value) && value.length === 0)
    : JSON.stringify(value) === JSON.stringify(start);

const DECLINED = 'The person who was asked has declined.';

/** Whoever dismisses a form has decided nothing. To decline never approves. */
function declined(action: ElicitResult['action'], allows: readonly DecisionKind[]): ReadForm | undefined {
  const decision = (['reject', 'exit'] as const).find((one) => allows.includes(one));
  return action === 'decline' && decision ? { body: { decision, reason: DECLINED } } : undefined;
}

/** The fields are of the kinds that a form may have, as `fieldOf` makes them. */
const requested = (fields: Fields, required: readonly string[]) =>
  ({
    type: 'object',
    properties: fields,
    ...(required.length > 0 && { required: [...required] }),
  }) as ElicitRequestFormParams['requestedSchema'];

/** Starts from what the tool is to be called with. */
const filledIn = (fields: Fields, current: JsonObject): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const value = Object.hasOwn(current, name) ? current[name] : undefined;
      return [name, { ...field, ...(isOf(field.type, value) && { default: value }) }];
    }),
  );

/** Tells whether a field of this type can start with a value. */
function isOf(type: unknown, value: unknown): value is Json {
  if (type === 'array') return isTexts(value);
  return typeof value === (type === 'integer' ? 'number' : type);
}

/** Makes fields of a schema's properties; `undefined` when one of them is none, or something else is asked of the object. */
function fieldsOf(schema: JsonSchema): Fields | undefined {
  const { properties = {} } = schema;
  if (schema.type !== 'object' || !isRecord(properties)) return undefined;
  if (['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if'].some((keyword) => keyword in schema)) return undefined;
  const fields = Object.entries(properties).map(([name, property]) => [name, fieldOf(property)] as const);
  return fields.every(isField) ? Object.fromEntries(fields) : undefined;
}

const isField = (one: readonly [string, JsonObject | undefined]): one is readonly [string, JsonObject] =>
  one[1] !== undefined;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a form may say of a field, by its type. The rest is checked when it is answered. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'enumNames'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['minItems', 'maxItems'],
};
const ABOUT = ['title', 'description'];
const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time'];

/** A property as the field of a form; `undefined` when it cannot be one. */
function fieldOf(property: unknown): JsonObject | undefined {
  if (!isRecord(property)) return undefined;
  const { type = typeOf(property), format, items } = property;
  const keywords = typeof type === 'string' && Object.hasOwn(KEYWORDS, type) ? KEYWORDS[type] : undefined;
  const isComposed = ['$ref', 'allOf', 'anyOf', 'not', 'if'].some((keyword) => keyword in property);
  if (!keywords || typeof type !== 'string' || isComposed) return undefined;
  const choices = choicesOf(property);
  if (choices === 'none' || (choices && type !== 'string')) return undefined;
  const start = isOf(type, property.default) ? ['default'] : [];
  const told = picked(property, [...ABOUT, ...start, ...keywords]);
  if (type !== 'array') {
    return { type, ...told, ...choices, ...(FORMATS.includes(format) && { format: String(format) }) };
  }
  const ofItems = isRecord(items) ? choicesOf(items, 'anyOf') : undefined;
  if (!ofItems || ofItems === 'none') return undefined;
  return { type, ...told, items: 'enum' in ofItems ? { type: 'string', ...ofItems } : ofItems };
}

/** Of a schema that leaves out its type, since its values say it. */
const typeOf = ({ enum: values, const: one, oneOf }: Readonly<Record<string, unknown>>): unknown =>
  [values, one, oneOf].some((said) => said !== undefined) ? 'string' : undefined;

/** The texts that may be chosen; `none` when what may be chosen is something else, and `undefined` for a free field. */
function choicesOf(
  schema: Readonly<Record<string, unknown>>,
  titled: 'oneOf' | 'anyOf' = 'oneOf',
): JsonObject | 'none' | undefined {
  const { enum: listed, const: only } = schema;
  const values = only === undefined ? listed : [only];
  if (values !== undefined) return isTexts(values) ? { enum: [...values] } : 'none';
  const options = schema[titled];
  if (options === undefined) return undefined;
  if (!Array.isArray(options)) return 'none';
  const told = options.map((option: unknown) =>
    isRecord(option) && typeof option.const === 'string'
      ? { const: option.const, title: typeof option.title === 'string' ? option.title : option.const }
      : undefined,
  );
  const known = told.filter((one) => one !== undefined);
  return known.length === told.length ? { [titled]: known } : 'none';
}

const isTexts = (values: unknown): values is readonly string[] =>
  Array.isArray(values) && values.every((value) => typeof value === 'string');

const picked = (from: Readonly<Record<string, unknown>>, keys: readonly string[]): JsonObject =>
  Object.fromEntries(
    keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key] as Json] as const])), // a schema is JSON
  );
