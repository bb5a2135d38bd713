/** Starts the servers, opens a session with each, prints their process ids, and waits to be killed. */
import { openSessions } from './open-sessions.ts';
import { startServers } from './start-servers.ts';

const servers = await startServers();
await openSessions(servers);
console.log(JSON.stringify({ pids: servers.pids(), folder: servers.folder }));
