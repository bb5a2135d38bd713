import {
  ClientCredentialsProvider,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
} from '@modelcontextprotocol/client';
import * as v from 'valibot';
import { crossApp } from './cross-app.ts';
import { signingIn } from './signing-in.ts';

/** A scenario of the suite, as a turn is told of it. */
export interface Scenario {
  readonly name: string;
  /** The address of its MCP server. */
  readonly server: string;
  /** What it gives the client to know, as JSON, its credentials too, which an app would have in `secrets`; empty for most. */
  readonly given: string;
}

const Secret = v.object({ client_id: v.string(), client_secret: v.string() });
const Key = v.object({ client_id: v.string(), private_key_pem: v.string(), signing_algorithm: v.string() });
const Company = v.object({
  ...Secret.entries,
  idp_client_id: v.string(),
  idp_id_token: v.string(),
  idp_token_endpoint: v.string(),
});

/** What the suite wants to see as the client's id; nothing is asked there. */
const METADATA_URL = 'https://conformance-test.local/client-metadata.json';

/** Whoever gets the tokens of a scenario: as an app would choose it for a server that it knows. */
export function providerOf({ name, server, given }: Scenario): OAuthClientProvider {
  const read = <Schema extends v.GenericSchema>(schema: Schema): v.InferOutput<Schema> =>
    v.parse(schema, JSON.parse(given));
  switch (name) {
    case 'auth/client-credentials-basic': {
      const { client_id: clientId, client_secret: clientSecret } = read(Secret);
      return new ClientCredentialsProvider({ clientId, clientSecret });
    }
    case 'auth/client-credentials-jwt': {
      const { client_id: clientId, private_key_pem: privateKey, signing_algorithm: algorithm } = read(Key);
      return new PrivateKeyJwtProvider({ clientId, privateKey, algorithm });
    }
    case 'auth/cross-app-access-complete-flow':
    case 'auth/enterprise-managed-authorization':
      return crossApp(read(Company));
    case 'auth/pre-registration':
      return signingIn({ server, client: read(Secret) });
    case 'auth/basic-cimd':
      return signingIn({ server, clientMetadataUrl: METADATA_URL });
    default:
      return signingIn({ server });
  }
}
