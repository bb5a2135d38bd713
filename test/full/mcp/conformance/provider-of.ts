import {
  ClientCredentialsProvider,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
} from '@modelcontextprotocol/client';
import * as v from 'valibot';
import { createCrossAppProvider } from './cross-app.ts';
import { createSignInProvider } from './signing-in.ts';

/** A scenario of the suite, as the message of a turn describes it. */
export interface Scenario {
  readonly name: string;
  /** The URL of its MCP server. */
  readonly server: string;
  /**
   * The data for the client as JSON, including credentials. An app would have them in `secrets`. Empty for most
   * scenarios.
   */
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

/** The client id that the suite expects. It is never requested. */
const METADATA_URL = 'https://conformance-test.local/client-metadata.json';

/** Returns the OAuth provider that an app would choose for the server of this scenario. */
export function createProvider({ name, server, given }: Scenario): OAuthClientProvider {
  const parseGiven = <Schema extends v.GenericSchema>(schema: Schema): v.InferOutput<Schema> =>
    v.parse(schema, JSON.parse(given));
  switch (name) {
    case 'auth/client-credentials-basic': {
      const { client_id: clientId, client_secret: clientSecret } = parseGiven(Secret);
      return new ClientCredentialsProvider({ clientId, clientSecret });
    }
    case 'auth/client-credentials-jwt': {
      const {
        client_id: clientId,
        private_key_pem: privateKey,
        signing_algorithm: algorithm,
      } = parseGiven(Key);
      return new PrivateKeyJwtProvider({ clientId, privateKey, algorithm });
    }
    case 'auth/cross-app-access-complete-flow':
    case 'auth/enterprise-managed-authorization':
      return createCrossAppProvider(parseGiven(Company));
    case 'auth/pre-registration':
      return createSignInProvider({ server, client: parseGiven(Secret) });
    case 'auth/basic-cimd':
      return createSignInProvider({ server, clientMetadataUrl: METADATA_URL });
    default:
      return createSignInProvider({ server });
  }
}
