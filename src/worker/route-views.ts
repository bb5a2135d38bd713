/** The responses of routes that do not use a session or only show its journal. */
import type { StoredEvent } from '../journal/events.ts';
import { LOOP_LIMITS } from '../loop/policies.ts';
import { MEDIA_TAKEN } from '../model/chat-model.ts';
import { PROVIDER_CARD } from '../sources/resolution/tool-source.ts';
import {
  ANY_OBJECT,
  INTEGER,
  type Infer,
  JSON_SCHEMA,
  OPTIONAL_INTEGER,
  OPTIONAL_TEXT,
  type Shape,
  type ShapeAs,
  TEXT,
  TEXT_OR_NULL,
} from '../tool/shape.ts';

/** Links to the app's routes. */
export interface RootView {
  readonly name: 'holdfast';
  readonly agents: string;
  /** More links of the app, such as `openapi`. */
  readonly [link: string]: string;
}
export const ROOT_VIEW: ShapeAs<RootView> = {
  like: {
    object: { name: { only: 'holdfast' }, agents: TEXT },
    also: { additionalProperties: { type: 'string' } },
  },
};

/** The health of the deployment. */
export interface HealthView extends Infer<typeof HEALTH_VIEW> {}
export const HEALTH_VIEW = {
  object: { status: { only: 'ok' }, warnings: { optional: { listOf: TEXT } } },
} as const satisfies Shape;

const ANY_TOOL = {
  object: { name: TEXT, description: TEXT, effect: { oneOf: ['none', 'read', 'idempotent', 'once'] } },
} as const satisfies Shape;

/** A tool inside a tool. */
export interface InnerToolView extends Infer<typeof ANY_TOOL> {
  readonly inner?: readonly InnerToolView[];
  /** The number of omitted tools inside it. */
  readonly innerLeftOut?: number;
}
export const INNER_TOOL_VIEW: ShapeAs<InnerToolView> = {
  like: () => ({
    object: { inner: { optional: { listOf: INNER_TOOL_VIEW } }, innerLeftOut: OPTIONAL_INTEGER },
    and: ANY_TOOL,
  }),
};

/** A tool in the list of an agent. */
export interface ToolView extends Infer<typeof TOOL_VIEW> {}
export const TOOL_VIEW = {
  object: {
    inner: { optional: { listOf: INNER_TOOL_VIEW } },
    /** The number of omitted tools inside it. */
    innerLeftOut: OPTIONAL_INTEGER,
    inputSchema: JSON_SCHEMA,
    metadata: { optional: ANY_OBJECT },
  },
  and: ANY_TOOL,
} as const satisfies Shape;

/** An agent in the list. */
export interface AgentView extends Infer<typeof AGENT_VIEW> {}
export const AGENT_VIEW = {
  object: {
    name: TEXT,
    description: TEXT,
    limits: LOOP_LIMITS,
    /** The media types of files that it accepts. Absent if its model is unavailable. */
    accepts: { optional: MEDIA_TAKEN },
    /** The schema of its `object`, if it declares one for its answers. */
    output: { optional: JSON_SCHEMA },
    tools: { listOf: TOOL_VIEW },
    /** Sources of tools that are known only during a turn. */
    sources: { optional: { listOf: PROVIDER_CARD } },
    /** The problem if this environment lacks parts of the agent. */
    misconfigured: OPTIONAL_TEXT,
  },
} as const satisfies Shape;

/** The agents of an app. */
export interface AgentList extends Infer<typeof AGENT_LIST> {}
export const AGENT_LIST = { object: { agents: { listOf: AGENT_VIEW } } } as const satisfies Shape;

/** A page of the journal. */
export interface EventsPage extends Infer<typeof PAGE_END> {
  readonly events: readonly StoredEvent[];
}
/** The end of a page of the journal. */
export const PAGE_END = {
  object: {
    /** The sequence number of the session's last event. */
    head: INTEGER,
    /** The path of the next page, or `null` at the end. */
    next: TEXT_OR_NULL,
  },
} as const satisfies Shape;
