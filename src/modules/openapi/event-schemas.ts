/** The shapes of what sessions journal, one for each type of event. */
import { type EventType, FINAL_OUTCOME, PRINCIPAL, TURN_ERROR } from '../../journal/events.ts';
import { ASKED_WITH, JOURNALED_CALL, JOURNALED_PART, OFFERED_TOOL } from '../../journal/reply-data.ts';
import { PRICED_USAGE } from '../../journal/usage.ts';
import { PROVIDER_DATA } from '../../model/parts.ts';
import { DECISION_KIND, EFFECT } from '../../tool/call.ts';
import { CONTENT_PART } from '../../tool/content.ts';
import { REACHED_LIMIT } from '../../tool/frame.ts';
import { BLACKBOARD_ENTRY } from '../../tool/kept-values.ts';
import type { Schema } from '../../tool/shape.ts';
import {
  ANY_JSON,
  ANY_OBJECT,
  type Fields,
  JSON_SCHEMA,
  NUMBER,
  type ObjectShape,
  OPTIONAL_NUMBER,
  OPTIONAL_TEXT,
  OPTIONAL_WHOLE,
  OPTIONAL_YES,
  type Shape,
  TEXT,
  WHOLE,
} from '../../tool/shape.ts';
import { MEMORY_FACT } from '../../tool/tool-memory.ts';
import { RESULT, SIGNAL } from '../../tool/tool-result.ts';
import { refTo } from './to-json-schema.ts';

const IN_TURN = { object: { turn: TEXT } } as const satisfies Shape;
const IN_FRAME = { object: { frame: OPTIONAL_TEXT }, and: IN_TURN } as const satisfies Shape;

/** Returns the shape of an event of a turn. */
const inTurn = <const Own extends Fields>(object: Own) => ({ object, and: IN_TURN }) as const;

/** Returns the shape of an event of a loop, which may be nested. */
const inFrame = <const Own extends Fields>(object: Own) => ({ object, and: IN_FRAME }) as const;

/** Where a turn is that another one has started. */
const TREE_PLACE = {
  root: OPTIONAL_TEXT,
  generation: OPTIONAL_WHOLE,
  count: OPTIONAL_WHOLE,
} as const;

const FACTS = { listOf: MEMORY_FACT } as const;
const PARTS = { listOf: CONTENT_PART } as const;
const OFFERED = { listOf: OFFERED_TOOL } as const;

const ASKED = { message: TEXT, expires: OPTIONAL_NUMBER, binding: TEXT } as const;

const WAIT = {
  anyOf: [
    {
      object: {
        ...ASKED,
        for: { only: 'decision' },
        allows: { listOf: DECISION_KIND },
        input: { optional: ANY_OBJECT },
        schema: JSON_SCHEMA,
        credentials: { optional: { only: 'refused' } },
        by: OPTIONAL_TEXT,
        notBy: { optional: { only: 'requester' } },
        onExpiry: { oneOf: ['approve', 'reject', 'exit'] },
        checkpoint: { optional: ANY_JSON },
      },
    },
    { object: { ...ASKED, for: { only: 'result' } } },
  ],
} as const satisfies Shape;

const ANSWER = {
  anyOf: [
    {
      object: {
        type: { only: 'decision' },
        decision: DECISION_KIND,
        input: { optional: ANY_OBJECT },
        reason: OPTIONAL_TEXT,
        by: OPTIONAL_TEXT,
        expired: OPTIONAL_YES,
        inCall: OPTIONAL_YES,
      },
    },
    {
      object: {
        type: { only: 'result' },
        result: RESULT,
        by: OPTIONAL_TEXT,
        expired: OPTIONAL_YES,
      },
    },
  ],
} as const satisfies Shape;

const CHANGES = {
  object: {
    state: { optional: ANY_OBJECT },
    blackboard: { optional: { listOf: BLACKBOARD_ENTRY } },
    facts: { optional: FACTS },
    scheduled: {
      optional: {
        listOf: { object: { turn: TEXT, message: TEXT, after: NUMBER, recurring: OPTIONAL_YES } },
      },
    },
  },
} as const satisfies Shape;

/** The properties of each type of event, beside those that all have. */
export const EVENTS = {
  'session-opened': { object: { incarnation: TEXT, agent: TEXT } },
  'turn-started': inTurn({
    loopId: TEXT,
    message: TEXT,
    parts: { optional: PARTS },
    context: ANY_OBJECT,
    principal: PRINCIPAL,
    ...TREE_PLACE,
  }),
  'turn-resumed': inTurn({ cause: { oneOf: ['expired', 'handed-over'] } }),
  'model-refused': inFrame({
    limit: { oneOf: ['tokens', 'cost'] },
    of: OPTIONAL_TEXT,
    most: NUMBER,
    used: NUMBER,
    needed: NUMBER,
  }),
  'model-replied': inFrame({
    model: TEXT,
    text: TEXT,
    toolCalls: { listOf: JOURNALED_CALL },
    parts: { optional: { listOf: JOURNALED_PART } },
    cut: OPTIONAL_YES,
    provider: { optional: PROVIDER_DATA },
    asked: { optional: ASKED_WITH },
    servedBy: OPTIONAL_TEXT,
    finish: TEXT,
    usage: { optional: PRICED_USAGE },
    planned: OPTIONAL_YES,
    last: OPTIONAL_YES,
    unseen: OPTIONAL_WHOLE,
  }),
  'tool-call-started': inFrame({ call: TEXT, effect: EFFECT, atEnd: { optional: FACTS } }),
  'tool-call-ended': inFrame({
    call: TEXT,
    result: RESULT,
    ms: OPTIONAL_NUMBER,
    limit: { optional: REACHED_LIMIT },
    direct: OPTIONAL_YES,
    changes: { optional: CHANGES },
    sent: OPTIONAL_WHOLE,
  }),
  'tool-call-suspended': inFrame({ call: TEXT, wait: WAIT }),
  'tool-call-answered': inFrame({ call: TEXT, answer: ANSWER }),
  'message-sent': inFrame({ call: TEXT, text: TEXT, tool: TEXT, under: OPTIONAL_TEXT }),
  'frame-started': inTurn({
    frame: TEXT,
    parent: OPTIONAL_TEXT,
    name: TEXT,
    message: TEXT,
    facts: { optional: FACTS },
    atEnd: { optional: FACTS },
    ownBlackboard: OPTIONAL_YES,
  }),
  'tools-changed': inFrame({
    came: { optional: OFFERED },
    went: { optional: OFFERED },
    cause: { oneOf: ['session', 'turn', 'deploy'] },
    all: { optional: OFFERED },
  }),
  'tools-listed': inFrame({ facts: FACTS }),
  'answer-rejected': inFrame({ problems: { listOf: TEXT } }),
  'turn-steered': inTurn({
    ...TREE_PLACE,
    as: TEXT,
    message: TEXT,
    parts: { optional: PARTS },
    principal: PRINCIPAL,
  }),
  'late-result-received': inFrame({
    open: OPTIONAL_YES,
    call: TEXT,
    tool: TEXT,
    input: TEXT,
    result: RESULT,
  }),
  'module-event': inFrame({ module: TEXT, facts: FACTS, usage: { optional: PRICED_USAGE } }),
  'conversation-cut': inFrame({
    turns: OPTIONAL_WHOLE,
    results: OPTIONAL_WHOLE,
    summary: OPTIONAL_TEXT,
    usage: { optional: PRICED_USAGE },
  }),
  'cancel-requested': inTurn({}),
  'turn-yielded': inTurn({ reason: TEXT }),
  'turn-ended': inTurn({
    outcome: FINAL_OUTCOME,
    limit: { optional: REACHED_LIMIT },
    error: { optional: TURN_ERROR },
    signal: { optional: SIGNAL },
    text: OPTIONAL_TEXT,
    object: { optional: ANY_JSON },
  }),
} as const satisfies { readonly [Type in EventType]: ObjectShape };

/** All types of events. */
export const EVENT_TYPES = Object.keys(EVENTS);

const nameOf = (type: string): string =>
  `${type}-event`.replaceAll(/(?:^|-)(.)/g, (_, first: string) => first.toUpperCase());

/** The components of all types of events, by their names. */
export const EVENT_COMPONENTS: Readonly<Record<string, Shape>> = Object.fromEntries(
  Object.entries<ObjectShape>(EVENTS).map(([type, own]) => [nameOf(type), eventShape(type, own)]),
);

function eventShape(type: string, own: ObjectShape): Shape {
  const at = { type: 'number', says: 'In ms since the epoch.' } as const;
  return { object: { type: { only: type }, seq: WHOLE, at }, and: own };
}

/** Returns the schema of any event, which its `type` tells from others. */
export function storedEvent(): Schema {
  const refs = EVENT_TYPES.map((type) => [type, refTo(nameOf(type))] as const);
  return {
    description: 'An event of the journal.',
    oneOf: refs.map(([, ref]) => ref),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(refs.map(([type, { $ref }]) => [type, $ref])),
    },
  };
}
