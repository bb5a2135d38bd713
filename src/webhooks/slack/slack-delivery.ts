import type { JsonObject } from '../../tool/json.ts';
import type { SenderDelivery } from '../from-sender.ts';
import { type IsSecret, known, look, tell, tellJson, textAt, toSessionId, word } from '../tell.ts';
import { type Parts, partsOf, type SlackKind } from './slack-parts.ts';

/** What Slack sent. What it does not speak of is `undefined`; the payload holds the rest, as Slack sent it. */
export interface SlackDelivery<Event extends string = string> extends SenderDelivery {
  /** An event of the Events API, a slash command, or somebody's use of a button, a menu or a form. */
  readonly kind: SlackKind;
  /** As in `app_mention`, `/deploy`, `block_actions`; a message that is not just said has its subtype too: `message.channel_join`. */
  readonly event: Event;
  readonly team: string | undefined;
  readonly channel: string | undefined;
  readonly user: string | undefined;
  /** The time of the message that the thread is under, or of the message itself: Slack's id of the thread. */
  readonly thread: string | undefined;
  readonly text: string | undefined;
  readonly isBot: boolean;
  /**
   * Of an event the whole envelope, of a command its fields. Holds what must not be journaled, such as `response_url`
   * and, of `function_executed`, a `bot_access_token`; `usual` leaves it out.
   */
  readonly payload: JsonObject;
}

type Seen = Pick<SlackDelivery, 'hook' | 'headers' | 'env' | 'kind' | 'payload'>;

/** Shows what Slack sent. */
export async function toSlackDelivery(from: Seen): Promise<SlackDelivery> {
  const parts = partsOf(from.kind, from.payload);
  const { event, team, channel, user, thread, text, isBot } = parts;
  const seen = { ...from, event, team, channel, user, thread, text, isBot };
  const usual = {
    session: await sessionOf(parts),
    message: messageOf(seen, parts),
    context: contextOf(seen),
  };
  return { ...seen, usual };
}

type Unmapped = Omit<SlackDelivery, 'usual'>;

/** One conversation for a thread; for what is in none, one for a direct message, for a channel, or for a person. */
function sessionOf({ team = '', channel, user = '', thread, isDirect }: Parts): Promise<string> {
  if (channel === undefined) return toSessionId(team, user);
  return thread === undefined || isDirect ? toSessionId(team, channel) : toSessionId(team, channel, thread);
}

function messageOf({ event, channel, user, text }: Unmapped, { about }: Parts): string {
  const lines = [
    `Slack: ${word(event) ?? 'unknown'}${word(channel) === undefined ? '' : ` in channel ${channel}`}`,
    word(user) && `by user ${user}`,
  ];
  const told = text ?? (about && tellJson(about, isAppsOwn));
  const by = word(user) && `user ${user}`;
  return tell({ lines, words: told === undefined ? [] : [{ by, text: told }] });
}

/** The address by which anybody sees a file, and what an app keeps in a form. */
const isAppsOwn: IsSecret = (key) => key === 'permalink_public' || key === 'private_metadata';

const contextOf = ({ hook, event, team, channel, user, thread, payload }: Unmapped): JsonObject => ({
  webhook: known({ hook, event, team, channel, user, thread, app: appOf(payload) }),
});

const appOf = (payload: JsonObject): string | undefined =>
  textAt(payload, 'api_app_id') ?? textAt(look(payload, 'view'), 'app_id');
