/** The vars and secrets of this Worker. */
declare namespace Cloudflare {
  interface Env {
    readonly JWT_ISSUER: string;
    readonly JWT_AUDIENCE: string;
    /** The public keys of the issuer. */
    readonly JWKS_URL?: string;
    /** In development, in place of the issuer's keys. */
    readonly JWT_SECRET?: string;
  }
}
