/** What routes answer that ask no session, or show no more than the journal: each is described by its type. */
import type { StoredEvent } from '../journal/events.ts';
import type { LoopLimits } from '../loop/policies.ts';
import type { MediaTaken } from '../model/chat-model.ts';
import type { ProviderCard } from '../sources/resolution/tool-source.ts';
import type { Json, JsonSchema } from '../tool/json.ts';
import type { AnyTool } from '../tool/tool.ts';

/** Where to go on. */
export interface RootView {
  readonly name: 'holdfast';
  readonly agents: string;
  /** What else the app has, such as `openapi`. */
  readonly [link: string]: string;
}

/** How the Worker is deployed. */
export interface HealthView {
  readonly status: 'ok';
  readonly warnings?: readonly string[];
}

/** The agents of an app. */
export interface AgentList {
  readonly agents: readonly AgentView[];
}

/** What is told of an agent. */
export interface AgentView {
  readonly name: string;
  readonly description: string;
  readonly limits: LoopLimits;
  /** The media types of files that it takes; absent where its model is not to be had. */
  readonly accepts?: MediaTaken;
  /** The schema of its `object`, where it has a form for its answers. */
  readonly output?: JsonSchema;
  readonly tools: readonly ToolView[];
  /** Where more tools come from, which only a turn knows. */
  readonly sources?: readonly ProviderCard[];
  /** What it lacks here. */
  readonly misconfigured?: string;
}

/** What is told of a tool inside a tool. */
export interface InnerToolView {
  readonly name: string;
  readonly description: string;
  readonly effect: AnyTool['effect'];
  readonly inner?: readonly InnerToolView[];
  /** How many of the tools inside it are not listed. */
  readonly innerLeftOut?: number;
}

/** What is told of a tool. */
export interface ToolView extends InnerToolView {
  readonly inputSchema: JsonSchema;
  readonly metadata?: Readonly<Record<string, Json>>;
}

/** A part of the journal. */
export interface EventsPage {
  readonly events: readonly StoredEvent[];
  /** The sequence of the session's last event. */
  readonly head: number;
  /** Where the next page is; `null` at the end. */
  readonly next: string | null;
}
