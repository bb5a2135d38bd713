/**
 * Shows a question of a turn to the person behind a client, and reads the answer (MCP specification,
 * Elicitation).
 */
import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/server';
import type { SentAnswer } from '../../journal/asking.ts';
import type { PendingCall } from '../../journal/wait.ts';
import { checkAnswer } from '../../modules/answers/check-answer.ts';
import { type AskedQuestion, toPendingCall } from '../../modules/answers/questions.ts';
import type { DecisionKind } from '../../tool/call.ts';
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../tool/json.ts';
import { toOneLine } from '../content/words.ts';

export interface QuestionForm {
  readonly params: ElicitRequestFormParams;
  /** Returns the decision in an answer, or `undefined` if the person dismissed the form. */
  read(answer: ElicitResult): FormDecision | undefined;
}

/** A decision that is not validated yet, or the problem with the answer. */
type FormDecision = { readonly body: SentAnswer['body'] } | { readonly problem: string };

/** The fields of a form by name. */
type Fields = Readonly<Record<string, JsonObject>>;

/** The maximum length of a form, which people must read. A longer question must be answered elsewhere. */
const MAX_FORM_LENGTH = 16_384;
/** The maximum length of a tool's name. */
const MAX_NAME = 80;

/**
 * Creates a form for a question. If it asks for values, the form has their fields. If it asks for approval of
 * a call, the form has a decision, a reason and, if an edit fits into a form, the fields of the call's input.
 * Returns `undefined` for a question that does not fit into a form: a form is flat, with fields for texts,
 * numbers, choices and booleans.
 */
export function toQuestionForm(question: AskedQuestion): QuestionForm | undefined {
  if (question.wait.for !== 'decision') return undefined;
  const asked = toPendingCall(question);
  const { allows = [], schema } = asked;
  const fields = schema && toFields(schema);
  const form =
    fields && asksForValues(question, asked)
      ? createValuesForm(asked, fields)
      : allows.includes('approve')
        ? createApprovalForm(asked, fields)
        : undefined;
  return form && JSON.stringify(form.params).length <= MAX_FORM_LENGTH ? form : undefined;
}

/**
 * Returns whether a question asks for values, and not for approval of a call: it cannot be approved, or its
 * current input is not a valid answer.
 */
function asksForValues(question: AskedQuestion, { allows = [], input }: PendingCall): boolean {
  const { wait } = question;
  if (wait.for !== 'decision' || !allows.includes('edit')) return false;
  if (!allows.includes('approve') || wait.credentials === 'refused') return true;
  if (!isJsonObject(input)) return true;
  return !checkAnswer(question, { decision: 'edit', input }, NO_PERSON).ok;
}

/** A placeholder for the person, whom parsing an answer does not need. */
const NO_PERSON = { by: '' };

/** Creates a form for values. Accepting it submits them, and declining it rejects the question. */
function createValuesForm({ message, allows = [], schema = {} }: PendingCall, fields: Fields): QuestionForm {
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return {
    params: { mode: 'form', message, requestedSchema: toRequestedSchema(fields, required) },
    read: ({ action, content }) =>
      action === 'accept'
        ? { body: { decision: 'edit', input: { ...content } } }
        : toDeclinedDecision(action, allows),
  };
}

/** The form's own fields, besides those of an input. */
const OWN_FIELDS = ['decision', 'reason'];

function createApprovalForm(
  { tool, input, message, allows = [] }: PendingCall,
  fields: Fields = {},
): QuestionForm {
  const current = isJsonObject(input) ? input : {};
  const names = Object.keys(fields);
  const mayEdit =
    allows.includes('edit') &&
    isJsonObject(input) &&
    names.length > 0 &&
    !names.some((name) => OWN_FIELDS.includes(name));
  const decisions = allows.filter((one) => one !== 'edit' || mayEdit);
  const description = decisions.map((one) => `${one}: ${DECISION_TEXTS[one]}`).join('; ');
  const decision = { type: 'string', title: 'Decision', description, enum: decisions };
  const reason = { type: 'string', title: 'Reason', description: 'For the agent.', maxLength: 2_000 };
  const filled = mayEdit ? withDefaults(fields, current) : {};
  const told = `Tool '${toOneLine(tool, MAX_NAME)}' is to be called with ${JSON.stringify(input)}.`;
  return {
    params: {
      mode: 'form',
      message: message.trim() === '' ? told : `${told}\n${message}`,
      requestedSchema: toRequestedSchema({ decision, reason, ...filled }, ['decision']),
    },
    read: ({ action, content = {} }) =>
      action === 'accept' ? readDecision(content, { current, filled }) : toDeclinedDecision(action, allows),
  };
}

/** The effect of each decision, as text for the person. */
const DECISION_TEXTS: Readonly<Record<DecisionKind, string>> = {
  approve: 'it runs',
  edit: 'it runs with what you change here',
  reject: 'it does not run, and the agent is informed',
  exit: 'it does not run, and the agent stops',
};

interface FilledForm {
  readonly current: JsonObject;
  /** The fields of the input as shown to the person. */
  readonly filled: Fields;
}

/**
 * Returns the decision in a completed form. An edit includes the input. An approval with a changed input is a
 * contradiction, and thus a problem.
 */
function readDecision(
  content: NonNullable<ElicitResult['content']>,
  { current, filled }: FilledForm,
): FormDecision {
  const { decision, reason } = content;
  const edited = Object.entries(content).filter(
    ([name, value]) => Object.hasOwn(filled, name) && !isUntouched(value, filled[name]?.default),
  );
  if (decision === 'approve' && edited.length > 0) {
    const names = edited.map(([name]) => toOneLine(name, MAX_NAME)).join(', ');
    return {
      problem: `decision: approve keeps the values shown here, but ${names} was changed. Choose edit to use the change, or undo it`,
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

/**
 * Returns whether a person left a field unchanged. Clients send a value, possibly empty, even for an
 * unchanged field.
 */
const isUntouched = (value: Json, start: Json | undefined): boolean =>
  start === undefined
    ? value === '' || value === false || (Array.isArray(value) && value.length === 0)
    : JSON.stringify(value) === JSON.stringify(start);

const DECLINED = 'The person who was asked has declined.';

/**
 * Returns the decision for a form that was not accepted. Dismissing it decides nothing, and declining it
 * never approves.
 */
function toDeclinedDecision(
  action: ElicitResult['action'],
  allows: readonly DecisionKind[],
): FormDecision | undefined {
  const decision = (['reject', 'exit'] as const).find((one) => allows.includes(one));
  return action === 'decline' && decision ? { body: { decision, reason: DECLINED } } : undefined;
}

/** Returns the schema of a form. Its fields have valid types, because `toField` creates them. */
const toRequestedSchema = (fields: Fields, required: readonly string[]) =>
  ({
    type: 'object',
    properties: fields,
    ...(required.length > 0 && { required: [...required] }),
  }) as ElicitRequestFormParams['requestedSchema'];

/** Sets the fields' defaults to the current input of the call. */
const withDefaults = (fields: Fields, current: JsonObject): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const value = Object.hasOwn(current, name) ? current[name] : undefined;
      return [name, { ...field, ...(isDefaultOf(field.type, value) && { default: value }) }];
    }),
  );

/** Returns whether a value is a valid default for a field of this type. */
function isDefaultOf(type: unknown, value: unknown): value is Json {
  if (type === 'array') return isTexts(value);
  return typeof value === (type === 'integer' ? 'number' : type);
}

/**
 * Converts a schema's properties to fields. Returns `undefined` if a property does not fit, or the schema has
 * other constraints.
 */
function toFields(schema: JsonSchema): Fields | undefined {
  const { properties = {} } = schema;
  if (schema.type !== 'object' || !isRecord(properties)) return undefined;
  if (['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if'].some((keyword) => keyword in schema)) return undefined;
  const fields = Object.entries(properties).map(([name, property]) => [name, toField(property)] as const);
  return fields.every(isField) ? Object.fromEntries(fields) : undefined;
}

const isField = (one: readonly [string, JsonObject | undefined]): one is readonly [string, JsonObject] =>
  one[1] !== undefined;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The keywords that a field can have, by type. Other constraints are checked with the answer. */
const FIELD_KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'enumNames'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['minItems', 'maxItems'],
};
const DESCRIBING_KEYWORDS = ['title', 'description'];
const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time'];

/** Converts a property to a form field. Returns `undefined` if it does not fit. */
function toField(property: unknown): JsonObject | undefined {
  if (!isRecord(property)) return undefined;
  const { type = getFieldType(property), format, items } = property;
  const keywords =
    typeof type === 'string' && Object.hasOwn(FIELD_KEYWORDS, type) ? FIELD_KEYWORDS[type] : undefined;
  const isComposed = ['$ref', 'allOf', 'anyOf', 'not', 'if'].some((keyword) => keyword in property);
  if (!keywords || typeof type !== 'string' || isComposed) return undefined;
  const choices = toChoices(property);
  if (choices === 'none' || (choices && type !== 'string')) return undefined;
  const start = isDefaultOf(type, property.default) ? ['default'] : [];
  const told = pickKeys(property, [...DESCRIBING_KEYWORDS, ...start, ...keywords]);
  if (type !== 'array') {
    return { type, ...told, ...choices, ...(FORMATS.includes(format) && { format: String(format) }) };
  }
  const ofItems = isRecord(items) ? toChoices(items, 'anyOf') : undefined;
  if (!ofItems || ofItems === 'none') return undefined;
  return { type, ...told, items: 'enum' in ofItems ? { type: 'string', ...ofItems } : ofItems };
}

/** Returns the type of a schema that only lists its values. */
const getFieldType = ({ enum: values, const: one, oneOf }: Readonly<Record<string, unknown>>): unknown =>
  [values, one, oneOf].some((said) => said !== undefined) ? 'string' : undefined;

/**
 * Returns the texts to choose from. Returns `none` if the choices are not texts, and `undefined` for a free
 * field.
 */
function toChoices(
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

const pickKeys = (from: Readonly<Record<string, unknown>>, keys: readonly string[]): JsonObject =>
  Object.fromEntries(
    keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key] as Json] as const])), // a schema is JSON
  );
