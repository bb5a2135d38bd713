import type { Announced, Announcement, SessionPort } from '../journal/session-port.ts';
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

/** Has the webhook told, as a `TurnRunner` does. Of one that the app has no more, the session forgets all that it had to tell. */
export async function announce(app: Announcer, announcement: Announcement): Promise<Announced> {
  const { name, webhook, turn } = announcement;
  const told = app.host.outgoingWebhooks.get(webhook);
  if (told) return told.announce(app, announcement);
  const { agent, session } = addressOfSession(name);
  app.host.log({
    level: 'error',
    event: 'webhook-not-delivered',
    message: `outgoing webhook '${webhook}' is not among the outgoingWebhooks any more: what this session had to tell it is forgotten`,
    ...{ agent, session, turn },
  });
  return 'forget';
}
