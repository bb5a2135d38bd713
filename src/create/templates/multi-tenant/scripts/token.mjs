// @ts-check
// Prints a token for this machine: node scripts/token.mjs USER TENANT [ROLE...]
import { loadEnvFile } from 'node:process';
import { SignJWT } from 'jose';

const [user, tenant, ...roles] = process.argv.slice(2);
if (!user || !tenant) {
  console.error('node scripts/token.mjs USER TENANT [ROLE...]');
  process.exit(2);
}
loadEnvFile('.dev.vars');
const token = await new SignJWT({ tenant, roles })
  .setProtectedHeader({ alg: 'HS256' })
  .setSubject(user)
  .setIssuer(process.env.JWT_ISSUER ?? '')
  .setAudience(process.env.JWT_AUDIENCE ?? '')
  .setExpirationTime('1h')
  .sign(new TextEncoder().encode(process.env.JWT_SECRET));
console.log(token);
