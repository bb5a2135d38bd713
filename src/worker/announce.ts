import type { SessionPort } from '../journal/session-port.ts';
import type { Announced, Announcement } from '../journal/turn-runner.ts';
import { addressOfSession } from '../session/read-secrets.ts';
import type { AnnouncingApp, Host, OutgoingWebhook } from './host.ts';

/** The port of a session that says with the end of a turn which of these webhooks are to be told of it. */
export const announcing = (
  port: SessionPort,
  name: string,
  webhooks: readonly OutgoingWebhook[] = [],
): SessionPort => webhooks.reduceRight((under, webhook) => webhook.announcing(under, name), port);

/** The app, as this file has it. */
interface Announcer extends AnnouncingApp {
  readonly host: AnnouncingApp['host'] & Pick<Host, 'outgoingWebhooks'>;
}

/** An hour more after each try, 36 in all: a webhook that gives up after ten tries has some left when a version knows it again. */
const TRIES_WITHOUT = 8;
const HOUR = 3_600_000;

/**
 * Has the webhook told, as a `TurnRunner` does. One that this version of the app does not have may be that of another which is
 * deployed beside it: it is asked for again, and after that the session forgets all that it had to tell it.
 */
export async function announce(app: Announcer, announcement: Announcement): Promise<Announced> {
  const { name, webhook, turn, attempt } = announcement;
  const told = app.host.outgoingWebhooks.get(webhook);
  if (told) return told.announce(app, announcement);
  const { agent, session } = addressOfSession(name);
  const isGone = attempt > TRIES_WITHOUT;
  const next = isGone ? 'what this session had to tell it is forgotten' : `asked for again in ${attempt} h`;
  app.host.log({
    level: isGone ? 'error' : 'warn',
    event: 'webhook-not-delivered',
    message: `outgoing webhook '${webhook}' is not among the outgoingWebhooks of this deployment: ${next}`,
    ...{ agent, session, turn },
  });
  return isGone ? 'forget' : { again: attempt * HOUR };
}
