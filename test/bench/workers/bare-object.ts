/** A Worker whose objects only store rows. Measures the minimum cost of an object with a database. */
import { DurableObject } from 'cloudflare:workers';
import { think } from './talk.ts';

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

/**
 * `GET /{name}?ms=3000` stores a row in the object of this name, waits like a model, and stores another row.
 */
export default {
  async fetch(request, { SESSIONS }) {
    const { pathname, searchParams } = new URL(request.url);
    const object = SESSIONS.getByName(pathname);
    await object.keep();
    await think(Number(searchParams.get('ms') ?? 0));
    await object.keep();
    return new Response('ok');
  },
} satisfies ExportedHandler<Env>;
