-- do/holdfast-SessionObject/1d1e377a8b6ec1b17616fecec251b473c68bdb45ba7f34deb60eec82271cb18d.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    turn TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    body TEXT
  );
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    turn TEXT,
    state TEXT NOT NULL,
    cause TEXT NOT NULL,
    expired INTEGER NOT NULL,
    expiredFor INTEGER NOT NULL,
    grace INTEGER
  );
CREATE TABLE requests (
    key TEXT PRIMARY KEY,
    body_hash TEXT NOT NULL,
    turn TEXT NOT NULL,
    seq INTEGER NOT NULL,
    expires INTEGER NOT NULL
  ) WITHOUT ROWID;
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    due INTEGER NOT NULL,
    PRIMARY KEY (kind, ref)
  ) WITHOUT ROWID;
CREATE TABLE chunks (
    owner TEXT NOT NULL,
    seq INTEGER NOT NULL,
    part INTEGER NOT NULL,
    reducer INTEGER,
    body BLOB NOT NULL, messages_from INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (owner, seq, part)
  );
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "sqlite_sequence" VALUES ('inbox', 1);
INSERT INTO "schema" VALUES (2, '["ada","killed-with-cancel","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781508, 'session-opened', '', 93, '{"v":1,"type":"session-opened","incarnation":"e1ce7b2a0f954655","agent":"killed-with-cancel"}');
INSERT INTO "events" VALUES (2, 0, 1795369781508, 'turn-started', '0213faf988ca4dee', 137, '{"v":1,"type":"turn-started","turn":"0213faf988ca4dee","loopId":"0213faf988ca4dee","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 236395789896, 1795369781937, 'model-replied', '0213faf988ca4dee', 333, '{"v":1,"type":"model-replied","turn":"0213faf988ca4dee","model":"scripted","text":"","toolCalls":[{"id":"0213faf988ca4dee.3.0","providerId":"call_0_0","name":"charge","input":"{}"},{"id":"0213faf988ca4dee.3.1","providerId":"call_0_1","name":"refund","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 236395789896, 1795369781937, 'tool-call-started', '0213faf988ca4dee', 106, '{"v":1,"type":"tool-call-started","turn":"0213faf988ca4dee","call":"0213faf988ca4dee.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 236395789896, 1795369781958, 'tool-call-suspended', '0213faf988ca4dee', 325, '{"v":1,"type":"tool-call-suspended","turn":"0213faf988ca4dee","call":"0213faf988ca4dee.3.1","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","binding":"2818b178409ffd99d2fd84e4fb8fa625dce30e7cc96107aea166efa5d96500e3"}}');
INSERT INTO "lease" VALUES (1, 236395789896, 'fe09eff52c484082', '0213faf988ca4dee', 'held', 'started', 0, 0, NULL);
INSERT INTO "inbox" VALUES (1, 'cancel', '0213faf988ca4dee', '{}');
INSERT INTO "agenda" VALUES ('turn', '0213faf988ca4dee', 1795369815289);
INSERT INTO "_cf_METADATA" VALUES (1, 1795369815289000000);
