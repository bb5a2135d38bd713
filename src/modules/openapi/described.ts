/** What the components of the OpenAPI description describe: each name with a type, to which the compiler holds its schema. */

import type { WaitingTurn } from '../../journal/event-page.ts';
import type { EventType, Principal, StoredEvent, TurnError } from '../../journal/events.ts';
import type { JournaledCall, JournaledPart, OfferedTool } from '../../journal/reply-data.ts';
import type { StoppingCall, TurnArtifact, TurnFile, TurnTools } from '../../journal/state.ts';
import type { PricedUsage } from '../../journal/usage.ts';
import type { TurnAnswer } from '../../session/watching/turn-outcome.ts';
import type { TurnSaid } from '../../tool/call.ts';
import type { ContentPart } from '../../tool/content.ts';
import type { ReachedLimit } from '../../tool/frame.ts';
import type { BlackboardEntry } from '../../tool/kept-values.ts';
import type { MemoryFact } from '../../tool/tool-memory.ts';
import type { ResultData, Signal } from '../../tool/tool-result.ts';
import type { CancelRequested } from '../../worker/end-turn.ts';
import type { PendingView } from '../../worker/pending-view.ts';
import type { FailedTurn, ProblemDocument } from '../../worker/problem.ts';
import type {
  AgentList,
  AgentView,
  EventsPage,
  HealthView,
  InnerToolView,
  RootView,
  ToolView,
} from '../../worker/route-views.ts';
import type { CallView, MessageView, RunningTurnView, SessionView } from '../../worker/session-view.ts';
import type { LaterView, SuspendedView } from '../../worker/turn-view.ts';
import { object, type SchemaOf, typed, values, whole } from './typed-schema.ts';

/** The name of the component that describes the events of a type, such as `TurnStartedEvent`. */
type NameOf<Type extends string> = Type extends `${infer Word}-${infer Rest}`
  ? `${Capitalize<Word>}${NameOf<Rest>}`
  : `${Capitalize<Type>}Event`;

/** What each component for a type of event describes. */
export type DescribedEvents = {
  readonly [Type in EventType as NameOf<Type>]: Extract<StoredEvent, { readonly type: Type }>;
};

/** What each component describes. */
export interface Described extends DescribedEvents {
  readonly Root: RootView;
  readonly Health: HealthView;
  readonly AgentList: AgentList;
  readonly Agent: AgentView;
  readonly Tool: ToolView;
  readonly InnerTool: InnerToolView;
  readonly TurnAnswer: TurnAnswer;
  readonly SuspendedTurn: SuspendedView;
  readonly LaterTurn: LaterView;
  readonly RunningTurn: RunningTurnView;
  readonly CancelRequested: CancelRequested;
  readonly SessionState: SessionView;
  readonly Message: MessageView;
  readonly MessageCall: CallView;
  readonly PendingCall: PendingView;
  readonly WaitingTurn: WaitingTurn;
  readonly EventsPage: EventsPage;
  readonly StoredEvent: StoredEvent;
  readonly TurnStream: string;
  readonly TurnStreamEvent: unknown;
  readonly SessionStream: string;
  readonly SessionStreamEvent: unknown;
  readonly Problem: ProblemDocument;
  readonly FailedTurn: FailedTurn;
  readonly Artifact: TurnArtifact;
  readonly TurnFile: TurnFile;
  readonly Said: TurnSaid;
  readonly StoppingCall: StoppingCall;
  readonly ToolsOfTurn: Readonly<TurnTools>;
  readonly TurnError: TurnError;
  readonly Signal: Signal;
  readonly Usage: PricedUsage;
  readonly BlackboardEntry: BlackboardEntry;
  readonly ContentPart: ContentPart;
  readonly Principal: Principal;
  readonly ToolCall: JournaledCall;
  readonly ReplyPart: JournaledPart;
  readonly ToolResult: ResultData;
  readonly OfferedTool: OfferedTool;
  readonly MemoryFact: MemoryFact;
}

/** The name of a component. */
export type ComponentName = keyof Described;

/** Refers to a component. */
export const ref = <Name extends ComponentName>(name: Name): SchemaOf<Described[Name]> =>
  typed({ $ref: `#/components/schemas/${name}` });

/** What may be decided about a call. */
export const DECISION_KIND = values('approve', 'edit', 'reject', 'exit');

/** A limit that was reached. */
export const LIMIT = object<ReachedLimit>({
  kind: values('tokens', 'cost', 'iterations', 'toolCalls', 'callsPerTool'),
  most: whole,
});
