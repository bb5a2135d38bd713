import type { Json, JsonObject } from '../../tool/json.ts';
import { at, defined, objectAt, textAt } from './payload.ts';

/** The three ways in which Slack calls. */
export type SlackKind = 'event' | 'command' | 'interaction';

/** The facts of a delivery, which each kind of call has in another place. */
export interface SlackFacts {
  readonly event: string;
  readonly team: string | undefined;
  readonly channel: string | undefined;
  readonly user: string | undefined;
  readonly thread: string | undefined;
  readonly text: string | undefined;
  readonly isBot: boolean;
  /** A direct message outside of any thread: all of them are one conversation. */
  readonly isDirect: boolean;
  /** What a model can read when there is no text; nothing that gives a right to whoever has it. */
  readonly about: JsonObject | undefined;
}

/** Finds the facts of a delivery of this kind. */
export function factsOf(kind: SlackKind, payload: JsonObject): SlackFacts {
  switch (kind) {
    case 'event':
      return ofEvent(payload);
    case 'command':
      return ofCommand(payload);
    case 'interaction':
      return ofInteraction(payload);
  }
}

function ofEvent(payload: JsonObject): SlackFacts {
  const event = objectAt(payload, 'event');
  const item = objectAt(event, 'item');
  const threadTs = textAt(event, 'thread_ts');
  return {
    event: eventOf(event) ?? textAt(payload, 'type') ?? 'unknown',
    team: textAt(payload, 'team_id'),
    channel: idAt(event, 'channel') ?? textAt(item, 'channel'),
    user: idAt(event, 'user'),
    thread: threadTs ?? textAt(event, 'ts') ?? textAt(item, 'ts'),
    text: textAt(event, 'text'),
    isBot: at(event, 'bot_id') !== undefined || at(event, 'subtype') === 'bot_message',
    isDirect: at(event, 'channel_type') === 'im' && threadTs === undefined,
    about: event && only(event, TOLD),
  };
}

/**
 * What is told of an event that says nothing: what happened to what, and who did it. Of the rest Slack says more every year,
 * some of it for nobody but the app, as the token that comes with `function_executed`.
 */
const TOLD: readonly string[] = `
  type subtype user inviter channel channel_id channel_type team subteam usergroup ts thread_ts deleted_ts
  event_ts message previous_message item item_user reaction name names old_name topic purpose value status
  tab links file file_id function inputs function_execution_id workflow_execution_id call_id bookmark
  list_id`
  .trim()
  .split(/\s+/);

/** Messages that a person has just said; the other subtypes tell what became of one, or of the channel. */
const SAID = [undefined, 'file_share', 'thread_broadcast', 'me_message', 'bot_message'];

function eventOf(event: JsonObject | undefined): string | undefined {
  const type = textAt(event, 'type');
  const subtype = textAt(event, 'subtype');
  return type === 'message' && !SAID.includes(subtype) ? `message.${subtype}` : type;
}

function ofCommand(payload: JsonObject): SlackFacts {
  return {
    event: textAt(payload, 'command') ?? 'unknown',
    team: textAt(payload, 'team_id'),
    channel: textAt(payload, 'channel_id'),
    user: textAt(payload, 'user_id'),
    thread: undefined,
    text: textAt(payload, 'text'),
    isBot: false,
    isDirect: false,
    about: undefined,
  };
}

function ofInteraction(payload: JsonObject): SlackFacts {
  const message = objectAt(payload, 'message');
  const view = objectAt(payload, 'view');
  return {
    event: textAt(payload, 'type') ?? 'unknown',
    team: idAt(payload, 'team') ?? idAt(payload, 'user', 'team_id'),
    channel: idAt(payload, 'channel') ?? textAt(payload, 'container', 'channel_id'),
    user: idAt(payload, 'user'),
    thread:
      textAt(message, 'thread_ts') ?? textAt(message, 'ts') ?? textAt(payload, 'container', 'message_ts'),
    text: undefined,
    isBot: false,
    isDirect: false,
    about: defined({
      callback_id: at(payload, 'callback_id') ?? at(view, 'callback_id'),
      actions: at(payload, 'actions'),
      state: at(payload, 'state') ?? at(view, 'state'),
      message: at(message, 'text'),
    }),
  };
}

/** Slack writes an id, or an object that has it. */
const idAt = (from: Json | undefined, ...path: readonly string[]): string | undefined =>
  textAt(from, ...path) ?? textAt(from, ...path, 'id');

const only = (from: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));
