/** The vars and secrets of this Worker. */
declare namespace Cloudflare {
  interface Env {
    readonly JWT_ISSUER: string;
    readonly JWT_AUDIENCE: string;
    /** The address of the issuer's public keys. */
    readonly JWKS_URL?: string;
    /** Replaces the issuer's keys in development. */
    readonly JWT_SECRET?: string;
  }
}
