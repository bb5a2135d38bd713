/** The schemas of what sessions journal, one for each type of event. */
import type { CallChanges, EventOf, EventType, ScheduledMessage, StoredEvent } from '../../journal/events.ts';
import type { Answer, DecisionWait, ResultWait, Wait } from '../../journal/wait.ts';
import { DECISION_KIND, type DescribedEvents, LIMIT, ref } from './described.ts';
import {
  anyObject,
  anything,
  either,
  type Fields,
  list,
  number,
  object,
  type SchemaOf,
  saying,
  text,
  typed,
  values,
  whole,
  yes,
} from './typed-schema.ts';

const inTurn = { turn: text };
const inFrame = { ...inTurn, 'frame?': text };
const FACTS = list(ref('MemoryFact'));
const EFFECT = values('read', 'idempotent', 'once');
const PARTS = list(ref('ContentPart'));
const OFFERED = list(ref('OfferedTool'));
const BUDGET = values('tokens', 'cost');
const waitBase = { message: text, 'expires?': number, binding: text };

const wait: SchemaOf<Wait> = either(
  object<DecisionWait>({
    ...waitBase,
    for: values('decision'),
    allows: list(DECISION_KIND),
    'input?': anyObject(),
    schema: anyObject(),
    'credentials?': values('refused'),
    'by?': text,
    'notBy?': values('requester'),
    onExpiry: values('approve', 'reject', 'exit'),
    'checkpoint?': anything(),
  }),
  object<ResultWait>({ ...waitBase, for: values('result') }),
);

const answer: SchemaOf<Answer> = either(
  object<Extract<Answer, { readonly type: 'decision' }>>({
    type: values('decision'),
    decision: DECISION_KIND,
    'input?': anyObject(),
    'reason?': text,
    'by?': text,
    'expired?': yes,
    'inCall?': yes,
  }),
  object<Extract<Answer, { readonly type: 'result' }>>({
    type: values('result'),
    result: ref('ToolResult'),
    'by?': text,
    'expired?': yes,
  }),
);

/** Where a turn is that another one has started. */
const treePlace = { 'root?': text, 'generation?': whole, 'count?': whole };

/** The properties of each type of event, beside those that all have. */
const EVENTS: { readonly [Type in EventType]: Fields<Omit<EventOf<Type>, 'type'>> } = {
  'session-opened': { incarnation: text, agent: text },
  'turn-started': {
    ...inTurn,
    loopId: text,
    message: text,
    'parts?': PARTS,
    context: anyObject(),
    principal: ref('Principal'),
    ...treePlace,
  },
  'turn-resumed': { ...inTurn, cause: values('expired', 'handed-over') },
  'model-refused': { ...inFrame, limit: BUDGET, 'of?': text, most: number, used: number, needed: number },
  'model-replied': {
    ...inFrame,
    model: text,
    text,
    toolCalls: list(ref('ToolCall')),
    'parts?': list(ref('ReplyPart')),
    'cut?': yes,
    'provider?': anyObject(),
    'asked?': anyObject(),
    'servedBy?': text,
    finish: text,
    'usage?': ref('Usage'),
    'planned?': yes,
    'last?': yes,
    'unseen?': whole,
  },
  'tool-call-started': { ...inFrame, call: text, effect: EFFECT, 'atEnd?': FACTS },
  'tool-call-ended': {
    ...inFrame,
    call: text,
    result: ref('ToolResult'),
    'ms?': number,
    'limit?': LIMIT,
    'direct?': yes,
    'changes?': object<CallChanges>({
      'state?': anyObject(),
      'blackboard?': list(ref('BlackboardEntry')),
      'facts?': FACTS,
      'scheduled?': list(
        object<ScheduledMessage>({ turn: text, message: text, after: number, 'recurring?': yes }),
      ),
    }),
    'sent?': whole,
  },
  'tool-call-suspended': { ...inFrame, call: text, wait },
  'tool-call-answered': { ...inFrame, call: text, answer },
  'message-sent': { ...inFrame, call: text, text, tool: text, 'under?': text },
  'frame-started': {
    ...inTurn,
    frame: text,
    'parent?': text,
    name: text,
    message: text,
    'facts?': FACTS,
    'atEnd?': FACTS,
    'ownBlackboard?': yes,
  },
  'tools-changed': {
    ...inFrame,
    'came?': OFFERED,
    'went?': OFFERED,
    cause: values('session', 'turn', 'deploy'),
    'all?': OFFERED,
  },
  'tools-listed': { ...inFrame, facts: FACTS },
  'answer-rejected': { ...inFrame, problems: list(text) },
  'turn-steered': {
    ...inTurn,
    ...treePlace,
    as: text,
    message: text,
    'parts?': PARTS,
    principal: ref('Principal'),
  },
  'late-result-received': {
    ...inFrame,
    'open?': yes,
    call: text,
    tool: text,
    input: text,
    result: ref('ToolResult'),
  },
  'module-event': { ...inFrame, module: text, facts: FACTS, 'usage?': ref('Usage') },
  'conversation-cut': {
    ...inFrame,
    'turns?': whole,
    'results?': whole,
    'summary?': text,
    'usage?': ref('Usage'),
  },
  'cancel-requested': inTurn,
  'turn-yielded': { ...inTurn, reason: text },
  'turn-ended': {
    ...inTurn,
    outcome: values('completed', 'returned-direct', 'limit-reached', 'cancelled', 'failed'),
    'limit?': LIMIT,
    'error?': ref('TurnError'),
    'signal?': ref('Signal'),
    'text?': text,
    'object?': anything(),
  },
};

/** All types of events. */
export const EVENT_TYPES = Object.keys(EVENTS);

const nameOf = (type: string): string =>
  `${type}-event`.replaceAll(/(?:^|-)(.)/g, (_, first: string) => first.toUpperCase());

/** Answers the components of all types of events. */
export function eventSchemas(): {
  readonly [Name in keyof DescribedEvents]: SchemaOf<DescribedEvents[Name]>;
} {
  const place = {
    seq: whole,
    at: saying('In ms since the epoch.', number),
  };
  const schemas = Object.entries(EVENTS).map(([type, fields]) => [
    nameOf(type),
    object<object>({ type: values(type), ...place, ...fields }),
  ]);
  return Object.fromEntries(schemas); // one for each type, as the table has them
}

/** Answers the schema of any event, told apart by its `type`. */
export function storedEvent(): SchemaOf<StoredEvent> {
  const refs = EVENT_TYPES.map((type) => [type, `#/components/schemas/${nameOf(type)}`] as const);
  return typed({
    description: 'An event of the journal.',
    oneOf: refs.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(refs) },
  });
}
