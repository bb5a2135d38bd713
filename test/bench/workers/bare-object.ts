/** Objects that keep a row each and do nothing else: what any object with a database takes. */
import { DurableObject } from 'cloudflare:workers';
import { thinking } from './talk.ts';

export class SessionObject extends DurableObject {
  keep(): void {
    const { sql } = this.ctx.storage;
    sql.exec('CREATE TABLE IF NOT EXISTS kept (id INTEGER PRIMARY KEY, body TEXT)');
    sql.exec("INSERT INTO kept (body) VALUES ('{}')");
  }
}

interface Env {
  readonly SESSIONS: DurableObjectNamespace<SessionObject>;
}

/** `GET /{name}?ms=3000` keeps a row in the object of this name, waits as a model would, and keeps another. */
export default {
  async fetch(request, { SESSIONS }) {
    const { pathname, searchParams } = new URL(request.url);
    const object = SESSIONS.getByName(pathname);
    await object.keep();
    await thinking(Number(searchParams.get('ms') ?? 0));
    await object.keep();
    return new Response('ok');
  },
} satisfies ExportedHandler<Env>;
