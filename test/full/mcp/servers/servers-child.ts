/** Starts the servers, begins a session with each, tells their processes, and waits to be killed. */
import { openSessions } from './open-sessions.ts';
import { startServers } from './start-servers.ts';

const servers = await startServers();
await openSessions(servers);
console.log(JSON.stringify({ pids: servers.pids(), folder: servers.folder }));
