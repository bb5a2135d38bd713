/** The schemas of what clients are answered: the components of the OpenAPI description. */
import type { ToolsChange } from '../../journal/reply-data.ts';
import type { LoopLimits } from '../../loop/policies.ts';
import type { MediaTaken } from '../../model/chat-model.ts';
import type { TurnAnswer } from '../../session/watching/turn-outcome.ts';
import type { ProviderCard } from '../../sources/resolution/tool-source.ts';
import type { Signal } from '../../tool/tool-result.ts';
import type { PendingView } from '../../worker/pending-view.ts';
import { type ProblemDocument, STATUS } from '../../worker/problem.ts';
import type { MessageView, SessionView } from '../../worker/session-view.ts';
import { CONTENT_PART, FILE_ID, FILES, JOURNALED_CALL, REPLY_PART, TOOL_RESULT } from './content-schemas.ts';
import { DECISION_KIND, type Described, LIMIT, ref } from './described.ts';
import { eventSchemas, storedEvent } from './event-schemas.ts';
import { streamSchemas } from './stream-schemas.ts';
import {
  anyObject,
  anything,
  either,
  type Fields,
  list,
  number,
  object,
  orNull,
  record,
  type SchemaOf,
  saying,
  text,
  typed,
  values,
  whole,
} from './typed-schema.ts';

const COUNT_LIMIT = either(whole, values('unlimited'));
const EFFECT = values('none', 'read', 'idempotent', 'once');

const innerTool = {
  name: text,
  description: text,
  effect: EFFECT,
  'inner?': list(ref('InnerTool')),
  'innerLeftOut?': whole,
};

/** What there is of any turn that has stopped. */
const turn: Fields<Omit<TurnAnswer, 'outcome'>> = {
  turn: text,
  loopId: text,
  session: text,
  agent: text,
  'limit?': LIMIT,
  text,
  'object?': anything(),
  artifacts: list(ref('Artifact')),
  'files?': list(ref('TurnFile')),
  'said?': list(ref('Said')),
  'tools?': ref('ToolsOfTurn'),
  usage: ref('Usage'),
  iterations: whole,
  toolCalls: whole,
  model: orNull(text),
  'error?': ref('TurnError'),
  'signal?': ref('Signal'),
  'stoppedBy?': list(ref('StoppingCall')),
};

const problem: Fields<Pick<ProblemDocument, 'type' | 'title' | 'status' | 'detail'>> = {
  type: typed({ type: 'string', enum: Object.keys(STATUS).map((type) => `urn:holdfast:problem:${type}`) }),
  title: text,
  status: whole,
  detail: text,
};

const pending = list(ref('PendingCall'));
const waiting = list(ref('WaitingTurn'));
const calledBy = { call: text, tool: text };
const message: SchemaOf<MessageView> = either(
  object<Extract<MessageView, { readonly role: 'user' }>>({
    role: values('user'),
    text,
    'parts?': list(ref('ContentPart')),
    'by?': values('loop', 'steer', 'late', 'summary'),
    'toolsChange?': object<ToolsChange>({ came: list(ref('OfferedTool')), went: list(ref('OfferedTool')) }),
  }),
  object<Exclude<MessageView, { readonly role: 'user' } | { readonly call: string }>>({
    role: values('assistant'),
    text,
    'toolCalls?': list(ref('MessageCall')),
    'parts?': list(ref('ReplyPart')),
  }),
  object<Extract<MessageView, { readonly call: string }>>({ role: values('assistant'), ...calledBy, text }),
);

const pendingCall = object<PendingView>({
  ...calledBy,
  question: saying('Its place among the questions of its call, from 1.', whole),
  input: anything(),
  'sent?': anything(),
  for: values('decision', 'result'),
  message: text,
  'allows?': list(DECISION_KIND),
  'schema?': saying('What the input of an edit must match.', anyObject()),
  'by?': saying('The role that may answer.', text),
  'notBy?': values('requester'),
  'expiresAt?': saying('In ms since the epoch.', number),
  links: either(
    object<{ readonly approvals: string }>({ approvals: text }),
    object<{ readonly results: string }>({ results: text }),
  ),
});

const state = object<SessionView>({
  session: text,
  agent: text,
  seq: whole,
  turn: typed({ anyOf: [ref('TurnAnswer'), ref('RunningTurn'), { type: 'null' }] }),
  openTurn: orNull(text),
  waiting,
  messages: list(ref('Message')),
  blackboard: list(ref('BlackboardEntry')),
  state: record(anyObject()),
  memory: anyObject(),
  pending,
  usage: ref('Usage'),
});

/** Answers every component, made when they are asked for: few requests ask. */
export const componentSchemas = (): { readonly [Name in keyof Described]: SchemaOf<Described[Name]> } => ({
  Root: typed({
    type: 'object',
    required: ['name', 'agents'],
    properties: { name: values('holdfast'), agents: text },
    additionalProperties: text,
  }),
  Health: object<Described['Health']>({ status: values('ok'), 'warnings?': list(text) }),
  AgentList: object<Described['AgentList']>({ agents: list(ref('Agent')) }),
  Agent: object<Described['Agent']>({
    name: text,
    description: text,
    limits: object<LoopLimits>({
      'tokens?': COUNT_LIMIT,
      iterations: whole,
    }),
    'accepts?': object<MediaTaken>({ data: list(text), url: list(text) }),
    'output?': anyObject(),
    tools: list(ref('Tool')),
    'sources?': list(object<ProviderCard>({ name: text, 'description?': text, 'metadata?': anyObject() })),
    'misconfigured?': text,
  }),
  Tool: object<Described['Tool']>({ ...innerTool, inputSchema: anyObject(), 'metadata?': anyObject() }),
  InnerTool: object<Described['InnerTool']>(innerTool),
  TurnAnswer: object<Described['TurnAnswer']>({
    ...turn,
    outcome: values('completed', 'returned-direct', 'limit-reached', 'cancelled', 'failed'),
  }),
  SuspendedTurn: object<Described['SuspendedTurn']>({
    ...turn,
    outcome: values('suspended'),
    status: values('suspended'),
    pending,
  }),
  LaterTurn: object<Described['LaterTurn']>({
    turn: text,
    session: text,
    agent: text,
    status: values('accepted', 'queued', 'steering', 'steered', 'scheduled', 'running'),
    'into?': saying('The turn whose answer is its answer.', text),
    'startsAt?': typed({ type: 'string', format: 'date-time' }),
    'pending?': pending,
  }),
  RunningTurn: object<Described['RunningTurn']>({
    turn: text,
    loopId: text,
    outcome: typed({ type: 'null' }),
    iterations: whole,
    toolCalls: whole,
    usage: ref('Usage'),
  }),
  CancelRequested: object<Described['CancelRequested']>({ turn: text, status: values('cancel-requested') }),
  SessionState: state,
  Message: message,
  MessageCall: object<Described['MessageCall']>({
    id: text,
    name: text,
    input: anything(),
    status: values('asked', 'started', 'ended'),
    'result?': text,
    'files?': FILES,
  }),
  PendingCall: pendingCall,
  WaitingTurn: object<Described['WaitingTurn']>({
    turn: text,
    status: values('queued', 'steering', 'scheduled'),
  }),
  EventsPage: object<Described['EventsPage']>({
    events: list(ref('StoredEvent')),
    head: whole,
    next: orNull(text),
  }),
  StoredEvent: storedEvent(),
  Problem: object<Described['Problem']>({
    ...problem,
    'turn?': text,
    'pending?': pending,
    'problems?': list(text),
    'taken?': list(text),
    'role?': text,
    'notBy?': values('requester'),
    'most?': number,
    'used?': number,
    'accepts?': object<MediaTaken>({ data: list(text), url: list(text) }),
    'seq?': whole,
    'openTurn?': orNull(text),
    'waiting?': waiting,
  }),
  FailedTurn: object<Described['FailedTurn']>({ ...problem, ...turn, outcome: values('failed') }),
  Artifact: object<Described['Artifact']>({ ...calledBy, 'type?': text, value: anything() }),
  TurnFile: object<Described['TurnFile']>({
    ...calledBy,
    mediaType: text,
    'name?': text,
    id: FILE_ID,
    size: whole,
  }),
  Said: object<Described['Said']>({ ...calledBy, text }),
  StoppingCall: object<Described['StoppingCall']>(calledBy),
  ToolsOfTurn: object<Described['ToolsOfTurn']>({ late: list(text), gone: list(text), sourcesAsked: whole }),
  TurnError: object<Described['TurnError']>({
    type: values(
      'model-failure',
      'empty-reply',
      'invalid-output',
      'tool-not-found',
      'tool-failure',
      'stuck',
      'session-full',
      'misconfigured',
      'internal',
    ),
    message: text,
    'retryAfter?': number,
  }),
  Signal: object<Signal>({
    type: values('replan', 'terminate-action', 'terminate-agent', 'exit', 'misconfigured', 'fail'),
    reason: text,
  }),
  Usage: object<Described['Usage']>({
    inputTokens: whole,
    outputTokens: whole,
    'cachedInputTokens?': whole,
    'cacheWriteTokens?': whole,
    'reasoningTokens?': whole,
    'cost?': saying('In USD.', number),
  }),
  BlackboardEntry: object<Described['BlackboardEntry']>({ 'name?': text, 'type?': text, value: anything() }),
  ContentPart: CONTENT_PART,
  Principal: object<Described['Principal']>({ id: text, 'tenant?': text, 'roles?': list(text) }),
  ToolCall: object<Described['ToolCall']>(JOURNALED_CALL),
  ReplyPart: REPLY_PART,
  ToolResult: TOOL_RESULT,
  OfferedTool: object<Described['OfferedTool']>({ name: text, hash: text }),
  MemoryFact: object<Described['MemoryFact']>({
    slice: text,
    fact: anything(),
    'on?': values('end'),
    'at?': number,
    'unread?': values('refuse'),
  }),
  ...streamSchemas(),
  ...eventSchemas(),
});
