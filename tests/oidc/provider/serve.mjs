// A real OpenID Connect provider on this machine: `node serve.mjs PORT REDIRECT_URI`.
// Its own development pages ask for a name and take any password; groups follow from the name.
import Provider from "oidc-provider";

const [port, redirect] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const groups = { rosa: ["staff", "review-team"], quentin: ["review-quality"], ulla: ["staff"] };

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: "review-console",
      client_secret: "a-secret-of-this-test",
      redirect_uris: [redirect],
      response_types: ["code"],
      grant_types: ["authorization_code"],
    },
  ],
  pkce: { required: () => true },
  claims: { openid: ["sub"], profile: ["preferred_username", "groups"], email: ["email"] },
  cookies: { keys: ["of-this-test"] },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, preferred_username: id, groups: groups[id] ?? [], email: `${id}@shop.example` }),
  }),
});
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
