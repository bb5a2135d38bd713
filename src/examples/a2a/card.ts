/** What an agent says of itself to whoever would talk to it by A2A. */
import type { SurfaceAgent } from '../../surfaces/entry.ts';

/** The card of an agent that is asked at `url`. */
export const cardOf = ({ name, description }: SurfaceAgent, url: string, inputModes: readonly string[]) => ({
  name,
  description,
  version: '1',
  supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
  securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
  securityRequirements: [{ schemes: { bearer: { list: [] } } }],
  defaultInputModes: inputModes,
  defaultOutputModes: ['text/plain', 'application/json'],
  skills: [{ id: name, name, description, tags: [name] }],
});
