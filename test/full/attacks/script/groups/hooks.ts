/** Valid deliveries that attacks use as a starting point. */
import type { ReceivedResponse } from '../http.ts';
import type { Scene } from '../scene.ts';
import type { Delivery } from '../signatures.ts';

export const deliver = ({ nobody }: Scene, { path, headers, body }: Delivery): Promise<ReceivedResponse> =>
  nobody.ask({ method: 'POST', path, headers, body });

/** Returns the payload of an opened GitHub issue with this text. */
export const createIssue = (number: number, body = 'Hello.', more: object = {}): string =>
  JSON.stringify({
    action: 'opened',
    issue: { number, title: 'A title', body, user: { login: 'mallory' } },
    repository: { full_name: 'acme/shop' },
    sender: { login: 'mallory', type: 'User' },
    ...more,
  });

export const event = JSON.stringify({
  type: 'event_callback',
  team_id: 'T',
  event_id: 'E1',
  event: { type: 'app_mention', channel: 'C', ts: '1.1', user: 'U', text: 'Hi.' },
});

export const invoice = JSON.stringify({
  id: 'evt_1',
  type: 'invoice.paid',
  data: { object: { customer: 'cus_1' } },
});

export const contact = JSON.stringify({ type: 'contact.created', data: { id: 1 } });
