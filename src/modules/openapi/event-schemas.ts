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
  JSON_SCHEMA,
  NUMBER,
  type ObjectShape,
  type Shape,
  TEXT,
  WHOLE,
  YES,
} from '../../tool/shape.ts';
import { MEMORY_FACT } from '../../tool/tool-memory.ts';
import { RESULT, SIGNAL } from '../../tool/tool-result.ts';
import { refTo } from './to-json-schema.ts';

const IN_TURN = { object: { turn: TEXT } } as const satisfies Shape;
const IN_FRAME = { object: { frame: { optional: TEXT } }, and: IN_TURN } as const satisfies Shape;

/** Where a turn is that another one has started. */
const TREE_PLACE = {
  root: { optional: TEXT },
  generation: { optional: WHOLE },
  count: { optional: WHOLE },
} as const;

const FACTS = { listOf: MEMORY_FACT } as const;
const PARTS = { listOf: CONTENT_PART } as const;
const OFFERED = { listOf: OFFERED_TOOL } as const;

const ASKED = { message: TEXT, expires: { optional: NUMBER }, binding: TEXT } as const;

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
        by: { optional: TEXT },
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
        reason: { optional: TEXT },
        by: { optional: TEXT },
        expired: { optional: YES },
        inCall: { optional: YES },
      },
    },
    {
      object: {
        type: { only: 'result' },
        result: RESULT,
        by: { optional: TEXT },
        expired: { optional: YES },
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
        listOf: { object: { turn: TEXT, message: TEXT, after: NUMBER, recurring: { optional: YES } } },
      },
    },
  },
} as const satisfies Shape;

/** The properties of each type of event, beside those that all have. */
export const EVENTS = {
  'session-opened': { object: { incarnation: TEXT, agent: TEXT } },
  'turn-started': {
    object: {
      loopId: TEXT,
      message: TEXT,
      parts: { optional: PARTS },
      context: ANY_OBJECT,
      principal: PRINCIPAL,
      ...TREE_PLACE,
    },
    and: IN_TURN,
  },
  'turn-resumed': { object: { cause: { oneOf: ['expired', 'handed-over'] } }, and: IN_TURN },
  'model-refused': {
    object: {
      limit: { oneOf: ['tokens', 'cost'] },
      of: { optional: TEXT },
      most: NUMBER,
      used: NUMBER,
      needed: NUMBER,
    },
    and: IN_FRAME,
  },
  'model-replied': {
    object: {
      model: TEXT,
      text: TEXT,
      toolCalls: { listOf: JOURNALED_CALL },
      parts: { optional: { listOf: JOURNALED_PART } },
      cut: { optional: YES },
      provider: { optional: PROVIDER_DATA },
      asked: { optional: ASKED_WITH },
      servedBy: { optional: TEXT },
      finish: TEXT,
      usage: { optional: PRICED_USAGE },
      planned: { optional: YES },
      last: { optional: YES },
      unseen: { optional: WHOLE },
    },
    and: IN_FRAME,
  },
  'tool-call-started': {
    object: { call: TEXT, effect: EFFECT, atEnd: { optional: FACTS } },
    and: IN_FRAME,
  },
  'tool-call-ended': {
    object: {
      call: TEXT,
      result: RESULT,
      ms: { optional: NUMBER },
      limit: { optional: REACHED_LIMIT },
      direct: { optional: YES },
      changes: { optional: CHANGES },
      sent: { optional: WHOLE },
    },
    and: IN_FRAME,
  },
  'tool-call-suspended': { object: { call: TEXT, wait: WAIT }, and: IN_FRAME },
  'tool-call-answered': { object: { call: TEXT, answer: ANSWER }, and: IN_FRAME },
  'message-sent': {
    object: { call: TEXT, text: TEXT, tool: TEXT, under: { optional: TEXT } },
    and: IN_FRAME,
  },
  'frame-started': {
    object: {
      frame: TEXT,
      parent: { optional: TEXT },
      name: TEXT,
      message: TEXT,
      facts: { optional: FACTS },
      atEnd: { optional: FACTS },
      ownBlackboard: { optional: YES },
    },
    and: IN_TURN,
  },
  'tools-changed': {
    object: {
      came: { optional: OFFERED },
      went: { optional: OFFERED },
      cause: { oneOf: ['session', 'turn', 'deploy'] },
      all: { optional: OFFERED },
    },
    and: IN_FRAME,
  },
  'tools-listed': { object: { facts: FACTS }, and: IN_FRAME },
  'answer-rejected': { object: { problems: { listOf: TEXT } }, and: IN_FRAME },
  'turn-steered': {
    object: { ...TREE_PLACE, as: TEXT, message: TEXT, parts: { optional: PARTS }, principal: PRINCIPAL },
    and: IN_TURN,
  },
  'late-result-received': {
    object: { open: { optional: YES }, call: TEXT, tool: TEXT, input: TEXT, result: RESULT },
    and: IN_FRAME,
  },
  'module-event': {
    object: { module: TEXT, facts: FACTS, usage: { optional: PRICED_USAGE } },
    and: IN_FRAME,
  },
  'conversation-cut': {
    object: {
      turns: { optional: WHOLE },
      results: { optional: WHOLE },
      summary: { optional: TEXT },
      usage: { optional: PRICED_USAGE },
    },
    and: IN_FRAME,
  },
  'cancel-requested': IN_TURN,
  'turn-yielded': { object: { reason: TEXT }, and: IN_TURN },
  'turn-ended': {
    object: {
      outcome: FINAL_OUTCOME,
      limit: { optional: REACHED_LIMIT },
      error: { optional: TURN_ERROR },
      signal: { optional: SIGNAL },
      text: { optional: TEXT },
      object: { optional: ANY_JSON },
    },
    and: IN_TURN,
  },
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

/** Answers the schema of any event, told apart by its `type`. */
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
