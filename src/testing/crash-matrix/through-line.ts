import type { SessionPort } from '../../journal/session-port.ts';
import type { Line } from './line.ts';

/** The session as one invocation reaches it. */
export const throughLine = (port: SessionPort, line: Line): SessionPort => ({
  ...port,
  append: (epoch, from, change) => line.send('append', () => port.append(epoch, from, change)),
  renew: (epoch) => line.through('renew', () => port.renew(epoch)),
});
