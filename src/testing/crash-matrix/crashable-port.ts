import type { SessionPort } from '../../journal/session-port.ts';
import type { CrashableInvocation } from './crashable-invocation.ts';

/** The session as one invocation reaches it. */
export const crashablePort = (port: SessionPort, invocation: CrashableInvocation): SessionPort => ({
  ...port,
  append: (epoch, from, change) => invocation.send('append', () => port.append(epoch, from, change)),
  renew: (epoch) => invocation.through('renew', () => port.renew(epoch)),
});
