/** The schemas of what clients are answered: the components of the OpenAPI description. */
import type { JournaledPart, ToolsChange } from '../journal/reply-data.ts';
import type { LoopLimits } from '../loop/loop-limits.ts';
import type { MediaTaken } from '../model/chat-model.ts';
import type { ProviderData } from '../model/parts.ts';
import type { TurnAnswer } from '../session/watching/turn-outcome.ts';
import type { ProviderCard } from '../sources/resolution/tool-source.ts';
import type { ContentPart, FileContent, LinkedFile, StoredFile, TextContent } from '../tool/content.ts';
import type { ResultData, Signal } from '../tool/tool-result.ts';
import { DECISION_KIND, type Described, LIMIT, ref } from './described.ts';
import { eventSchemas, storedEvent } from './event-schemas.ts';
import { PROBLEM_TYPES, type ProblemDocument } from './problem.ts';
import type { MessageView, SessionView } from './session-view.ts';
import { streamSchemas } from './stream-schemas.ts';
import type { PendingView } from './turn-view.ts';
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
  yes,
} from './typed-schema.ts';

const LIMIT_OF_CALLS = either(whole, values('unlimited'));
const EFFECT = values('none', 'read', 'idempotent', 'once');
const LINK = saying('A path.', text);

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
  'object?': saying('The text, parsed as the output of the agent.', anything()),
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
  type: typed({ type: 'string', enum: PROBLEM_TYPES.map((type) => `urn:holdfast:problem:${type}`) }),
  title: text,
  status: whole,
  detail: saying('What to do about it.', text),
};

const pending = list(ref('PendingCall'));
const waiting = list(ref('WaitingTurn'));
const calledBy = { call: text, tool: text };
const file = { type: values('file'), mediaType: text, 'name?': text };
const storedFile = {
  ...file,
  id: saying('The SHA-256 of its bytes: GET .../files/{id}.', text),
  size: whole,
};
const partBase = { 'provider?': anyObject<ProviderData>() };
const withheld = { 'withheld?': yes, 'signal?': ref('Signal') };

// Bytes are never shown, which stand in none of these.
const files = typed<readonly FileContent[]>(
  list(either(object<StoredFile>(storedFile), object<LinkedFile>({ ...file, url: text }))),
);

type PartOf<Type extends JournaledPart['type']> = Extract<JournaledPart, { readonly type: Type }>;
type OurCall = Exclude<PartOf<'tool-call'>, { readonly ranBy: 'provider' }>;
type ProvidersCall = Extract<PartOf<'tool-call'>, { readonly ranBy: 'provider' }>;
type ResultOf<Type extends ResultData['type']> = Extract<ResultData, { readonly type: Type }>;

const journaledCall = { id: text, providerId: text, name: text, 'meant?': text, input: text };

const replyPart: SchemaOf<JournaledPart> = either(
  object<PartOf<'text'>>({ ...partBase, type: values('text'), text }),
  object<PartOf<'reasoning'>>({ ...partBase, type: values('reasoning'), text }),
  object<PartOf<'file'>>({
    ...partBase,
    type: values('file'),
    mediaType: text,
    data: saying('Base64, or the URL where it is.', text),
    'ofReasoning?': yes,
  }),
  object<Omit<OurCall, 'ranBy'>>({
    ...partBase,
    ...journaledCall,
    type: values('tool-call'),
    'called?': text,
  }),
  object<ProvidersCall>({
    ...partBase,
    type: values('tool-call'),
    id: text,
    name: text,
    input: text,
    ranBy: values('provider'),
  }),
  object<PartOf<'tool-result'>>({
    ...partBase,
    type: values('tool-result'),
    id: text,
    name: text,
    result: anything(),
    'isError?': yes,
  }),
  object<PartOf<'source'>>({
    ...partBase,
    type: values('source'),
    id: text,
    'url?': text,
    'title?': text,
    'mediaType?': text,
    'filename?': text,
  }),
  object<PartOf<'custom'>>({ ...partBase, type: values('custom'), kind: text }),
);

const toolResult: SchemaOf<ResultData> = either(
  object<ResultOf<'text'>>({ ...withheld, type: values('text'), content: text }),
  object<ResultOf<'content'>>({ ...withheld, type: values('content'), parts: list(ref('ContentPart')) }),
  object<ResultOf<'artifact'>>({
    ...withheld,
    type: values('artifact'),
    value: anything(),
    'content?': text,
    'parts?': list(ref('ContentPart')),
    'remark?': text,
    'artifactType?': text,
  }),
  object<ResultOf<'error'>>({
    type: values('error'),
    message: text,
    'reason?': values(
      'threw',
      'unknown-tool',
      'invalid-input',
      'limit',
      'timeout',
      'cancelled',
      'declined',
      'skipped',
      'unknown-outcome',
    ),
    'signal?': ref('Signal'),
  }),
);

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
  input: anything(),
  'sent?': saying('What the model sent, where that is something else.', anything()),
  for: values('decision', 'result'),
  message: text,
  'allows?': list(DECISION_KIND),
  'schema?': saying('What the input of an edit must match.', anyObject()),
  'by?': saying('The role that may answer.', text),
  'notBy?': values('requester'),
  'expiresAt?': saying('In ms since the epoch.', number),
  links: either(
    object<{ readonly approvals: string }>({ approvals: LINK }),
    object<{ readonly results: string }>({ results: LINK }),
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
  Root: object<Described['Root']>({ name: values('holdfast'), agents: LINK, openapi: LINK, 'mcp?': LINK }),
  Health: object<Described['Health']>({ status: values('ok'), 'warnings?': list(text) }),
  AgentList: object<Described['AgentList']>({ agents: list(ref('Agent')) }),
  Agent: object<Described['Agent']>({
    name: text,
    description: text,
    limits: object<LoopLimits>({
      'tokens?': LIMIT_OF_CALLS,
      'cost?': number,
      iterations: whole,
      toolCalls: LIMIT_OF_CALLS,
      callsPerTool: either(LIMIT_OF_CALLS, record(LIMIT_OF_CALLS)),
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
    'files?': files,
  }),
  PendingCall: pendingCall,
  WaitingTurn: object<Described['WaitingTurn']>({
    turn: text,
    status: values('queued', 'steering', 'scheduled'),
  }),
  EventsPage: object<Described['EventsPage']>({
    events: list(ref('StoredEvent')),
    head: whole,
    next: orNull(LINK),
  }),
  StoredEvent: storedEvent(),
  FileBody: typed({ type: 'string', format: 'binary' }),
  HookStarted: object<Described['HookStarted']>({
    hook: text,
    session: text,
    agent: text,
    turn: text,
    status: values('accepted', 'known', 'queued', 'steering', 'scheduled'),
    'into?': text,
    'at?': number,
  }),
  HookIgnored: object<Described['HookIgnored']>({ hook: text, status: values('ignored'), reason: text }),
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
    id: storedFile.id,
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
  // Bytes are never journaled.
  ContentPart: typed<ContentPart>(
    either(
      object<TextContent>({ type: values('text'), text }),
      object<StoredFile>(storedFile),
      object<LinkedFile>({ ...file, url: text }),
    ),
  ),
  Principal: object<Described['Principal']>({ id: text, 'tenant?': text, 'roles?': list(text) }),
  ToolCall: object<Described['ToolCall']>(journaledCall),
  ReplyPart: replyPart,
  ToolResult: toolResult,
  OfferedTool: object<Described['OfferedTool']>({ name: text, hash: text }),
  MemoryFact: object<Described['MemoryFact']>({
    slice: text,
    fact: anything(),
    'on?': values('end'),
    'at?': number,
  }),
  ...streamSchemas(),
  ...eventSchemas(),
});
